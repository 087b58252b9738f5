// Memory that holds secrets: wiped when its owner goes, compared in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// For functions whose frame has to lie below their caller's, in the reach of its wipe_stack():
// inlined, what they spill would stay in the caller's own frame.
#if defined(_MSC_VER) && !defined(__clang__)
#define CNGAES_OWN_FRAME __declspec(noinline)
#else
#define CNGAES_OWN_FRAME __attribute__((noinline))
#endif

namespace cngaes {

// Overwrites with zeros in a way the compiler cannot drop.
void secure_wipe(void* data, std::size_t len) noexcept;

// 1 if the len bytes are equal, else 0; time depends on len alone. For authentication tags.
int constant_time_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t len) noexcept;

// A stack buffer for keystream, plaintext or key material. Wiped on scope exit.
template <std::size_t kBytes>
struct alignas(64) SecretBuffer {
  std::uint8_t data[kBytes];

  SecretBuffer() noexcept {}  // NOLINT(modernize-use-equals-default): must not zero-fill
  SecretBuffer(const SecretBuffer&) = delete;
  SecretBuffer& operator=(const SecretBuffer&) = delete;
  ~SecretBuffer() { secure_wipe(data, used_); }

  // Only the first `len` bytes were written; the rest needs no wiping (16-byte messages would
  // otherwise pay for the whole buffer).
  void wipe_only(std::size_t len) noexcept { used_ = len; }

 private:
  std::size_t used_ = kBytes;
};

// Aligned allocation for key objects; nullptr when out of memory. Freed memory is wiped first.
void* secret_alloc(std::size_t len) noexcept;
void secret_free(void* data, std::size_t len) noexcept;

#ifdef CNGAES_TEST_HOOKS
// The allocation after that many successful ones fails, once; -1 turns it off.
void fail_allocation_after(long successes) noexcept;
long live_secret_allocations() noexcept;
#endif

// Clears the vector registers that a call may change (but with MSVC, and on other CPUs than x86-64
// and ARM64), and overwrites the stack below the caller, where kernels spilled round keys and
// keystream: their frames are at most 1.6 KiB (gcc -fstack-usage), the calls around them less.
// Reaches the calling thread's stack only.
void wipe_stack() noexcept;

// Gives a class secret_alloc/secret_free as its operator new/delete (nothrow).
struct WipedObject {
  static void* operator new(std::size_t len) noexcept { return secret_alloc(len); }
  static void operator delete(void* data, std::size_t len) noexcept { secret_free(data, len); }
};

// The same for what a key was used through: the stack goes with it.
struct SecretObject : WipedObject {
  static void operator delete(void* data, std::size_t len) noexcept {
    secret_free(data, len);
    wipe_stack();
  }
};

}  // namespace cngaes
