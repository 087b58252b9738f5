// bcrypt.dll's functions, looked up at first use: the same extension imports without them.
#include <atomic>
#include <new>

#include "backend_cng.hpp"
#include "cngaes/cng.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace cngaes {
namespace cng {
#ifdef _WIN32
namespace {

template <class F>
bool find(HMODULE library, const char* name, F** out) noexcept {
  *out = reinterpret_cast<F*>(reinterpret_cast<void (*)()>(GetProcAddress(library, name)));
  return *out != nullptr;
}

struct Loaded {
  Bcrypt api = {};
  const char* reason = nullptr;

  Loaded() noexcept {
    // From the system's folder only: a file of that name beside the program is somebody else's.
    HMODULE library = LoadLibraryExW(L"bcrypt.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (library == nullptr) {
      reason = "bcrypt.dll cannot be loaded";
      return;
    }
    const bool complete = find(library, "BCryptOpenAlgorithmProvider", &api.open_provider) &&
                          find(library, "BCryptCloseAlgorithmProvider", &api.close_provider) &&
                          find(library, "BCryptSetProperty", &api.set_property) &&
                          find(library, "BCryptImportKey", &api.import_key) &&
                          find(library, "BCryptDuplicateKey", &api.duplicate_key) &&
                          find(library, "BCryptDestroyKey", &api.destroy_key) &&
                          find(library, "BCryptEncrypt", &api.encrypt) &&
                          find(library, "BCryptDecrypt", &api.decrypt) &&
                          find(library, "BCryptCreateHash", &api.create_hash) &&
                          find(library, "BCryptHashData", &api.hash_data) &&
                          find(library, "BCryptFinishHash", &api.finish_hash) &&
                          find(library, "BCryptDuplicateHash", &api.duplicate_hash) &&
                          find(library, "BCryptDestroyHash", &api.destroy_hash);
    if (!complete) reason = "this bcrypt.dll lacks functions that are needed";
    static_cast<void>(find(library, "BCryptHash", &api.hash));
    // Wine 9 and later do not need it, and lose nothing but time.
    api.repeated_iv_continues = wine_version()[0] != '\0';
  }
};

}  // namespace

const Bcrypt* load_bcrypt(const char** out_reason) noexcept {
  static const Loaded loaded;
  *out_reason = loaded.reason;
  return loaded.reason == nullptr ? &loaded.api : nullptr;
}
#else
const Bcrypt* load_bcrypt(const char** out_reason) noexcept {
  *out_reason = "needs Windows";
  return nullptr;
}
#endif
}  // namespace cng

const Backend* cng_backend(const char** out_reason) noexcept {
  static const char* reason = nullptr;
  // Never destroyed: bcrypt.dll must not be called while the process unloads its libraries.
  static const Backend* const backend = []() noexcept -> const Backend* {
    const cng::Bcrypt* const api = cng::load_bcrypt(&reason);
    return api == nullptr ? nullptr : new (std::nothrow) cng::CngBackend(*api);
  }();
  *out_reason = backend == nullptr && reason == nullptr ? "out of memory" : reason;
  return backend;
}

const Backend& noop_cng_backend() noexcept {
  alignas(cng::CngBackend) static unsigned char memory[sizeof(cng::CngBackend)];
  static const Backend* const backend =
      new (memory) cng::CngBackend(cng::noop_bcrypt(), cng::kMaxCallBytes, "cng-noop");
  return *backend;
}

const char* wine_version() noexcept {
#ifdef _WIN32
  using Version = const char*(__cdecl*)();
  const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
  const auto version = ntdll == nullptr ? nullptr
                                        : reinterpret_cast<Version>(reinterpret_cast<void (*)()>(
                                              GetProcAddress(ntdll, "wine_get_version")));
  return version == nullptr ? "" : version();
#else
  return "";
#endif
}

bool is_emulated_by(MachinesQuery query) noexcept {
  constexpr std::uint16_t kArm64 = 0xAA64;  // IMAGE_FILE_MACHINE_ARM64
  // The process field says nothing: it is 0 for an emulated x64 process.
  std::uint16_t process = 0;
  std::uint16_t system = 0;
  return query != nullptr && query(&process, &system) != 0 && system == kArm64;
}

namespace {

std::atomic<int> g_pretended{-1};

#if defined(_WIN32) && !defined(_M_ARM64) && !defined(__aarch64__)
// GetNativeSystemInfo and the environment say AMD64 to an emulated x64 process; this one does not.
bool ask_windows() noexcept {
  using Function = BOOL(WINAPI*)(HANDLE, USHORT*, USHORT*);
  static const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
  static const auto function = kernel == nullptr
                                   ? nullptr
                                   : reinterpret_cast<Function>(reinterpret_cast<void (*)()>(
                                         GetProcAddress(kernel, "IsWow64Process2")));
  const MachinesQuery query = [](std::uint16_t* process, std::uint16_t* system) {
    return static_cast<int>(function(GetCurrentProcess(), process, system));
  };
  return is_emulated_by(function == nullptr ? nullptr : query);
}
#else
bool ask_windows() noexcept { return false; }
#endif

}  // namespace

bool is_emulated_process() noexcept {
  static const bool answer = ask_windows();
  const int pretended = g_pretended.load(std::memory_order_relaxed);
  return pretended < 0 ? answer : pretended != 0;
}

void pretend_emulated_process(int answer) noexcept {
  g_pretended.store(answer, std::memory_order_relaxed);
}

}  // namespace cngaes
