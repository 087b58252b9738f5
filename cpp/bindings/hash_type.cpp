// sha256, sha256_digest and hmac_sha256.
#include <cstring>
#include <memory>
#include <new>

#include "buffers.hpp"
#include "cngaes/kernels.h"
#include "key_object.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

struct HashObject {
  // clang-format off
  PyObject_HEAD
      // clang-format on
      HashState* state;  // null before __init__
  const Backend* backend;
  Turn turn;
};

HashObject* as_hash(PyObject* self) noexcept { return reinterpret_cast<HashObject*>(self); }

bool check_hash_made(const HashObject* self) {
  if (self->state != nullptr) return true;
  PyErr_SetString(PyExc_TypeError, "sha256.__init__() was not called");
  return false;
}

PyObject* tp_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* const object = type->tp_alloc(type, 0);
  if (object != nullptr) new (&as_hash(object)->turn) Turn;
  return object;
}

void tp_dealloc(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  delete as_hash(object)->state;
  type->tp_free(object);
  Py_DECREF(type);
}

bool update_with(HashObject* self, const Input& data) {
  Status status = kOk;
  {
    const TurnScope turn(self->turn);
    status = run_released(data.len(), [&] { return self->state->update(data.data(), data.len()); });
  }
  if (!status.ok()) raise(status);
  return status.ok();
}

// usedforsecurity is there because hashlib has it; it changes nothing.
constexpr Signature kInit = {"sha256", 0, 1, 3, {"data", "usedforsecurity", "backend"}};

bool init(HashObject* self, PyObject* const* values) {
  Input data;
  if (values[0] != nullptr && !data.get(values[0], "data")) return false;
  const Backend* const backend = backend_from(values[2]);
  if (backend == nullptr) return false;
  std::unique_ptr<HashState> state;
  const Status status = backend->make_hash(&state);
  if (!status.ok()) {
    raise_choice(status);
    return false;
  }
  {
    const TurnScope turn(self->turn);
    if (self->state == nullptr) {
      self->backend = backend;
      self->state = state.release();
    }
  }
  if (state != nullptr) {  // not taken: there is one already
    PyErr_SetString(PyExc_TypeError, "sha256 is already initialised");
    return false;
  }
  return data.len() == 0 || update_with(self, data);
}

int tp_init(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject* values[kMaxParameters];
  if (!parse_arguments(kInit, args, keywords, values)) return -1;
  return init(as_hash(self), values) ? 0 : -1;
}

PyObject* tp_vectorcall(PyObject* type, PyObject* const* args, std::size_t num_args_and_flag,
                        PyObject* keyword_names) {
  PyObject* values[kMaxParameters];
  if (!parse_arguments(kInit, args, PyVectorcall_NARGS(num_args_and_flag), keyword_names, values)) {
    return nullptr;
  }
  Ref self(tp_new(reinterpret_cast<PyTypeObject*>(type), nullptr, nullptr));
  if (!self || !init(as_hash(self.get()), values)) return nullptr;
  return self.release();
}

PyObject* update(PyObject* object, PyObject* argument) {
  HashObject* const self = as_hash(object);
  Input data;
  if (!check_hash_made(self) || !data.get(argument, "data") || !update_with(self, data)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

bool digest_into(HashObject* self, std::uint8_t out[kSha256DigestBytes]) {
  if (!check_hash_made(self)) return false;
  Status status = kOk;
  {
    const TurnScope turn(self->turn);
    status = self->state->digest(out);
  }
  if (!status.ok()) raise(status);
  return status.ok();
}

PyObject* digest(PyObject* object, PyObject*) {
  std::uint8_t out[kSha256DigestBytes];
  if (!digest_into(as_hash(object), out)) return nullptr;
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(out), sizeof out);
}

PyObject* hexdigest(PyObject* object, PyObject*) {
  std::uint8_t out[kSha256DigestBytes];
  if (!digest_into(as_hash(object), out)) return nullptr;
  char text[2 * kSha256DigestBytes];
  for (std::size_t i = 0; i < sizeof out; ++i) {
    text[2 * i] = "0123456789abcdef"[out[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[out[i] & 15];
  }
  return PyUnicode_FromStringAndSize(text, sizeof text);
}

PyObject* copy(PyObject* object, PyObject*) {
  HashObject* const self = as_hash(object);
  if (!check_hash_made(self)) return nullptr;
  std::unique_ptr<HashState> state;
  Status status = kOk;
  {
    const TurnScope turn(self->turn);
    status = self->state->copy(&state);
  }
  if (!status.ok()) return raise(status);
  PyObject* const other = tp_new(Py_TYPE(object), nullptr, nullptr);
  if (other != nullptr) {
    as_hash(other)->backend = self->backend;
    as_hash(other)->state = state.release();
  }
  return other;
}

PyObject* reduce(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "sha256 cannot be pickled; use copy()");
  return nullptr;
}

PyObject* get_name(PyObject*, void*) { return PyUnicode_FromString("sha256"); }
PyObject* get_digest_size(PyObject*, void*) { return PyLong_FromLong(kSha256DigestBytes); }
PyObject* get_block_size(PyObject*, void*) { return PyLong_FromLong(kSha256BlockBytes); }
PyObject* get_backend(PyObject* object, void*) {
  const HashObject* const self = as_hash(object);
  return check_hash_made(self) ? PyUnicode_FromString(self->backend->name()) : nullptr;
}
PyObject* get_kernel(PyObject* object, void*) {
  const HashObject* const self = as_hash(object);
  return check_hash_made(self) ? PyUnicode_FromString(self->state->kernel()) : nullptr;
}
PyObject* tp_repr(PyObject* object) {
  const HashObject* const self = as_hash(object);
  if (self->state == nullptr) return PyUnicode_FromString("<sha256 not initialised>");
  return PyUnicode_FromFormat("<sha256 %s, %s>", self->backend->name(), self->state->kernel());
}

PyMethodDef methods[] = {
    {"update", update, METH_O,
     "update($self, data, /)\n--\n\n"
     "Hash more data. Raises TypeError or BufferError for what is no buffer, OverflowError above\n"
     "2**61-1 bytes in all. Calls from several threads take turns."},
    {"digest", digest, METH_NOARGS,
     "digest($self, /)\n--\n\nThe digest of what was hashed so far, 32 bytes."},
    {"hexdigest", hexdigest, METH_NOARGS,
     "hexdigest($self, /)\n--\n\nThe same as 64 lower-case hexadecimal digits."},
    {"copy", copy, METH_NOARGS, "copy($self, /)\n--\n\nAn independent object in the same state."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"name", get_name, nullptr, "'sha256'.", nullptr},
    {"digest_size", get_digest_size, nullptr, "32 bytes.", nullptr},
    {"block_size", get_block_size, nullptr, "64 bytes.", nullptr},
    {"backend", get_backend, nullptr, "Name of the backend.", nullptr},
    {"kernel", get_kernel, nullptr, "Name of the kernel, as 'x86-shani'.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// ---- one-shot functions -------------------------------------------------------------------------

// f(const Backend&, out) -> Status over len bytes; its 32 bytes as a bytes object.
template <class F>
PyObject* hash_once(PyObject* backend_argument, std::size_t len, F f) {
  const Backend* const backend = backend_from(backend_argument);
  if (backend == nullptr) return nullptr;
  std::uint8_t out[kSha256DigestBytes];
  const Status status = run_released(len, [&] { return f(*backend, out); });
  if (!status.ok()) return raise_choice(status);
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(out), sizeof out);
}

constexpr Signature kDigest = {"sha256_digest", 1, 1, 2, {"data", "backend"}};
PyObject* sha256_digest(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                        PyObject* keyword_names) {
  PyObject* values[2];
  Input data;
  if (!parse_arguments(kDigest, args, num_args, keyword_names, values) ||
      !data.get(values[0], "data")) {
    return nullptr;
  }
  return hash_once(values[1], data.len(), [&](const Backend& backend, std::uint8_t* out) {
    return backend.sha256(out, data.data(), data.len());
  });
}

constexpr Signature kHmac = {"hmac_sha256", 2, 2, 3, {"key", "data", "backend"}};
PyObject* hmac_sha256(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                      PyObject* keyword_names) {
  PyObject* values[3];
  Input key;
  Input data;
  if (!parse_arguments(kHmac, args, num_args, keyword_names, values) ||
      !key.get(values[0], "key") || !data.get(values[1], "data")) {
    return nullptr;
  }
  return hash_once(
      values[2], key.len() + data.len(), [&](const Backend& backend, std::uint8_t* out) {
        return backend.hmac_sha256(out, key.data(), key.len(), data.data(), data.len());
      });
}

PyMethodDef functions[] = {
    {"sha256_digest", as_method(sha256_digest), METH_FASTCALL | METH_KEYWORDS,
     "sha256_digest(data, *, backend=None)\n--\n\n"
     "The SHA-256 digest (FIPS 180-4) of data, 32 bytes, in one call.\n\n"
     "Raises TypeError or BufferError for what is no buffer, UnsupportedBackend."},
    {"hmac_sha256", as_method(hmac_sha256), METH_FASTCALL | METH_KEYWORDS,
     "hmac_sha256(key, data, *, backend=None)\n--\n\n"
     "HMAC-SHA-256 (FIPS 198-1) of data under a key of any length, 32 bytes.\n\n"
     "Raises TypeError or BufferError for what is no buffer, UnsupportedBackend."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_hash_type(PyObject* module) {
  static constexpr const char* kDoc =
      "sha256(data=b'', *, usedforsecurity=True, backend=None)\n--\n\n"
      "SHA-256 (FIPS 180-4) in pieces, with the interface of hashlib's objects.\n\n"
      "Raises TypeError or BufferError for what is no buffer, UnsupportedBackend.";
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(tp_new)},
      {Py_tp_init, reinterpret_cast<void*>(tp_init)},
      {Py_tp_dealloc, reinterpret_cast<void*>(tp_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(tp_repr)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_tp_doc, const_cast<char*>(kDoc)},
      {0, nullptr},
  };
  PyType_Spec spec = {"cngaes.sha256", sizeof(HashObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots};
  const Ref type(PyType_FromModuleAndSpec(module, &spec, nullptr));
  if (!type) return false;
  auto* const type_object = reinterpret_cast<PyTypeObject*>(type.get());
  type_object->tp_vectorcall = tp_vectorcall;
  return PyModule_AddType(module, type_object) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace cngaes::python
