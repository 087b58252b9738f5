// Timed loops for the benchmark suite: the kernel without any Python around it, and the clock.
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>

#include "buffers.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/bytes.hpp"
#include "cngaes/cng.hpp"
#include "cngaes/registry.hpp"
#include "cngaes/secure_memory.hpp"
#include "key_object.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One whole operation of the timed loop, as the arguments of _time_loop describe it.
struct Operation {
  const Backend* backend = nullptr;
  bool hashes = false;
  Mode mode = Mode::ecb;
  Direction direction = Direction::encrypt;
  const Input* key = nullptr;
  const Input* iv = nullptr;
  const Input* data = nullptr;
  const Output* buf = nullptr;

  Status make_key(std::unique_ptr<CipherKey>* out_key) const noexcept {
    return backend->make_key(mode, key->data(), key->len(), out_key);
  }

  Status run(const CipherKey* cipher) const noexcept {
    std::uint8_t* const out = buf->data();
    const std::uint8_t* const in = data->data();
    const std::size_t len = data->len();
    if (hashes) return backend->sha256(out, in, len);
    std::uint8_t block[16] = {};
    switch (mode) {
      case Mode::ecb:
        return cipher->ecb(direction, out, in, len);
      case Mode::cbc:
        std::memcpy(block, iv->data(), sizeof block);
        return cipher->cbc(direction, block, out, in, len);
      case Mode::ctr:
        std::memcpy(block, iv->data(), sizeof block);
        return cipher->ctr(block, out, in, len);
      case Mode::gcm:
        break;
    }
    const GcmMessage message = {iv->data(), iv->len(), block, 0, 16};
    return direction == Direction::encrypt
               ? cipher->gcm_seal(message, out, out + len, in, len)
               : cipher->gcm_open(message, out, in, len - 16, in + len - 16);
  }
};

bool parse_mode(PyObject* argument, Operation* operation) {
  constexpr struct {
    const char* name;
    Mode mode;
  } kModes[] = {{"ecb", Mode::ecb}, {"cbc", Mode::cbc}, {"ctr", Mode::ctr}, {"gcm", Mode::gcm}};
  const char* name = PyUnicode_AsUTF8(argument);
  if (name == nullptr) return false;
  if (std::string_view(name) == "sha256") {
    operation->hashes = true;
    return true;
  }
  for (const auto& known : kModes) {
    if (std::string_view(name) == known.name) {
      operation->mode = known.mode;
      return true;
    }
  }
  PyErr_Format(PyExc_ValueError, "mode must be ecb, cbc, ctr, gcm or sha256, got %R", argument);
  return false;
}

bool parse_direction(PyObject* argument, Operation* operation) {
  const char* name = PyUnicode_AsUTF8(argument);
  if (name == nullptr) return false;
  if (std::string_view(name) == (operation->hashes ? "hash" : "encrypt")) return true;
  if (!operation->hashes && std::string_view(name) == "decrypt") {
    operation->direction = Direction::decrypt;
    return true;
  }
  PyErr_Format(PyExc_ValueError, "direction must be %s, got %R",
               operation->hashes ? "hash" : "encrypt or decrypt", argument);
  return false;
}

// Everything that Operation::run relies on.
bool check_shapes(const Operation& o) {
  const std::size_t len = o.data->len();
  if (o.hashes) {
    if (o.buf->len() >= 32) return true;
    raise_size("buf", "at least 32 bytes", o.buf->len());
    return false;
  }
  if (o.key->len() != 16 && o.key->len() != 24 && o.key->len() != 32) {
    raise_size("key", "16, 24 or 32 bytes", o.key->len());
    return false;
  }
  if ((o.mode == Mode::cbc || o.mode == Mode::ctr) && !check_exact_size("iv", 16, o.iv->len())) {
    return false;
  }
  if ((o.mode == Mode::cbc || o.mode == Mode::ecb) && len % 16 != 0) {
    raise_size("data", "a multiple of 16 bytes", len);
    return false;
  }
  if (o.mode != Mode::gcm) return check_exact_size("buf", len, o.buf->len());
  if (o.iv->len() == 0) {
    raise_size("iv", "at least 1 byte", 0);
    return false;
  }
  if (o.direction == Direction::encrypt) return check_exact_size("buf", len + 16, o.buf->len());
  if (len < 16) {
    raise_size("data", "at least a tag of 16 bytes", len);
    return false;
  }
  return check_exact_size("buf", len - 16, o.buf->len());
}

// CPython's clock has its own cost; here it is read twice for the whole loop.
Status timed(const Operation& operation, std::int64_t loops, bool per_call_key,
             std::int64_t* out_ns) noexcept {
  std::unique_ptr<CipherKey> cipher;
  if (!operation.hashes && !per_call_key) {
    const Status status = operation.make_key(&cipher);
    if (!status.ok()) return status;
  }
  Status status = kOk;
  const std::int64_t start = now_ns();
  for (std::int64_t i = 0; i < loops && status.ok(); ++i) {
    if (per_call_key && !operation.hashes) {
      status = operation.make_key(&cipher);
      if (!status.ok()) break;
    }
    status = operation.run(cipher.get());
  }
  *out_ns = now_ns() - start;
  return status;
}

bool loops_from(PyObject* argument, const char* name, std::int64_t* out_loops) {
  if (!int_from(argument, name, out_loops)) return false;
  if (*out_loops >= 1) return true;
  PyErr_Format(PyExc_ValueError, "%s must be at least 1, got %R", name, argument);
  return false;
}

PyObject* time_loop(PyObject*, PyObject* args) {
  PyObject* mode = nullptr;
  PyObject* direction = nullptr;
  PyObject* key_object = nullptr;
  PyObject* iv_object = nullptr;
  PyObject* data_object = nullptr;
  PyObject* buf_object = nullptr;
  PyObject* loops_object = nullptr;
  PyObject* backend_object = nullptr;
  int per_call_key = 0;
  if (PyArg_ParseTuple(args, "UUOOOOO|pO:_time_loop", &mode, &direction, &key_object, &iv_object,
                       &data_object, &buf_object, &loops_object, &per_call_key,
                       &backend_object) == 0) {
    return nullptr;
  }
  Input key;
  Input iv;
  Input data;
  Output buf;
  std::int64_t loops = 0;
  Operation operation;
  operation.backend = &cpu_backend();
  if (backend_object != nullptr) {
    // Measurements may have the backend that computes nothing; nobody else can name it.
    const bool noop = PyUnicode_Check(backend_object) &&
                      PyUnicode_CompareWithASCIIString(backend_object, "cng-noop") == 0;
    operation.backend = noop ? &noop_cng_backend() : backend_from(backend_object);
    if (operation.backend == nullptr) return nullptr;
  }
  operation.key = &key;
  operation.iv = &iv;
  operation.data = &data;
  operation.buf = &buf;
  if (!parse_mode(mode, &operation) || !parse_direction(direction, &operation) ||
      !key.get(key_object, "key") || !iv.get(iv_object, "iv") || !data.get(data_object, "data") ||
      !buf.get(buf_object, "buf") || !check_shapes(operation) ||
      !check_overlap(buf, data, "data", InPlace::yes) ||
      !loops_from(loops_object, "loops", &loops)) {
    return nullptr;
  }
  std::int64_t ns = 0;
  const Status status = run_released(
      kReleaseGilFrom, [&] { return timed(operation, loops, per_call_key != 0, &ns); });
  if (!status.ok()) return raise_choice(status);
  return PyLong_FromLongLong(ns);
}

// FIPS 180-4 section 5.3.3.
constexpr std::uint32_t kSha256Start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// CBC encryption or SHA-256 of `streams` messages that share the data evenly, by the kernel's slot
// for messages in step.
class Streams {
 public:
  bool get(PyObject* args) {
    PyObject* mode = nullptr;
    PyObject* key = nullptr;
    PyObject* data = nullptr;
    PyObject* buf = nullptr;
    PyObject* streams = nullptr;
    PyObject* loops = nullptr;
    if (PyArg_ParseTuple(args, "UOOOOO:_time_streams", &mode, &key, &data, &buf, &streams,
                         &loops) == 0 ||
        !parse_mode(mode, &operation_) || !key_.get(key, "key") || !data_.get(data, "data") ||
        !buf_.get(buf, "buf") || !check_overlap(buf_, data_, "data", InPlace::yes) ||
        !int_from(streams, "streams", &streams_) || !loops_from(loops, "loops", &loops_)) {
      return false;
    }
    if (!operation_.hashes && operation_.mode != Mode::cbc) {
      PyErr_SetString(PyExc_ValueError, "mode must be cbc or sha256");
      return false;
    }
    if (!operation_.hashes && key_.len() != 16 && key_.len() != 24 && key_.len() != 32) {
      raise_size("key", "16, 24 or 32 bytes", key_.len());
      return false;
    }
    if (streams_ < 1 || streams_ > kMost) {
      PyErr_Format(PyExc_ValueError, "streams must be 1 to %d, got %R", kMost, streams);
      return false;
    }
    const std::size_t block = operation_.hashes ? kSha256BlockBytes : kAesBlockBytes;
    const std::size_t unit = block * static_cast<std::size_t>(streams_);
    if (data_.len() == 0 || data_.len() % unit != 0) {
      raise_size("data", "a multiple of the block for each stream", data_.len());
      return false;
    }
    each_ = data_.len() / static_cast<std::size_t>(streams_);
    operation_.key = &key_;
    return operation_.hashes
               ? check_exact_size("buf", 32 * static_cast<std::size_t>(streams_), buf_.len())
               : check_exact_size("buf", data_.len(), buf_.len());
  }

  // The digests are without padding: what compress leaves, big-endian.
  Status time(std::int64_t* out_ns) const {
    return operation_.hashes ? time_sha256(out_ns) : time_cbc(out_ns);
  }

 private:
  static constexpr int kMost = 64;

  Status time_cbc(std::int64_t* out_ns) const {
    const AesChoice* choice = nullptr;
    if (const Status status = choose_aes(&choice); !status.ok()) return status;
    AesKey key;
    choice->fn.expand_key(&key, key_.data(), key_.len());
    const std::int64_t start = now_ns();
    for (std::int64_t i = 0; i < loops_; ++i) {
      CbcStream streams[kMost];
      for (std::int64_t s = 0; s < streams_; ++s) {
        const std::size_t at = each_ * static_cast<std::size_t>(s);
        streams[s] = {buf_.data() + at, data_.data() + at, each_ / kAesBlockBytes, {}};
      }
      choice->fn.cbc_encrypt_streams(&key, streams, static_cast<std::size_t>(streams_));
    }
    *out_ns = now_ns() - start;
    secure_wipe(&key, sizeof key);
    return kOk;
  }

  Status time_sha256(std::int64_t* out_ns) const {
    const Sha256Choice* choice = nullptr;
    if (const Status status = choose_sha256(&choice); !status.ok()) return status;
    std::uint32_t states[kMost][8] = {};
    const std::uint8_t* data[kMost];
    const std::int64_t start = now_ns();
    for (std::int64_t i = 0; i < loops_; ++i) {
      for (std::int64_t s = 0; s < streams_; ++s) {
        std::memcpy(states[s], kSha256Start, sizeof kSha256Start);
        data[s] = data_.data() + each_ * static_cast<std::size_t>(s);
      }
      choice->fn.compress_streams(states, data, static_cast<std::size_t>(streams_),
                                  each_ / kSha256BlockBytes);
    }
    *out_ns = now_ns() - start;
    for (std::int64_t s = 0; s < streams_; ++s) {
      for (std::int64_t j = 0; j < 8; ++j) {
        store_be32(buf_.data() + 32 * s + 4 * j, states[s][j]);
      }
    }
    return kOk;
  }

  Operation operation_;
  Input key_;
  Input data_;
  Output buf_;
  std::int64_t streams_ = 0;
  std::int64_t loops_ = 0;
  std::size_t each_ = 0;
};

PyObject* time_streams(PyObject*, PyObject* args) {
  Streams streams;
  if (!streams.get(args)) return nullptr;
  std::int64_t ns = 0;
  const Status status = run_released(kReleaseGilFrom, [&] { return streams.time(&ns); });
  return status.ok() ? PyLong_FromLongLong(ns) : raise_choice(status);
}

PyObject* clock_loop(PyObject*, PyObject* argument) {
  std::int64_t adds = 0;
  if (!loops_from(argument, "adds", &adds)) return nullptr;
  constexpr int kAddsPerTurn = 16;
  const std::int64_t ns = run_released(kReleaseGilFrom, [&] {
    const std::int64_t turns = (adds + kAddsPerTurn - 1) / kAddsPerTurn;
    const std::int64_t start = now_ns();
    std::uint64_t sum = 1;
#if defined(__x86_64__) || defined(__aarch64__)
    std::uint64_t one = 1;
    __asm__ volatile("" : "+r"(one));
#endif
    for (std::int64_t i = 0; i < turns; ++i) {
      for (int j = 0; j < kAddsPerTurn; ++j) {
        // Opaque to the compiler, one clock each: every add waits for the one before. Both operands
        // are registers, because Intel's cores since Golden Cove add constants while renaming, in
        // no time: a clock of 3 GHz then looked like 6 to 10.
#if defined(__x86_64__)
        __asm__ volatile("add %1, %0" : "+r"(sum) : "r"(one));
#elif defined(__aarch64__)
        __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(one));
#else
        volatile std::uint64_t opaque = sum + 1;
        sum = opaque;
#endif
      }
    }
    return now_ns() - start;
  });
  return PyLong_FromLongLong(ns);
}

PyMethodDef functions[] = {
    {"_time_loop", time_loop, METH_VARARGS,
     "_time_loop(mode, direction, key, iv, data, buf, loops, per_call_key=False, "
     "backend='cpu')\n--\n\n"
     "Nanoseconds that `loops` whole operations take in C++, the GIL released.\n\n"
     "mode: 'ecb', 'cbc', 'ctr', 'gcm' or 'sha256'; direction: 'encrypt', 'decrypt' or 'hash'."},
    {"_time_streams", time_streams, METH_VARARGS,
     "_time_streams(mode, key, data, buf, streams, loops)\n--\n\n"
     "Nanoseconds of `loops` times CBC encryption ('cbc', IVs of zeros) or SHA-256 ('sha256', "
     "without "
     "padding) of data cut into so many messages in step."},
    {"_clock_loop", clock_loop, METH_O,
     "_clock_loop(adds, /)\n--\n\n"
     "Nanoseconds that so many dependent additions take, one clock each, rounded up to 16."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_timing_functions(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace cngaes::python
