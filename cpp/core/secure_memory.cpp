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

#if defined(_MSC_VER) && !defined(__clang__)
__declspec(noinline)
#else
__attribute__((noinline))
#endif
void wipe_stack() noexcept {
  const SecretBuffer<8192> below;  // its destructor does it
}

}  // namespace cngaes
