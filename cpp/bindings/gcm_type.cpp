// AESGCM.
#include "batch_args.hpp"
#include "buffers.hpp"
#include "cngaes/cng.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/split.hpp"
#include "context_types.hpp"
#include "gcm_batch.hpp"
#include "key_object.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

// nonce, data, associated_data of one call.
struct Arguments {
  Input nonce;
  Input data;
  Input aad;

  bool get(PyObject* const* values) {
    if (!nonce.get(values[0], "nonce") || !data.get(values[1], "data") ||
        !aad.get_optional(values[2], "associated_data")) {
      return false;
    }
    return check_nonce(nonce);
  }
  GcmMessage message(const KeyObject* self) const noexcept {
    return {nonce.data(), nonce.len(), aad.data(), aad.len(), self->tag_len};
  }
  std::size_t work() const noexcept { return nonce.len() + data.len() + aad.len(); }
};

bool check_sizes(const GcmMessage& message, std::size_t data_len) {
  const Status status = gcm_check_sizes(message, data_len);
  if (!status.ok()) raise(status);
  return status.ok();
}

bool check_buf(const Output& buf, const Arguments& a, std::size_t expected) {
  return check_exact_size("buf", expected, buf.len()) &&
         check_overlap(buf, a.data, "data", InPlace::yes) &&
         check_overlap(buf, a.nonce, "nonce", InPlace::no) &&
         check_overlap(buf, a.aad, "associated_data", InPlace::no);
}

bool seal(KeyObject* self, const Arguments& a, std::uint8_t* out, unsigned threads) {
  return with_key(self, a.work(), [&](const CipherKey& key) {
    if (threads != 1) {
      return key.gcm_seal_split(a.message(self), out, out + a.data.len(), a.data.data(),
                                a.data.len(), threads_for(threads, a.data.len()));
    }
    return key.gcm_seal(a.message(self), out, out + a.data.len(), a.data.data(), a.data.len());
  });
}

bool open(KeyObject* self, const Arguments& a, std::uint8_t* out, std::size_t len,
          unsigned threads) {
  return with_key(self, a.work(), [&](const CipherKey& key) {
    if (threads != 1) {
      return key.gcm_open_split(a.message(self), out, a.data.data(), len, a.data.data() + len,
                                threads_for(threads, len));
    }
    return key.gcm_open(a.message(self), out, a.data.data(), len, a.data.data() + len);
  });
}

// Length of the plaintext; InvalidTag if there is no room for a tag.
bool plaintext_len(const KeyObject* self, const Arguments& a, std::size_t* out_len) {
  if (a.data.len() < self->tag_len) {
    raise(fail(StatusCode::invalid_tag));
    return false;
  }
  *out_len = a.data.len() - self->tag_len;
  return true;
}

constexpr Signature kEncrypt = {
    "AESGCM.encrypt", 2, 3, 4, {"nonce", "data", "associated_data", "threads"}};
PyObject* encrypt(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                  PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[4];
  Arguments a;
  unsigned threads = 1;
  if (!check_made(self) || !parse_arguments(kEncrypt, args, num_args, keyword_names, values) ||
      !a.get(values) || !one_shot_threads(values[3], &threads) ||
      !check_sizes(a.message(self), a.data.len())) {
    return nullptr;
  }
  Ref out(new_bytes(a.data.len() + self->tag_len));
  if (!out || !seal(self, a, bytes_data(out.get()), threads)) return nullptr;
  return out.release();
}

constexpr Signature kDecrypt = {
    "AESGCM.decrypt", 2, 3, 4, {"nonce", "data", "associated_data", "threads"}};
PyObject* decrypt(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                  PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[4];
  Arguments a;
  unsigned threads = 1;
  std::size_t len = 0;
  if (!check_made(self) || !parse_arguments(kDecrypt, args, num_args, keyword_names, values) ||
      !a.get(values) || !one_shot_threads(values[3], &threads) || !plaintext_len(self, a, &len) ||
      !check_sizes(a.message(self), len)) {
    return nullptr;
  }
  Ref out(new_bytes(len));
  if (!out || !open(self, a, bytes_data(out.get()), len, threads)) return nullptr;
  return out.release();
}

constexpr Signature kEncryptInto = {
    "AESGCM.encrypt_into", 4, 4, 5, {"nonce", "data", "associated_data", "buf", "threads"}};
PyObject* encrypt_into(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                       PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[5];
  Arguments a;
  unsigned threads = 1;
  Output buf;
  if (!check_made(self) || !parse_arguments(kEncryptInto, args, num_args, keyword_names, values) ||
      !a.get(values) || !one_shot_threads(values[4], &threads) ||
      !check_sizes(a.message(self), a.data.len()) || !buf.get(values[3], "buf") ||
      !check_buf(buf, a, a.data.len() + self->tag_len) || !seal(self, a, buf.data(), threads)) {
    return nullptr;
  }
  return PyLong_FromSize_t(buf.len());
}

constexpr Signature kDecryptInto = {
    "AESGCM.decrypt_into", 4, 4, 5, {"nonce", "data", "associated_data", "buf", "threads"}};
PyObject* decrypt_into(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                       PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[5];
  Arguments a;
  unsigned threads = 1;
  Output buf;
  std::size_t len = 0;
  if (!check_made(self) || !parse_arguments(kDecryptInto, args, num_args, keyword_names, values) ||
      !a.get(values) || !one_shot_threads(values[4], &threads) || !buf.get(values[3], "buf")) {
    return nullptr;
  }
  if (!plaintext_len(self, a, &len)) {
    secure_wipe(buf.data(), buf.len());  // as after every InvalidTag
    return nullptr;
  }
  if (!check_sizes(a.message(self), len) || !check_buf(buf, a, len) ||
      !open(self, a, buf.data(), len, threads)) {
    return nullptr;
  }
  return PyLong_FromSize_t(len);
}

constexpr Signature kEncryptor = {"AESGCM.encryptor", 1, 2, 2, {"nonce", "associated_data"}};
PyObject* encryptor(PyObject* object, PyTypeObject* defining_class, PyObject* const* args,
                    Py_ssize_t num_args, PyObject* keyword_names) {
  PyObject* values[2];
  if (!check_made(as_key(object)) ||
      !parse_arguments(kEncryptor, args, num_args, keyword_names, values)) {
    return nullptr;
  }
  return new_gcm_context(PyType_GetModule(defining_class), as_key(object), Direction::encrypt,
                         values[0], values[1]);
}

// secrets.token_bytes would do, but costs an import of random, hashlib and more.
constexpr Signature kGenerateKey = {"AESGCM.generate_key", 1, 1, 1, {"bit_length"}};
PyObject* generate_key(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                       PyObject* keyword_names) {
  PyObject* bit_length = nullptr;
  std::int64_t bits = 0;
  if (!parse_arguments(kGenerateKey, args, num_args, keyword_names, &bit_length) ||
      !int_from(bit_length, "bit_length", &bits)) {
    return nullptr;
  }
  if (bits != 128 && bits != 192 && bits != 256) {
    return PyErr_Format(PyExc_ValueError, "bit_length must be 128, 192 or 256, got %R", bit_length);
  }
  const Ref os(PyImport_ImportModule("os"));
  return os ? PyObject_CallMethod(os.get(), "urandom", "l", static_cast<long>(bits / 8)) : nullptr;
}

PyObject* get_tag_length(PyObject* object, void*) {
  const KeyObject* self = as_key(object);
  return check_made(self) ? PyLong_FromLong(self->tag_len) : nullptr;
}

PyMethodDef methods[] = {
    {"encrypt", as_method(encrypt), METH_FASTCALL | METH_KEYWORDS,
     "encrypt($self, nonce, data, associated_data=None, *, threads=1)\n--\n\n"
     "Encrypt and authenticate data (SP 800-38D algorithm 4): ciphertext with the tag behind "
     "it.\n\n"
     "The nonce is 1 byte or longer, 12 bytes are best, and must never repeat under one key.\n"
     "threads is how many cores may work on it; None is as many as pay for data of that size.\n\n"
     "Raises TypeError or BufferError for arguments that are no buffers, ValueError for an empty\n"
     "nonce, OverflowError above 2**36-32 bytes of data."},
    {"decrypt", as_method(decrypt), METH_FASTCALL | METH_KEYWORDS,
     "decrypt($self, nonce, data, associated_data=None, *, threads=1)\n--\n\n"
     "Verify and decrypt data, which ends with the tag (SP 800-38D algorithm 5).\n\n"
     "Raises InvalidTag if data, nonce or associated_data are not what was encrypted, or data is\n"
     "shorter than a tag; else as encrypt()."},
    {"encrypt_into", as_method(encrypt_into), METH_FASTCALL | METH_KEYWORDS,
     "encrypt_into($self, nonce, data, associated_data, buf, *, threads=1)\n--\n\n"
     "As encrypt(), into a writable buffer of exactly len(data) + tag_length bytes.\n\n"
     "buf may start where data starts, or not overlap it. Returns the bytes written. Raises\n"
     "ValueError for another size or overlap, TypeError for a read-only buf."},
    {"decrypt_into", as_method(decrypt_into), METH_FASTCALL | METH_KEYWORDS,
     "decrypt_into($self, nonce, data, associated_data, buf, *, threads=1)\n--\n\n"
     "As decrypt(), into a writable buffer of exactly len(data) - tag_length bytes.\n\n"
     "After InvalidTag buf holds zeros, in place too: the ciphertext is then gone. Returns the\n"
     "bytes written; raises as encrypt_into()."},
    {"encrypt_many", as_method(gcm_encrypt_many), METH_FASTCALL | METH_KEYWORDS,
     "encrypt_many($self, nonces, messages, associated_data=None, *, threads=None,\n"
     "             allow_repeated_nonces=False)\n--\n\n"
     "encrypt() for each of a sequence of messages: a list of ciphertexts with tags.\n\n"
     "nonces is a sequence, or one buffer of 12 bytes for each message; associated_data is one "
     "for\n"
     "all, or a sequence. threads is how many cores may be used; None is as many as pay.\n"
     "Raises ValueError, naming both, if two nonces are equal; else as encrypt(), naming the\n"
     "item. Nothing is encrypted then."},
    {"decrypt_many", as_method(gcm_decrypt_many), METH_FASTCALL | METH_KEYWORDS,
     "decrypt_many($self, nonces, messages, associated_data=None, *, threads=None,\n"
     "             on_error='raise')\n--\n\n"
     "decrypt() for each of a sequence of messages: a list of plaintexts.\n\n"
     "Raises InvalidTag if a tag is wrong; its .indices says where. With on_error='none' those\n"
     "messages are None in the list, and the others are there."},
    {"encrypt_packed", as_method(gcm_encrypt_packed), METH_FASTCALL | METH_KEYWORDS,
     "encrypt_packed($self, nonces, data, offsets, associated_data=None, *, out=None,\n"
     "               threads=None, nonce_length=12, allow_repeated_nonces=False)\n--\n\n"
     "Encrypt data[offsets[i]:offsets[i + 1]] for every i, as Arrow lays out variable-size binary\n"
     "data: (out, out_offsets), the ciphertexts with their tags in the same layout.\n\n"
     "offsets is any buffer of int32 or int64; the first need not be 0, that of out_offsets is.\n"
     "nonces is one buffer of nonce_length bytes for each message, or a sequence; associated_data\n"
     "is one for all, or (data, offsets). out is a writable buffer of exactly the result's size,\n"
     "which overlaps no input; None makes fresh bytes. Raises ValueError for offsets that run\n"
     "backwards or past the end of data, OverflowError if the result is too large for the width\n"
     "of offsets; else as encrypt_many()."},
    {"decrypt_packed", as_method(gcm_decrypt_packed), METH_FASTCALL | METH_KEYWORDS,
     "decrypt_packed($self, nonces, data, offsets, associated_data=None, *, out=None,\n"
     "               threads=None, nonce_length=12, on_error='raise')\n--\n\n"
     "The reverse of encrypt_packed(): (out, out_offsets).\n\n"
     "Raises InvalidTag if a tag is wrong; its .indices says where, and out holds zeros. With\n"
     "on_error='none' only those messages are zeros, and the result is (out, out_offsets,\n"
     "validity), the last being Arrow's bitmap of the messages that are authentic."},
    {"encryptor", as_method(encryptor), METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "encryptor($self, nonce, associated_data=None)\n--\n\n"
     "A context that encrypts one message in pieces; its tag stands in .tag after finalize()."},
    {"generate_key", as_method(generate_key), METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "generate_key(bit_length)\n--\n\n"
     "A random key of 128, 192 or 256 bits from the operating system."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"tag_length", get_tag_length, nullptr, "Length of the authentication tag in bytes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// An AESGCM over functions that compute nothing; see noop_cng_backend.
PyObject* noop_aesgcm(PyObject* module, PyObject* argument) {
  Input key;
  if (!key.get(argument, "key")) return nullptr;
  if (key.len() != 16 && key.len() != 24 && key.len() != 32) {
    return raise_size("key", "16, 24 or 32 bytes", key.len());
  }
  const Ref type(PyObject_GetAttrString(module, "AESGCM"));
  if (!type) return nullptr;
  Ref self(key_new(reinterpret_cast<PyTypeObject*>(type.get()), nullptr, nullptr));
  if (!self || !key_make(as_key(self.get()), Mode::gcm, noop_cng_backend(), key, 16, false)) {
    return nullptr;
  }
  return self.release();
}

PyMethodDef functions[] = {
    {"_noop_aesgcm", noop_aesgcm, METH_O,
     "_noop_aesgcm(key, /)\n--\n\n"
     "For measurements: an AESGCM whose calls encrypt NOTHING, to price all else of a call."},
    {nullptr, nullptr, 0, nullptr},
};

constexpr KeyTypeInfo kInfo = {
    "cngaes.AESGCM",
    Mode::gcm,
    {"AESGCM", 1, 1, 3, {"key", "tag_length", "backend"}},
    KeyTypeInfo::Option::tag_length,
    false,
};

}  // namespace

bool check_nonce(const Input& nonce) {
  if (nonce.len() > 0) return true;
  raise_size("nonce", "at least 1 byte", 0);
  return false;
}

bool add_gcm_type(PyObject* module, PyObject* base) {
  if (PyModule_AddFunctions(module, functions) != 0) return false;
  return KeyConstructor<kInfo>::add_type(
      module, base, methods, properties,
      "AESGCM(key, *, tag_length=16, backend=None)\n--\n\n"
      "AES in Galois/Counter Mode (SP 800-38D) under a key of 16, 24 or 32 bytes.\n\n"
      "tag_length is 4, 8 or 12 to 16 bytes; SP 800-38D appendix C discourages 4 and 8. Safe to\n"
      "use from many threads at once. Raises ValueError for other sizes, UnsupportedBackend.");
}

}  // namespace cngaes::python
