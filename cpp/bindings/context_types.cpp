#include "context_types.hpp"

#include <cstring>
#include <new>

#include "cngaes/modes.hpp"
#include "cngaes/secure_memory.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

// GCM as a StreamContext; the tag comes apart.
class GcmContextStream final : public StreamContext, public SecretObject {
 public:
  explicit GcmContextStream(std::unique_ptr<GcmStream> stream) noexcept
      : stream_(std::move(stream)) {}
  std::size_t output_size(std::size_t len) const noexcept override { return len; }
  Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept override {
    return stream_->update(out, in, len);
  }
  Status finalize(std::uint8_t out[16], std::size_t* out_len) noexcept override {
    *out_len = 0;
    return stream_->tag(out);
  }

 private:
  std::unique_ptr<GcmStream> stream_;
};

struct ContextObject {
  // clang-format off
  PyObject_HEAD
      // clang-format on
      PyObject* key;  // strong: the stream borrows from it
  StreamContext* stream;
  Turn turn;
  bool finalized;
  bool has_tag;          // GcmEncryptor: finalize() has succeeded
  bool verified;         // GcmDecryptor
  std::uint8_t tag_len;  // GCM
  std::uint8_t tag[16];  // GCM, after finalize
};

ContextObject* as_context(PyObject* self) noexcept {
  return reinterpret_cast<ContextObject*>(self);
}

PyObject* new_object(PyObject* module, const char* type_name, KeyObject* key,
                     std::unique_ptr<StreamContext> stream) {
  if (stream == nullptr) return PyErr_NoMemory();
  const Ref type(PyObject_GetAttrString(module, type_name));
  if (!type) return nullptr;
  auto* const type_object = reinterpret_cast<PyTypeObject*>(type.get());
  PyObject* const object = type_object->tp_alloc(type_object, 0);
  if (object == nullptr) return nullptr;
  ContextObject* const self = as_context(object);
  new (&self->turn) Turn;
  self->key = Py_NewRef(reinterpret_cast<PyObject*>(key));
  self->stream = stream.release();
  self->tag_len = key->tag_len;
  return object;
}

int tp_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_context(object)->key);
  return 0;
}

int tp_clear(PyObject* object) {
  ContextObject* const self = as_context(object);
  delete std::exchange(self->stream, nullptr);
  Py_CLEAR(self->key);
  return 0;
}

void tp_dealloc(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  tp_clear(object);
  secure_wipe(as_context(object)->tag, sizeof(ContextObject::tag));
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* raise_finalized() {
  return raise_named("AlreadyFinalized", "the context is already finalized");
}

bool is_active(const ContextObject* self) noexcept {
  return !self->finalized && self->stream != nullptr;
}

// How a call on a context ended. Exceptions are made when its turn is over: making one can run
// Python code, which may come back to the same context and would wait for itself.
struct Outcome {
  enum class Kind : std::uint8_t {
    done,
    finalized,
    closed,
    failed,
    python_error
  } kind = Kind::done;
  Status status = kOk;

  bool is_done() const noexcept { return kind == Kind::done; }
  PyObject* raise(const ContextObject* self) const {
    switch (kind) {
      case Kind::finalized:
        return raise_finalized();
      case Kind::closed:
        return raise_closed(as_key(self->key));
      case Kind::failed:
        return python::raise(status);
      case Kind::done:
      case Kind::python_error:
        break;
    }
    return nullptr;
  }
};

// f(StreamContext&) -> Status with the key held open. Call with the turn taken.
template <class F>
Outcome with_stream(ContextObject* self, std::size_t len, F f) {
  const CallScope scope(as_key(self->key)->gate, len);
  if (!scope.is_open()) return {Outcome::Kind::closed, kOk};
  const Status status = run_released(len, [&] { return f(*self->stream); });
  return {status.ok() ? Outcome::Kind::done : Outcome::Kind::failed, status};
}

PyObject* update(PyObject* object, PyObject* argument) {
  ContextObject* const self = as_context(object);
  Input data;
  if (!data.get(argument, "data")) return nullptr;
  Ref out;
  Outcome outcome;
  {
    const TurnScope turn(self->turn);
    if (!is_active(self)) {
      outcome.kind = Outcome::Kind::finalized;
    } else if (out = Ref(new_bytes(self->stream->output_size(data.len()))); !out) {
      outcome.kind = Outcome::Kind::python_error;
    } else {
      outcome = with_stream(self, data.len(), [&](StreamContext& stream) {
        return stream.update(bytes_data(out.get()), data.data(), data.len());
      });
    }
  }
  return outcome.is_done() ? out.release() : outcome.raise(self);
}

constexpr Signature kUpdateInto = {"update_into", 2, 2, 2, {"data", "buf"}};
PyObject* update_into(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                      PyObject* keyword_names) {
  ContextObject* const self = as_context(object);
  PyObject* values[2];
  Input data;
  Output buf;
  if (!parse_arguments(kUpdateInto, args, num_args, keyword_names, values) ||
      !data.get(values[0], "data") || !buf.get(values[1], "buf") ||
      !check_overlap(buf, data, "data", InPlace::yes)) {
    return nullptr;
  }
  std::size_t len = 0;
  Outcome outcome;
  {
    const TurnScope turn(self->turn);
    if (!is_active(self)) {
      outcome.kind = Outcome::Kind::finalized;
    } else if (len = self->stream->output_size(data.len()); buf.len() >= len) {
      outcome = with_stream(self, data.len(), [&](StreamContext& stream) {
        return stream.update(buf.data(), data.data(), data.len());
      });
    }
  }
  if (!outcome.is_done()) return outcome.raise(self);
  if (buf.len() < len) {
    return PyErr_Format(PyExc_ValueError, "buf must be at least %zu bytes, got %zu bytes", len,
                        buf.len());
  }
  return PyLong_FromSize_t(len);
}

// Ends the stream: at most 16 bytes into out. Whatever the stream says, it is used up.
Outcome finish(ContextObject* self, std::uint8_t out[16], std::size_t* out_len) {
  if (!is_active(self)) return {Outcome::Kind::finalized, kOk};
  const Outcome outcome =
      with_stream(self, 0, [&](StreamContext& stream) { return stream.finalize(out, out_len); });
  if (outcome.kind == Outcome::Kind::closed) return outcome;
  self->finalized = true;
  delete std::exchange(self->stream, nullptr);
  return outcome;
}

PyObject* cipher_finalize(PyObject* object, PyObject*) {
  ContextObject* const self = as_context(object);
  SecretBuffer<16> last;
  std::size_t len = 0;
  Outcome outcome;
  {
    const TurnScope turn(self->turn);
    outcome = finish(self, last.data, &len);
  }
  if (!outcome.is_done()) return outcome.raise(self);
  PyObject* const out = new_bytes(len);
  if (out != nullptr) std::memcpy(bytes_data(out), last.data, len);
  return out;
}

PyObject* gcm_finalize(PyObject* object, PyObject*) {
  ContextObject* const self = as_context(object);
  std::size_t len = 0;
  Outcome outcome;
  {
    const TurnScope turn(self->turn);
    outcome = finish(self, self->tag, &len);
    self->has_tag = self->has_tag || outcome.is_done();
  }
  return outcome.is_done() ? new_bytes(0) : outcome.raise(self);
}

PyObject* get_tag(PyObject* object, void*) {
  ContextObject* const self = as_context(object);
  bool has_tag = false;
  {
    const TurnScope turn(self->turn);
    has_tag = self->has_tag;
  }
  if (!has_tag) {
    PyErr_SetString(PyExc_ValueError, "the tag is there after finalize()");
    return nullptr;
  }
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(self->tag), self->tag_len);
}

PyObject* finalize_with_tag(PyObject* object, PyObject* argument) {
  ContextObject* const self = as_context(object);
  Input tag;
  if (!tag.get(argument, "tag") || !check_exact_size("tag", self->tag_len, tag.len())) {
    return nullptr;
  }
  SecretBuffer<16> expected;
  std::size_t len = 0;
  Outcome outcome;
  {
    const TurnScope turn(self->turn);
    outcome = finish(self, expected.data, &len);
    if (outcome.is_done() && constant_time_equal(expected.data, tag.data(), self->tag_len) == 0) {
      outcome = {Outcome::Kind::failed, fail(StatusCode::invalid_tag)};
    }
    self->verified = self->verified || outcome.is_done();
  }
  return outcome.is_done() ? new_bytes(0) : outcome.raise(self);
}

PyObject* enter(PyObject* object, PyObject*) { return Py_NewRef(object); }

PyObject* exit(PyObject* object, PyObject* const* args, Py_ssize_t num_args) {
  const ContextObject* const self = as_context(object);
  const bool failed = num_args > 0 && args[0] != Py_None;
  if (!failed && !self->verified) return raise(fail(StatusCode::invalid_tag));
  Py_RETURN_NONE;
}

PyObject* reduce(PyObject* object, PyObject*) {
  return PyErr_Format(PyExc_TypeError, "%.200s cannot be copied or pickled",
                      Py_TYPE(object)->tp_name);
}

constexpr const char* kUpdateDoc =
    "update($self, data, /)\n--\n\n"
    "Take the next piece of the message; returns what can be given out so far.\n\n"
    "Raises AlreadyFinalized after finalize, ValueError when the key was closed, OverflowError\n"
    "when the message passes the mode's limit.";
constexpr const char* kUpdateIntoDoc =
    "update_into($self, data, buf)\n--\n\n"
    "As update(), into a writable buffer; returns the bytes written.\n\n"
    "buf may start where data starts, or not overlap it. Raises ValueError, before anything is\n"
    "written, if buf is shorter than what this piece gives.";
constexpr PyMethodDef kUpdate = {"update", update, METH_O, kUpdateDoc};
const PyMethodDef kUpdateIntoDef = {"update_into", as_method(update_into),
                                    METH_FASTCALL | METH_KEYWORDS, kUpdateIntoDoc};
constexpr PyMethodDef kReduce = {"__reduce__", reduce, METH_NOARGS, nullptr};
constexpr PyMethodDef kEnd = {nullptr, nullptr, 0, nullptr};

PyMethodDef cipher_methods[] = {
    kUpdate,
    kUpdateIntoDef,
    {"finalize", cipher_finalize, METH_NOARGS,
     "finalize($self, /)\n--\n\n"
     "End the message; returns what is left: padding, or the last block without it.\n\n"
     "Raises InvalidPadding, ValueError if the message without padding ends within a block,\n"
     "AlreadyFinalized."},
    kReduce,
    kEnd,
};
PyMethodDef gcm_encryptor_methods[] = {
    kUpdate,
    kUpdateIntoDef,
    {"finalize", gcm_finalize, METH_NOARGS,
     "finalize($self, /)\n--\n\n"
     "End the message; returns b\"\". The tag then stands in .tag. Raises AlreadyFinalized."},
    kReduce,
    kEnd,
};
PyMethodDef gcm_decryptor_methods[] = {
    kUpdate,
    kUpdateIntoDef,
    {"finalize_with_tag", finalize_with_tag, METH_O,
     "finalize_with_tag($self, tag, /)\n--\n\n"
     "End the message and verify it; returns b\"\".\n\n"
     "Raises InvalidTag: all that update() gave out was forged. ValueError for a tag of another\n"
     "length than the key's, AlreadyFinalized."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", as_method(exit), METH_FASTCALL, nullptr},
    kReduce,
    kEnd,
};
PyGetSetDef no_properties[] = {{nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef gcm_encryptor_properties[] = {
    {"tag", get_tag, nullptr,
     "The authentication tag, bytes of the key's tag_length. ValueError before finalize().",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

bool add_type(PyObject* module, const char* name, PyMethodDef* methods, PyGetSetDef* properties,
              const char* doc) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(tp_dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(tp_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(tp_clear)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_tp_doc, const_cast<char*>(doc)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(ContextObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  const Ref type(PyType_FromModuleAndSpec(module, &spec, nullptr));
  return type && PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())) == 0;
}

constexpr Signature kGcmDecryptor = {
    "gcm_decryptor", 2, 3, 3, {"aesgcm", "nonce", "associated_data"}};
PyObject* gcm_decryptor(PyObject* module, PyObject* const* args, Py_ssize_t num_args,
                        PyObject* keyword_names) {
  PyObject* values[3];
  if (!parse_arguments(kGcmDecryptor, args, num_args, keyword_names, values)) return nullptr;
  const Ref type(PyObject_GetAttrString(module, "AESGCM"));
  if (!type) return nullptr;
  const int is_key = PyObject_IsInstance(values[0], type.get());
  if (is_key < 0) return nullptr;
  if (is_key == 0) {
    return PyErr_Format(PyExc_TypeError, "aesgcm must be AESGCM, not %.200s",
                        Py_TYPE(values[0])->tp_name);
  }
  KeyObject* const key = as_key(values[0]);
  if (!check_made(key)) return nullptr;
  return new_gcm_context(module, key, Direction::decrypt, values[1], values[2]);
}

PyMethodDef functions[] = {
    {"gcm_decryptor", as_method(gcm_decryptor), METH_FASTCALL | METH_KEYWORDS,
     "gcm_decryptor(aesgcm, nonce, associated_data=None)\n--\n\nSee cngaes.hazmat."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* new_gcm_context(PyObject* module, KeyObject* key, Direction direction, PyObject* nonce,
                          PyObject* associated_data) {
  Input nonce_buffer;
  Input aad;
  if (!nonce_buffer.get(nonce, "nonce") || !aad.get_optional(associated_data, "associated_data") ||
      !check_nonce(nonce_buffer)) {
    return nullptr;
  }
  const GcmMessage message = {nonce_buffer.data(), nonce_buffer.len(), aad.data(), aad.len(),
                              key->tag_len};
  std::unique_ptr<GcmStream> stream;
  if (!with_key(key, nonce_buffer.len() + aad.len(), [&](const CipherKey& cipher) {
        return cipher.gcm_start(direction, message, &stream);
      })) {
    return nullptr;
  }
  return new_object(module, direction == Direction::encrypt ? "GcmEncryptor" : "GcmDecryptor", key,
                    std::unique_ptr<StreamContext>(new GcmContextStream(std::move(stream))));
}

PyObject* new_context(PyObject* module, KeyObject* key,
                      std::unique_ptr<StreamContext> (*make)(const CipherKey& key,
                                                             const void* arguments),
                      const void* arguments) {
  std::unique_ptr<StreamContext> stream;
  if (!with_key(key, 0, [&](const CipherKey& cipher) {
        stream = make(cipher, arguments);
        return stream != nullptr ? kOk : fail(StatusCode::out_of_memory);
      })) {
    return nullptr;
  }
  return new_object(module, "CipherContext", key, std::move(stream));
}

bool add_context_types(PyObject* module) {
  return add_type(module, "cngaes._core.CipherContext", cipher_methods, no_properties,
                  "A CBC or CTR message in pieces. Calls from several threads take turns.") &&
         add_type(module, "cngaes._core.GcmEncryptor", gcm_encryptor_methods,
                  gcm_encryptor_properties,
                  "A GCM message encrypted in pieces. Calls from several threads take turns.") &&
         add_type(module, "cngaes._core.GcmDecryptor", gcm_decryptor_methods, no_properties,
                  "A GCM message decrypted in pieces: what update() gives out is UNVERIFIED until\n"
                  "finalize_with_tag() has returned. Calls from several threads take turns.") &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace cngaes::python
