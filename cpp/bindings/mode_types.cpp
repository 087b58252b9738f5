// AESCBC, AESECB and AESCTR.
#include <cstring>
#include <limits>

#include "batch_out.hpp"
#include "buffers.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/split.hpp"
#include "context_types.hpp"
#include "key_object.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

// An IV or initial counter block (SP 800-38A sections 6.2 and 6.5).
bool get_block(Input& input, PyObject* object, const char* name) {
  return input.get(object, name) && check_exact_size(name, 16, input.len());
}

bool check_whole_blocks(const Input& data) {
  if (data.len() % 16 == 0) return true;
  raise_size("data", "a multiple of 16 bytes", data.len());
  return false;
}

// ---- CBC and ECB: the same calls, with and without an IV in front -------------------------------

template <Mode kMode>
struct BlockCipher {
  static constexpr bool kHasIv = kMode == Mode::cbc;
  static constexpr int kData = kHasIv ? 1 : 0;
  static constexpr int kBuf = kData + 1;
  // CBC encryption is one chain: it has no threads to ask for.
  template <Direction kDirection>
  static constexpr bool kSplits = kMode == Mode::ecb || kDirection == Direction::decrypt;

  template <Direction kDirection>
  static PyObject* one_shot(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                            PyObject* keyword_names) {
    constexpr Signature signature = make_signature(kDirection, false);
    KeyObject* const self = as_key(object);
    PyObject* values[4];
    Input iv;
    Input data;
    unsigned threads = 1;
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get(self, kDirection, values, iv, data) ||
        (kSplits<kDirection> && !one_shot_threads(values[kBuf], &threads))) {
      return nullptr;
    }
    std::size_t len = output_size(self, kDirection, data.len());
    PyObject* out = new_bytes(len);
    if (out == nullptr) return nullptr;
    if (!run(self, kDirection, iv, data, bytes_data(out), &len, threads)) {
      Py_DECREF(out);
      return nullptr;
    }
    if (len != static_cast<std::size_t>(PyBytes_GET_SIZE(out))) {
      _PyBytes_Resize(&out, static_cast<Py_ssize_t>(len));
    }
    return out;
  }

  template <Direction kDirection>
  static PyObject* into(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                        PyObject* keyword_names) {
    constexpr Signature signature = make_signature(kDirection, true);
    KeyObject* const self = as_key(object);
    PyObject* values[4];
    Input iv;
    Input data;
    Output buf;
    unsigned threads = 1;
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get(self, kDirection, values, iv, data) || !buf.get(values[kBuf], "buf") ||
        !check_exact_size("buf", output_size(self, kDirection, data.len()), buf.len()) ||
        !check_overlap(buf, data, "data", InPlace::yes) ||
        !check_overlap(buf, iv, "iv", InPlace::no) ||
        (kSplits<kDirection> && !one_shot_threads(values[kBuf + 1], &threads))) {
      return nullptr;
    }
    std::size_t len = buf.len();
    if (!run(self, kDirection, iv, data, buf.data(), &len, threads)) return nullptr;
    return PyLong_FromSize_t(len);
  }

  template <Direction kDirection>
  static PyObject* context(PyObject* object, PyTypeObject* defining_class, PyObject* const* args,
                           Py_ssize_t num_args, PyObject* keyword_names) {
    constexpr Signature signature = {
        kDirection == Direction::encrypt ? "AESCBC.encryptor" : "AESCBC.decryptor",
        1,
        1,
        1,
        {"iv"}};
    KeyObject* const self = as_key(object);
    PyObject* values[1];
    Input iv;
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get_block(iv, values[0], "iv")) {
      return nullptr;
    }
    struct Arguments {
      bool padded;
      const std::uint8_t* iv;
    };
    const Arguments arguments = {self->padded, iv.data()};
    return new_context(
        PyType_GetModule(defining_class), self,
        [](const CipherKey& key, const void* pointer) {
          const auto* a = static_cast<const Arguments*>(pointer);
          return make_cbc_context(key, kDirection, a->padded, a->iv);
        },
        &arguments);
  }

 private:
  static constexpr Signature make_signature(Direction direction, bool into) {
    const bool encrypt = direction == Direction::encrypt;
    const int n = kBuf + (into ? 1 : 0);
    if (kHasIv) {
      const char* name = into ? (encrypt ? "AESCBC.encrypt_into" : "AESCBC.decrypt_into")
                              : (encrypt ? "AESCBC.encrypt" : "AESCBC.decrypt");
      const int total = encrypt ? n : n + 1;
      if (into) return {name, n, n, total, {"iv", "data", "buf", "threads"}};
      return {name, n, n, total, {"iv", "data", "threads"}};
    }
    if (into) {
      const char* name = encrypt ? "AESECB.encrypt_into" : "AESECB.decrypt_into";
      return {name, n, n, n + 1, {"data", "buf", "threads"}};
    }
    return {encrypt ? "AESECB.encrypt" : "AESECB.decrypt", n, n, n + 1, {"data", "threads"}};
  }

  static bool get(const KeyObject* self, Direction direction, PyObject* const* values, Input& iv,
                  Input& data) {
    if (kHasIv && !get_block(iv, values[0], "iv")) return false;
    if (!data.get(values[kData], "data")) return false;
    const bool any_length = self->padded && direction == Direction::encrypt;
    return any_length || check_whole_blocks(data);
  }

  // Decrypting, room for everything: padding is known afterwards.
  static std::size_t output_size(const KeyObject* self, Direction direction, std::size_t len) {
    return encrypted_size(self->padded && direction == Direction::encrypt, len);
  }

  static bool run(KeyObject* self, Direction direction, const Input& iv, const Input& data,
                  std::uint8_t* out, std::size_t* len, unsigned threads) {
    return with_key(self, data.len(), [&](const CipherKey& key) {
      BlockMessage message = {key, kMode, self->padded, {}, threads};
      if (kHasIv) std::memcpy(message.iv, iv.data(), sizeof message.iv);
      if (direction == Direction::encrypt) {
        return encrypt_message(message, out, data.data(), data.len());
      }
      return decrypt_message(message, out, data.data(), data.len(), len);
    });
  }
};

// ---- many messages ------------------------------------------------------------------------------

constexpr Signature kCbcMany = {"AESCBC.encrypt_many", 2, 2, 3, {"ivs", "messages", "threads"}};
PyObject* cbc_encrypt_many(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names) {
  KeyObject* const self = as_key(object);
  PyObject* values[3];
  InputList messages;
  EqualInputs ivs;
  unsigned threads = 0;
  BytesList out;
  if (!check_made(self) || !parse_arguments(kCbcMany, args, num_args, keyword_names, values) ||
      !messages.get(values[1], "messages") || !ivs.get(values[0], "ivs", 16, messages.count()) ||
      !threads_from(values[2], &threads)) {
    return nullptr;
  }
  const std::size_t count = messages.count();
  for (std::size_t i = 0; i < count; ++i) {
    if (ivs[i].len != 16) {
      return raise_size(ItemName("ivs", i).text, "16 bytes", ivs[i].len);
    }
    if (self->padded || messages[i].len % 16 == 0) continue;
    return raise_size(ItemName("messages", i).text, "a multiple of 16 bytes", messages[i].len);
  }
  if (!out.make(count,
                [&](std::size_t i) { return encrypted_size(self->padded, messages[i].len); }) ||
      !with_key(self, batch_work(messages.total(), count), [&](const CipherKey& key) {
        return cbc_encrypt_batch(key, {ivs.list(), messages.list(), out.list(), self->padded},
                                 count, threads);
      })) {
    return nullptr;
  }
  return out.release();
}

using Cbc = BlockCipher<Mode::cbc>;
using Ecb = BlockCipher<Mode::ecb>;
constexpr Direction kEnc = Direction::encrypt;
constexpr Direction kDec = Direction::decrypt;
constexpr int kFast = METH_FASTCALL | METH_KEYWORDS;

PyMethodDef cbc_methods[] = {
    {"encrypt", as_method(Cbc::one_shot<kEnc>), kFast,
     "encrypt($self, iv, data)\n--\n\n"
     "Encrypt data (SP 800-38A section 6.2) under a 16-byte unpredictable IV.\n\n"
     "Raises ValueError for another IV size or, without padding, data that is not whole blocks;\n"
     "TypeError or BufferError for arguments that are no buffers."},
    {"decrypt", as_method(Cbc::one_shot<kDec>), kFast,
     "decrypt($self, iv, data, *, threads=1)\n--\n\n"
     "Decrypt data, whole blocks of 16 bytes. CBC does not authenticate.\n\n"
     "threads is how many cores may work on it; None is as many as pay for data of that size.\n"
     "Raises InvalidPadding, one text for every fault; else as encrypt()."},
    {"encrypt_into", as_method(Cbc::into<kEnc>), kFast,
     "encrypt_into($self, iv, data, buf)\n--\n\n"
     "As encrypt(), into a writable buffer of exactly the result's size; returns that size.\n\n"
     "buf may start where data starts, or not overlap it; ValueError otherwise. TypeError for a\n"
     "read-only buf."},
    {"decrypt_into", as_method(Cbc::into<kDec>), kFast,
     "decrypt_into($self, iv, data, buf, *, threads=1)\n--\n\n"
     "As decrypt(), into a writable buffer of len(data) bytes; returns the message's length.\n\n"
     "The rest of buf is zeros, all of it after InvalidPadding. Raises as encrypt_into()."},
    {"encrypt_many", as_method(cbc_encrypt_many), kFast,
     "encrypt_many($self, ivs, messages, *, threads=None)\n--\n\n"
     "encrypt() for each of a sequence of messages, several in step: a list of ciphertexts.\n\n"
     "ivs is a sequence, or one buffer of 16 bytes for each message. threads is how many cores\n"
     "may be used; None is as many as pay. Raises as encrypt(), naming the item; nothing is\n"
     "encrypted then."},
    {"encryptor", as_method(Cbc::context<kEnc>), METH_METHOD | kFast,
     "encryptor($self, iv)\n--\n\nA context that encrypts one message in pieces."},
    {"decryptor", as_method(Cbc::context<kDec>), METH_METHOD | kFast,
     "decryptor($self, iv)\n--\n\nA context that decrypts one message in pieces."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef ecb_methods[] = {
    {"encrypt", as_method(Ecb::one_shot<kEnc>), kFast,
     "encrypt($self, data, *, threads=1)\n--\n\n"
     "Encrypt each block of 16 bytes by itself (SP 800-38A section 6.1).\n\n"
     "threads is how many cores may work on it; None is as many as pay for data of that size.\n"
     "Raises ValueError, without padding, for data that is not whole blocks; TypeError or\n"
     "BufferError for arguments that are no buffers."},
    {"decrypt", as_method(Ecb::one_shot<kDec>), kFast,
     "decrypt($self, data, *, threads=1)\n--\n\n"
     "Decrypt whole blocks of 16 bytes. Raises InvalidPadding; else as encrypt()."},
    {"encrypt_into", as_method(Ecb::into<kEnc>), kFast,
     "encrypt_into($self, data, buf, *, threads=1)\n--\n\n"
     "As encrypt(), into a writable buffer of exactly the result's size; returns that size.\n\n"
     "buf may start where data starts, or not overlap it; ValueError otherwise. TypeError for a\n"
     "read-only buf."},
    {"decrypt_into", as_method(Ecb::into<kDec>), kFast,
     "decrypt_into($self, data, buf, *, threads=1)\n--\n\n"
     "As decrypt(), into a writable buffer of len(data) bytes; returns the message's length.\n\n"
     "The rest of buf is zeros, all of it after InvalidPadding. Raises as encrypt_into()."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- CTR: both directions are one ---------------------------------------------------------------

bool offset_from(PyObject* argument, std::uint64_t* out_offset) {
  *out_offset = 0;
  if (argument == nullptr) return true;
  std::int64_t value = 0;
  if (!int_from(argument, "offset", &value)) return false;
  if (value < 0) {
    PyErr_Format(PyExc_ValueError, "offset must be at least 0, got %R", argument);
    return false;
  }
  if (value == std::numeric_limits<std::int64_t>::max()) {
    PyErr_Format(PyExc_OverflowError, "offset must be below 2**63-1 bytes, got %R", argument);
    return false;
  }
  *out_offset = static_cast<std::uint64_t>(value);
  return true;
}

template <Direction kDirection>
struct Ctr {
  static constexpr bool kEncrypts = kDirection == Direction::encrypt;

  static PyObject* one_shot(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                            PyObject* keyword_names) {
    constexpr Signature signature = {kEncrypts ? "AESCTR.encrypt" : "AESCTR.decrypt",
                                     2,
                                     2,
                                     4,
                                     {"counter", "data", "offset", "threads"}};
    KeyObject* const self = as_key(object);
    PyObject* values[4];
    Input counter;
    Input data;
    std::uint64_t offset = 0;
    unsigned threads = 1;
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get_block(counter, values[0], "counter") || !data.get(values[1], "data") ||
        !offset_from(values[2], &offset) || !one_shot_threads(values[3], &threads)) {
      return nullptr;
    }
    Ref out(new_bytes(data.len()));
    if (!out || !run(self, counter, offset, data, bytes_data(out.get()), threads)) return nullptr;
    return out.release();
  }

  static PyObject* into(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                        PyObject* keyword_names) {
    constexpr Signature signature = {kEncrypts ? "AESCTR.encrypt_into" : "AESCTR.decrypt_into",
                                     3,
                                     3,
                                     5,
                                     {"counter", "data", "buf", "offset", "threads"}};
    KeyObject* const self = as_key(object);
    PyObject* values[5];
    Input counter;
    Input data;
    Output buf;
    std::uint64_t offset = 0;
    unsigned threads = 1;
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get_block(counter, values[0], "counter") || !data.get(values[1], "data") ||
        !offset_from(values[3], &offset) || !one_shot_threads(values[4], &threads) ||
        !buf.get(values[2], "buf") || !check_exact_size("buf", data.len(), buf.len()) ||
        !check_overlap(buf, data, "data", InPlace::yes) ||
        !check_overlap(buf, counter, "counter", InPlace::no) ||
        !run(self, counter, offset, data, buf.data(), threads)) {
      return nullptr;
    }
    return PyLong_FromSize_t(buf.len());
  }

  static PyObject* context(PyObject* object, PyTypeObject* defining_class, PyObject* const* args,
                           Py_ssize_t num_args, PyObject* keyword_names) {
    constexpr Signature signature = {
        kEncrypts ? "AESCTR.encryptor" : "AESCTR.decryptor", 1, 1, 2, {"counter", "offset"}};
    KeyObject* const self = as_key(object);
    PyObject* values[2];
    Input counter;
    struct Arguments {
      const std::uint8_t* counter;
      std::uint64_t offset;
    } arguments = {};
    if (!check_made(self) || !parse_arguments(signature, args, num_args, keyword_names, values) ||
        !get_block(counter, values[0], "counter") || !offset_from(values[1], &arguments.offset)) {
      return nullptr;
    }
    arguments.counter = counter.data();
    return new_context(
        PyType_GetModule(defining_class), self,
        [](const CipherKey& key, const void* pointer) {
          const auto* a = static_cast<const Arguments*>(pointer);
          return make_ctr_context(key, a->counter, a->offset);
        },
        &arguments);
  }

 private:
  static bool run(KeyObject* self, const Input& counter, std::uint64_t offset, const Input& data,
                  std::uint8_t* out, unsigned threads) {
    return with_key(self, data.len(), [&](const CipherKey& key) {
      return ctr_message(key, counter.data(), offset, out, data.data(), data.len(), threads);
    });
  }
};

#define CNGAES_CTR_DOC(name)                                                                      \
  name "($self, counter, data, *, offset=0, threads=1)\n--\n\n"                                   \
       "Encrypt or decrypt, which is the same, data of any length (SP 800-38A section 6.5).\n\n"  \
       "counter is the initial counter block, 16 bytes, counted big-endian modulo 2**128, and\n"  \
       "must never repeat under one key. offset skips that many bytes of keystream. threads is\n" \
       "how many cores may work on it; None is as many as pay for data of that size. Raises\n"    \
       "ValueError for another counter size, TypeError or BufferError for arguments that are\n"   \
       "no buffers."
#define CNGAES_CTR_INTO_DOC(name)                                                              \
  name "($self, counter, data, buf, *, offset=0, threads=1)\n--\n\n"                           \
       "The same into a writable buffer of exactly len(data) bytes; returns that size.\n\n"    \
       "buf may start where data starts, or not overlap it; ValueError otherwise. TypeError\n" \
       "for a read-only buf."
#define CNGAES_CTR_CONTEXT_DOC(name) \
  name "($self, counter, *, offset=0)\n--\n\nA context that takes one message in pieces."

PyMethodDef ctr_methods[] = {
    {"encrypt", as_method(Ctr<kEnc>::one_shot), kFast, CNGAES_CTR_DOC("encrypt")},
    {"decrypt", as_method(Ctr<kDec>::one_shot), kFast, CNGAES_CTR_DOC("decrypt")},
    {"encrypt_into", as_method(Ctr<kEnc>::into), kFast, CNGAES_CTR_INTO_DOC("encrypt_into")},
    {"decrypt_into", as_method(Ctr<kDec>::into), kFast, CNGAES_CTR_INTO_DOC("decrypt_into")},
    {"encryptor", as_method(Ctr<kEnc>::context), METH_METHOD | kFast,
     CNGAES_CTR_CONTEXT_DOC("encryptor")},
    {"decryptor", as_method(Ctr<kDec>::context), METH_METHOD | kFast,
     CNGAES_CTR_CONTEXT_DOC("decryptor")},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef no_properties[] = {{nullptr, nullptr, nullptr, nullptr, nullptr}};

using Option = KeyTypeInfo::Option;
constexpr KeyTypeInfo kCbcInfo = {"cngaes.AESCBC",
                                  Mode::cbc,
                                  {"AESCBC", 1, 1, 3, {"key", "padding", "backend"}},
                                  Option::padding,
                                  true};
constexpr KeyTypeInfo kEcbInfo = {"cngaes.AESECB",
                                  Mode::ecb,
                                  {"AESECB", 1, 1, 3, {"key", "padding", "backend"}},
                                  Option::padding,
                                  false};
constexpr KeyTypeInfo kCtrInfo = {
    "cngaes.AESCTR", Mode::ctr, {"AESCTR", 1, 1, 2, {"key", "backend"}}, Option::none, false};

}  // namespace

bool add_mode_types(PyObject* module, PyObject* base) {
  return KeyConstructor<kCbcInfo>::add_type(
             module, base, cbc_methods, no_properties,
             "AESCBC(key, *, padding='pkcs7', backend=None)\n--\n\n"
             "AES in Cipher Block Chaining mode (SP 800-38A section 6.2), key of 16, 24 or 32\n"
             "bytes, with PKCS#7 padding (RFC 5652 section 6.3) or none. Safe to use from many\n"
             "threads at once. Raises ValueError for other sizes, UnsupportedBackend.") &&
         KeyConstructor<kEcbInfo>::add_type(
             module, base, ecb_methods, no_properties,
             "AESECB(key, *, padding=None, backend=None)\n--\n\n"
             "AES block by block (SP 800-38A section 6.1), key of 16, 24 or 32 bytes: equal\n"
             "blocks give equal ciphertext, so it is a part to build with, not a way to encrypt\n"
             "messages. Raises ValueError for other sizes, UnsupportedBackend.") &&
         KeyConstructor<kCtrInfo>::add_type(
             module, base, ctr_methods, no_properties,
             "AESCTR(key, *, backend=None)\n--\n\n"
             "AES in Counter mode (SP 800-38A section 6.5), key of 16, 24 or 32 bytes, 128-bit\n"
             "big-endian counter. Safe to use from many threads at once. Raises ValueError for\n"
             "other sizes, UnsupportedBackend.");
}

}  // namespace cngaes::python
