// Timed loops for the benchmark suite: the kernel without any Python around it, and the clock.
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>

#include "buffers.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/cng.hpp"
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
