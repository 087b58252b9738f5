#include "cngaes/secure_memory.hpp"

#include <cstdlib>

#ifdef CNGAES_TEST_HOOKS
#include <atomic>
#endif

namespace cngaes {

void secure_wipe(void* data, std::size_t len) noexcept {
  if (len == 0) return;  // memset must not see a null pointer, even then
  std::memset(data, 0, len);
#if defined(_MSC_VER) && !defined(__clang__)
  // Reading through volatile after the call keeps MSVC from dropping the stores.
  const volatile std::uint8_t* keep = static_cast<volatile std::uint8_t*>(data);
  static_cast<void>(*keep);
#else
  // Tells the optimiser that the memory is read: the memset cannot be a dead store.
  __asm__ __volatile__("" : : "r"(data) : "memory");
#endif
}

int constant_time_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t len) noexcept {
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < len; ++i) {
    difference |= static_cast<std::uint32_t>(a[i] ^ b[i]);
#if !defined(_MSC_VER) || defined(__clang__)
    __asm__ __volatile__("" : "+r"(difference));  // no early exit may be invented
#endif
  }
  return static_cast<int>((difference - 1) >> 31);  // 0 - 1 has the top bit set, 1..255 - 1 not
}

namespace {
constexpr std::size_t kAlign = 64;  // a cache line and a 512-bit register
#ifdef CNGAES_TEST_HOOKS
std::atomic<long> g_allocations_until_failure{-1};
std::atomic<long> g_live_allocations{0};
#endif
}  // namespace

#ifdef CNGAES_TEST_HOOKS
void fail_allocation_after(long successes) noexcept { g_allocations_until_failure = successes; }
long live_secret_allocations() noexcept { return g_live_allocations; }
#endif

void* secret_alloc(std::size_t len) noexcept {
#ifdef CNGAES_TEST_HOOKS
  if (g_allocations_until_failure >= 0 && g_allocations_until_failure-- == 0) return nullptr;
#endif
  // malloc with the offset kept in front: aligned_alloc is missing on Windows, and its
  // replacement there wants a free of its own.
  auto* raw = static_cast<std::uint8_t*>(std::malloc(len + kAlign + sizeof(std::size_t)));
  if (raw == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(raw) + sizeof(std::size_t);
  const std::size_t offset =
      sizeof(std::size_t) + (kAlign - static_cast<std::size_t>(address % kAlign)) % kAlign;
  std::memcpy(raw + offset - sizeof(std::size_t), &offset, sizeof offset);
#ifdef CNGAES_TEST_HOOKS
  ++g_live_allocations;
#endif
  return raw + offset;
}

void secret_free(void* data, std::size_t len) noexcept {
  if (data == nullptr) return;
  secure_wipe(data, len);
  auto* bytes = static_cast<std::uint8_t*>(data);
  std::size_t offset = 0;
  std::memcpy(&offset, bytes - sizeof(std::size_t), sizeof offset);
  std::free(bytes - offset);
#ifdef CNGAES_TEST_HOOKS
  --g_live_allocations;
#endif
}

namespace {

// Round keys stay in the vector registers when a kernel returns, and whoever saves them next puts
// them on the stack: a signal, or the dynamic linker at the first call of some function.
#if defined(__x86_64__) && defined(__GNUC__)
#define CNGAES_CLEAR4(op, a, b, c, d) op(a) op(b) op(c) op(d)
#define CNGAES_SSE(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
#define CNGAES_EVEX(n) "vpxorq %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define CNGAES_LOW_REGISTERS                                                               \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

__attribute__((target("avx512f,avx512vl"))) void clear_high_registers() noexcept {
  __asm__ __volatile__(
      CNGAES_CLEAR4(CNGAES_EVEX, 16, 17, 18, 19) CNGAES_CLEAR4(CNGAES_EVEX, 20, 21, 22, 23)
          CNGAES_CLEAR4(CNGAES_EVEX, 24, 25, 26, 27) CNGAES_CLEAR4(CNGAES_EVEX, 28, 29, 30, 31)
      :
      :
      : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

__attribute__((target("avx"))) void clear_wide_registers() noexcept {
  __asm__ __volatile__("vzeroall" : : : CNGAES_LOW_REGISTERS);
}

void clear_registers() noexcept {
  if (__builtin_cpu_supports("avx512vl") != 0) clear_high_registers();
  if (__builtin_cpu_supports("avx") != 0) {
    clear_wide_registers();
  } else {
    __asm__ __volatile__(CNGAES_CLEAR4(CNGAES_SSE, 0, 1, 2, 3) CNGAES_CLEAR4(CNGAES_SSE, 4, 5, 6, 7)
                             CNGAES_CLEAR4(CNGAES_SSE, 8, 9, 10, 11)
                                 CNGAES_CLEAR4(CNGAES_SSE, 12, 13, 14, 15)
                         :
                         :
                         : CNGAES_LOW_REGISTERS);
  }
}
#elif defined(__aarch64__) && defined(__GNUC__)
// All that a call may change; v8 to v15 are the callers' own (AAPCS64 section 6.1.2).
void clear_registers() noexcept {
  __asm__ __volatile__(
      "movi v0.2d, #0\n\t"
      "movi v1.2d, #0\n\t"
      "movi v2.2d, #0\n\t"
      "movi v3.2d, #0\n\t"
      "movi v4.2d, #0\n\t"
      "movi v5.2d, #0\n\t"
      "movi v6.2d, #0\n\t"
      "movi v7.2d, #0\n\t"
      "movi v16.2d, #0\n\t"
      "movi v17.2d, #0\n\t"
      "movi v18.2d, #0\n\t"
      "movi v19.2d, #0\n\t"
      "movi v20.2d, #0\n\t"
      "movi v21.2d, #0\n\t"
      "movi v22.2d, #0\n\t"
      "movi v23.2d, #0\n\t"
      "movi v24.2d, #0\n\t"
      "movi v25.2d, #0\n\t"
      "movi v26.2d, #0\n\t"
      "movi v27.2d, #0\n\t"
      "movi v28.2d, #0\n\t"
      "movi v29.2d, #0\n\t"
      "movi v30.2d, #0\n\t"
      "movi v31.2d, #0\n\t"
      :
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
#else
void clear_registers() noexcept {}
#endif

CNGAES_OWN_FRAME void wipe_frames() noexcept {
  const SecretBuffer<8192> below;  // its destructor does it
}

}  // namespace

void wipe_stack() noexcept {
  clear_registers();
  wipe_frames();
}

}  // namespace cngaes
