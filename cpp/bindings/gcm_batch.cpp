#include "gcm_batch.hpp"

#include <algorithm>
#include <cstring>

#include "batch_args.hpp"
#include "batch_out.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/split.hpp"

namespace cngaes::python {
namespace {

constexpr std::size_t kNonce = 12;

// Associated data: the same for all messages (a buffer, None), or one for each.
class Aads {
 public:
  // For messages in a sequence: a sequence too.
  bool get_sequence(PyObject* object, std::size_t count) {
    if (is_same(object)) return same_.get_optional(object, "associated_data");
    form_ = Form::sequence;
    return sequence_.get(object, "associated_data") && check_count(sequence_.count(), count);
  }
  // For packed messages: (data, offsets).
  bool get_packed(PyObject* object, std::size_t count) {
    if (is_same(object)) return same_.get_optional(object, "associated_data");
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) {
      PyErr_Format(PyExc_TypeError,
                   "associated_data must be bytes-like, None or (data, offsets), not %.200s",
                   Py_TYPE(object)->tp_name);
      return false;
    }
    form_ = Form::packed;
    return packed_.get(PyTuple_GET_ITEM(object, 0), "associated_data[0]",
                       PyTuple_GET_ITEM(object, 1), "associated_data[1]") &&
           check_count(packed_.count(), count);
  }

  List list() const noexcept {
    switch (form_) {
      case Form::sequence:
        return sequence_.list();
      case Form::packed:
        return packed_.list();
      case Form::same:
        break;
    }
    return List::same_for_all(same_.view());
  }
  std::uint64_t total(std::size_t count) const noexcept {
    return form_ == Form::same       ? std::uint64_t{same_.len()} * count
           : form_ == Form::sequence ? sequence_.total()
                                     : packed_.total();
  }
  // The buffer that holds the AAD of packed messages.
  const Input& buffer() const noexcept { return form_ == Form::packed ? packed_.data() : same_; }

 private:
  enum class Form : std::uint8_t { same, sequence, packed };

  static bool is_same(PyObject* object) {
    return object == nullptr || object == Py_None || PyUnicode_Check(object) ||
           PyObject_CheckBuffer(object) != 0;
  }
  static bool check_count(std::size_t given, std::size_t count) {
    if (given == count) return true;
    PyErr_Format(PyExc_ValueError,
                 "associated_data must be one for all or have %zu items, one for each message, "
                 "got %zu",
                 count, given);
    return false;
  }

  Form form_ = Form::same;
  Input same_;
  InputList sequence_;
  PackedInput packed_;
};

// Nonces, messages and associated data are there: are their sizes allowed? Nothing is written
// before.
bool check_items(KeyObject* self, const GcmBatch& batch, std::size_t count, std::size_t work,
                 Direction direction, const char* list_name) {
  constexpr std::size_t kUnusual = std::size_t{1} << 30;
  const CallScope scope(self->gate, kReleaseGilFrom);
  if (!scope.is_open()) {
    raise_closed(self);
    return false;
  }
  // Of most batches one look at the whole says that there is nothing to find.
  if (batch.nonces.each_has(kNonce) && work < kUnusual) return true;
  for (std::size_t i = 0; i < count; ++i) {
    const GcmMessage message = batch.message(i);
    const std::size_t len = batch.in[i].len;
    if (message.nonce_len == kNonce && len < kUnusual && message.aad_len < kUnusual) continue;
    if (message.nonce_len == 0) {
      raise_size(ItemName("nonces", i).text, "at least 1 byte", 0);
      return false;
    }
    const std::size_t no_tag = direction == Direction::encrypt ? 0 : std::min(len, batch.tag_len);
    const Status status = self->key->gcm_check(message, len - no_tag);
    if (status.ok()) continue;
    raise_item(status, ItemName(list_name, i).text);
    return false;
  }
  return true;
}

bool check_nonces(const List& nonces, std::size_t count, PyObject* allow_repeated) {
  const int allowed = allow_repeated == nullptr ? 0 : PyObject_IsTrue(allow_repeated);
  if (allowed != 0) return allowed > 0;
  return check_different_nonces(nonces, count);
}

// "raise" or "none".
bool on_error_from(PyObject* argument, bool* out_none) {
  *out_none = false;
  if (argument == nullptr) return true;
  if (PyUnicode_Check(argument)) {
    *out_none = PyUnicode_CompareWithASCIIString(argument, "none") == 0;
    if (*out_none || PyUnicode_CompareWithASCIIString(argument, "raise") == 0) return true;
  }
  PyErr_Format(PyUnicode_Check(argument) ? PyExc_ValueError : PyExc_TypeError,
               "on_error must be 'raise' or 'none', got %R", argument);
  return false;
}

// Messages without room for a tag have failed before anything is done.
bool note_short(const List& in, std::size_t count, std::size_t tag_len,
                Array<std::uint8_t>& failed) {
  if (!failed.allocate(count)) return false;
  for (std::size_t i = 0; i < count; ++i) failed[i] = in[i].len < tag_len ? 1 : 0;
  return true;
}

bool any(const Array<std::uint8_t>& failed, std::size_t count) noexcept {
  return std::memchr(failed.get(), 1, count) != nullptr;
}

// ---- sequences ----------------------------------------------------------------------------------

struct Sequences {
  InputList messages;
  EqualInputs nonces;
  Aads aads;
  unsigned threads = 0;

  bool get(PyObject* nonces_object, PyObject* messages_object, PyObject* aads_object,
           PyObject* threads_object) {
    return messages.get(messages_object, "messages") &&
           nonces.get(nonces_object, "nonces", kNonce, messages.count()) &&
           aads.get_sequence(aads_object, messages.count()) &&
           threads_from(threads_object, &threads);
  }
  std::size_t count() const noexcept { return messages.count(); }
  std::size_t work() const noexcept {
    return batch_work(messages.total() + aads.total(count()), count());
  }
  GcmBatch batch(const KeyObject* self, const OutList& out) const noexcept {
    return {nonces.list(), aads.list(), messages.list(), out, self->tag_len};
  }
};

constexpr Signature kEncryptMany = {
    "AESGCM.encrypt_many",
    2,
    3,
    5,
    {"nonces", "messages", "associated_data", "threads", "allow_repeated_nonces"}};
constexpr Signature kDecryptMany = {
    "AESGCM.decrypt_many",
    2,
    3,
    5,
    {"nonces", "messages", "associated_data", "threads", "on_error"}};

// ---- Arrow --------------------------------------------------------------------------------------

bool nonce_length_from(PyObject* argument, std::size_t* out_len) {
  *out_len = kNonce;
  if (argument == nullptr) return true;
  std::int64_t value = 0;
  if (!int_from(argument, "nonce_length", &value)) return false;
  if (value < 1 || value > PY_SSIZE_T_MAX) {
    PyErr_Format(PyExc_ValueError, "nonce_length must be at least 1 byte, got %R", argument);
    return false;
  }
  *out_len = static_cast<std::size_t>(value);
  return true;
}

struct Packed {
  PackedInput messages;
  EqualInputs nonces;
  Aads aads;
  unsigned threads = 0;

  // values: nonces, data, offsets, associated_data, out, threads, nonce_length
  bool get(PyObject* const* values) {
    std::size_t nonce_len = 0;
    return nonce_length_from(values[6], &nonce_len) &&
           messages.get(values[1], "data", values[2], "offsets") &&
           nonces.get(values[0], "nonces", nonce_len, messages.count()) &&
           aads.get_packed(values[3], messages.count()) && threads_from(values[5], &threads);
  }
  std::size_t count() const noexcept { return messages.count(); }
  std::size_t work() const noexcept {
    return batch_work(messages.total() + aads.total(count()), count());
  }
  GcmBatch batch(const KeyObject* self, const OutList& out) const noexcept {
    return {nonces.list(), aads.list(), messages.list(), out, self->tag_len};
  }
  bool get_out(PackedOutput& out, PyObject* object) const {
    if (!out.get(object)) return false;
    if (!out.is_given()) return true;
    const Output& given = out.given();
    if (!check_overlap(given, messages.data(), "data", InPlace::no, "out") ||
        !check_overlap(given, aads.buffer(), "associated_data", InPlace::no, "out")) {
      return false;
    }
    return !nonces.is_packed() ||
           check_overlap(given, nonces.packed(), "nonces", InPlace::no, "out");
  }
};

constexpr Signature kEncryptPacked = {"AESGCM.encrypt_packed",
                                      3,
                                      4,
                                      8,
                                      {"nonces", "data", "offsets", "associated_data", "out",
                                       "threads", "nonce_length", "allow_repeated_nonces"}};
constexpr Signature kDecryptPacked = {
    "AESGCM.decrypt_packed",
    3,
    4,
    8,
    {"nonces", "data", "offsets", "associated_data", "out", "threads", "nonce_length", "on_error"}};

}  // namespace

PyObject* gcm_encrypt_many(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[5];
  Sequences a;
  BytesList out;
  if (!check_made(self) || !parse_arguments(kEncryptMany, args, num_args, keyword_names, values) ||
      !a.get(values[0], values[1], values[2], values[3])) {
    return nullptr;
  }
  if (!check_items(self, a.batch(self, out.list()), a.count(), a.work(), Direction::encrypt,
                   "messages") ||
      !check_nonces(a.nonces.list(), a.count(), values[4]) ||
      !out.make(a.count(), [&](std::size_t i) { return a.messages[i].len + self->tag_len; }) ||
      !with_key(self, a.work(), [&](const CipherKey& key) {
        return gcm_seal_batch(key, a.batch(self, out.list()), a.count(), a.threads);
      })) {
    return nullptr;
  }
  return out.release();
}

PyObject* gcm_decrypt_many(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[5];
  Sequences a;
  BytesList out;
  Array<std::uint8_t> failed;
  bool none = false;
  if (!check_made(self) || !parse_arguments(kDecryptMany, args, num_args, keyword_names, values) ||
      !a.get(values[0], values[1], values[2], values[3]) || !on_error_from(values[4], &none)) {
    return nullptr;
  }
  const std::size_t tag_len = self->tag_len;
  const auto plaintext_len = [&](std::size_t i) {
    const std::size_t len = a.messages[i].len;
    return len - std::min(len, tag_len);
  };
  if (!check_items(self, a.batch(self, out.list()), a.count(), a.work(), Direction::decrypt,
                   "messages") ||
      !note_short(a.messages.list(), a.count(), tag_len, failed) ||
      !out.make(a.count(), plaintext_len) || !with_key(self, a.work(), [&](const CipherKey& key) {
        return gcm_open_batch(key, a.batch(self, out.list()), a.count(), failed.get(), a.threads);
      })) {
    return nullptr;
  }
  if (any(failed, a.count())) {
    if (!none) return raise_invalid_tags(failed.get(), a.count());
    for (std::size_t i = 0; i < a.count(); ++i) {
      if (failed[i] != 0) out.set_none(i);
    }
  }
  return out.release();
}

PyObject* gcm_encrypt_packed(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[8];
  Packed a;
  PackedOutput out;
  if (!check_made(self) ||
      !parse_arguments(kEncryptPacked, args, num_args, keyword_names, values) || !a.get(values)) {
    return nullptr;
  }
  const std::size_t tag_len = self->tag_len;
  if (!check_items(self, a.batch(self, out.list()), a.count(), a.work(), Direction::encrypt,
                   "data") ||
      !check_nonces(a.nonces.list(), a.count(), values[7]) || !a.get_out(out, values[4]) ||
      !out.make(a.messages, a.work(), [tag_len](std::size_t len) { return len + tag_len; }) ||
      !with_key(self, a.work(), [&](const CipherKey& key) {
        return gcm_seal_batch(key, a.batch(self, out.list()), a.count(), a.threads);
      })) {
    return out.wiped();
  }
  return out.release();
}

PyObject* gcm_decrypt_packed(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[8];
  Packed a;
  PackedOutput out;
  Array<std::uint8_t> failed;
  bool none = false;
  if (!check_made(self) ||
      !parse_arguments(kDecryptPacked, args, num_args, keyword_names, values) || !a.get(values) ||
      !on_error_from(values[7], &none)) {
    return nullptr;
  }
  const std::size_t tag_len = self->tag_len;
  if (!check_items(self, a.batch(self, out.list()), a.count(), a.work(), Direction::decrypt,
                   "data") ||
      !note_short(a.messages.list(), a.count(), tag_len, failed) || !a.get_out(out, values[4]) ||
      !out.make(a.messages, a.work(),
                [tag_len](std::size_t len) { return len - std::min(len, tag_len); }) ||
      !with_key(self, a.work(), [&](const CipherKey& key) {
        return gcm_open_batch(key, a.batch(self, out.list()), a.count(), failed.get(), a.threads);
      })) {
    return out.wiped();
  }
  if (none) return out.release_with_validity(failed.get());
  if (any(failed, a.count())) {
    raise_invalid_tags(failed.get(), a.count());
    return out.wiped();
  }
  return out.release();
}

}  // namespace cngaes::python
