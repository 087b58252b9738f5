// The backend `cng-ctypes`: everything of `cng`, but each function of bcrypt.dll is called by
// Python's ctypes (src/cngaes/_bcrypt_ctypes.py). ctypes gives up the GIL around the foreign
// function; here it is held just long enough to get there.
#include <atomic>
#include <new>
#include <type_traits>

#include "../cng/backend_cng.hpp"
#include "cngaes/cng.hpp"
#include "ctypes_backend.hpp"
#include "python.hpp"

namespace cngaes::python {
namespace {

using cng::Bcrypt;
using cng::NtStatus;
using cng::Ulong;

constexpr std::size_t kNumFunctions = 14;  // in the order of Bcrypt
PyObject* g_functions[kNumFunctions];      // of the main interpreter; never released
std::atomic<bool> g_loaded{false};

bool is_finalizing() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// The GIL, and whatever exception was pending set aside.
class WithPython {
 public:
  WithPython() noexcept : gil_(PyGILState_Ensure()) { PyErr_Fetch(&type_, &value_, &traceback_); }
  WithPython(const WithPython&) = delete;
  WithPython& operator=(const WithPython&) = delete;
  ~WithPython() {
    PyErr_Restore(type_, value_, traceback_);
    PyGILState_Release(gil_);
  }

 private:
  PyGILState_STATE gil_;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

template <class T>
PyObject* to_python(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return PyLong_FromVoidPtr(const_cast<void*>(static_cast<const void*>(value)));
  } else {
    return PyLong_FromUnsignedLong(value);
  }
}

// One entry of the table: the function at that index, its arguments as integers.
template <std::size_t kIndex, class... Args>
NtStatus CNGAES_BCRYPT_CALL call(Args... args) {
  constexpr auto kFailed = static_cast<NtStatus>(cng::nt::kUnsuccessful);
  // What is freed as late as that, the process frees.
  if (is_finalizing()) return kFailed;
  const WithPython python;
  const Ref values[] = {Ref(to_python(args))...};
  PyObject* borrowed[sizeof...(Args)];
  for (std::size_t i = 0; i < sizeof...(Args); ++i) {
    if (!values[i]) return static_cast<NtStatus>(cng::nt::kNoMemory);
    borrowed[i] = values[i].get();
  }
  const Ref result(PyObject_Vectorcall(g_functions[kIndex], borrowed, sizeof...(Args), nullptr));
  const long status = result ? PyLong_AsLong(result.get()) : -1;
  if (PyErr_Occurred() != nullptr) {
    PyErr_WriteUnraisable(g_functions[kIndex]);
    return kFailed;
  }
  return static_cast<NtStatus>(status);
}

template <std::size_t kIndex, class... Args>
void set_entry(NtStatus(CNGAES_BCRYPT_CALL** entry)(Args...)) {
  *entry = call<kIndex, Args...>;
}

const Bcrypt& table() {
  static const Bcrypt made = [] {
    Bcrypt api = {};
    set_entry<0>(&api.open_provider);
    set_entry<1>(&api.close_provider);
    set_entry<2>(&api.set_property);
    set_entry<3>(&api.import_key);
    set_entry<4>(&api.duplicate_key);
    set_entry<5>(&api.destroy_key);
    set_entry<6>(&api.encrypt);
    set_entry<7>(&api.decrypt);
    set_entry<8>(&api.hash);
    set_entry<9>(&api.create_hash);
    set_entry<10>(&api.hash_data);
    set_entry<11>(&api.finish_hash);
    set_entry<12>(&api.duplicate_hash);
    set_entry<13>(&api.destroy_hash);
    api.repeated_iv_continues = wine_version()[0] != '\0';
    return api;
  }();
  return made;
}

Status load() noexcept {
  const WithPython python;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    return fail(StatusCode::unsupported, "backend 'cng-ctypes' works in the main interpreter only");
  }
  if (g_loaded.load(std::memory_order_acquire)) return kOk;
  constexpr Status kFailed =
      fail(StatusCode::unsupported, "backend 'cng-ctypes': cngaes._bcrypt_ctypes cannot be loaded");
  const Ref module(PyImport_ImportModule("cngaes._bcrypt_ctypes"));
  const Ref functions(module ? PyObject_CallMethod(module.get(), "functions", nullptr) : nullptr);
  if (!functions || PyTuple_Check(functions.get()) == 0 ||
      PyTuple_GET_SIZE(functions.get()) != static_cast<Py_ssize_t>(kNumFunctions)) {
    PyErr_Clear();
    return kFailed;
  }
  // Two threads may come here at once: both have the same functions.
  for (std::size_t i = 0; i < kNumFunctions; ++i) {
    g_functions[i] = Py_NewRef(PyTuple_GET_ITEM(functions.get(), static_cast<Py_ssize_t>(i)));
  }
  g_loaded.store(true, std::memory_order_release);
  return kOk;
}

class CtypesBackend final : public Backend {
 public:
  const char* name() const noexcept override { return backend_.name(); }
  const char* unavailable_reason() const noexcept override { return nullptr; }
  Status check_tag_length(std::size_t tag_len) const noexcept override {
    return backend_.check_tag_length(tag_len);
  }
  Status make_key(Mode mode, const std::uint8_t* key, std::size_t key_len,
                  std::unique_ptr<CipherKey>* out_key) const noexcept override {
    const Status status = load();
    return status.ok() ? backend_.make_key(mode, key, key_len, out_key) : status;
  }
  Status make_hash(std::unique_ptr<HashState>* out_state) const noexcept override {
    const Status status = load();
    return status.ok() ? backend_.make_hash(out_state) : status;
  }
  Status sha256(std::uint8_t out[32], const std::uint8_t* in,
                std::size_t len) const noexcept override {
    const Status status = load();
    return status.ok() ? backend_.sha256(out, in, len) : status;
  }
  Status hmac_sha256(std::uint8_t out[32], const std::uint8_t* key, std::size_t key_len,
                     const std::uint8_t* in, std::size_t len) const noexcept override {
    const Status status = load();
    return status.ok() ? backend_.hmac_sha256(out, key, key_len, in, len) : status;
  }

 private:
  cng::CngBackend backend_{table(), cng::kMaxCallBytes, "cng-ctypes"};
};

}  // namespace

void register_ctypes_backend() noexcept {
  // Never destroyed, as `cng` is not.
  alignas(CtypesBackend) static unsigned char memory[sizeof(CtypesBackend)];
  static const Backend* const backend = new (memory) CtypesBackend;
  set_ctypes_backend(backend);
}

}  // namespace cngaes::python
