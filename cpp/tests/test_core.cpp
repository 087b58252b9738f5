// The small parts of the core: padding, comparison, wiping, allocation, SHA-256 and HMAC in pieces.
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/bytes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/sha256.hpp"
#include "kernel_list.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

// RFC 5652 section 6.3, written the obvious way.
std::size_t unpad_reference(const std::uint8_t block[16]) {
  const std::size_t pad = block[15];
  if (pad < 1 || pad > 16) return 16;
  for (std::size_t i = 16 - pad; i < 16; ++i) {
    if (block[i] != pad) return 16;
  }
  return 16 - pad;
}

void padding(Random& random) {
  CHECK(pkcs7_padded_len(0) == 16 && pkcs7_padded_len(15) == 16 && pkcs7_padded_len(16) == 32);
  for (std::size_t len = 0; len < 16; ++len) {
    const Bytes tail = random.bytes(len);
    std::uint8_t block[16];
    pkcs7_pad(block, tail.data(), len);
    CHECK(len == 0 || std::memcmp(block, tail.data(), len) == 0);
    for (std::size_t i = len; i < 16; ++i) CHECK(block[i] == 16 - len);
    CHECK_CASE(pkcs7_unpad(block) == len, "%zu", len);
    // Any one byte changed to any value.
    for (std::size_t at = 0; at < 16; ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        std::uint8_t changed[16];
        std::memcpy(changed, block, 16);
        changed[at] = static_cast<std::uint8_t>(value);
        CHECK_CASE(pkcs7_unpad(changed) == unpad_reference(changed), "%s",
                   test::to_hex(changed, 16).c_str());
      }
    }
  }
  for (unsigned value = 0; value < 256; ++value) {
    std::uint8_t block[16];
    std::memset(block, static_cast<int>(value), 16);
    CHECK_CASE(pkcs7_unpad(block) == unpad_reference(block), "all bytes %u", value);
  }
}

void compare(Random& random) {
  for (std::size_t len = 0; len <= 40; ++len) {
    const Bytes a = random.bytes(len);
    Bytes b = a;
    CHECK(constant_time_equal(a.data(), b.data(), len) == 1);
    for (std::size_t bit = 0; bit < 8 * len; ++bit) {
      b[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      CHECK_CASE(constant_time_equal(a.data(), b.data(), len) == 0, "bit %zu of %zu bytes", bit,
                 len);
      b = a;
    }
  }
  // Differences that cancel out in a sum.
  const std::uint8_t a[2] = {0x80, 0x80};
  const std::uint8_t b[2] = {0x00, 0x00};
  CHECK(constant_time_equal(a, b, 2) == 0);
}

void counters() {
  std::uint8_t counter[16];
  std::memset(counter, 0xff, 16);
  add_be128(counter, 1);
  CHECK(Bytes(counter, counter + 16) == Bytes(16));
  add_be128(counter, 0x123456789aULL);
  CHECK(test::to_hex(counter, 16) == "0000000000000000000000123456789a");
  std::memset(counter, 0xff, 16);
  add_be32(counter, 3);
  CHECK(test::to_hex(counter, 16) == "ffffffffffffffffffffffff00000002");
}

void copies(Random& random) {
  for (std::size_t len = 0; len < 16; ++len) {
    const Bytes data = random.bytes(len);
    test::Framed out(len, random.below(16));
    copy_partial(out.data(), data.data(), len);
    CHECK_CASE(out.holds(data) && out.frame_intact(), "%zu bytes", len);
    copy_partial(out.data(), out.data(), len);
    CHECK_CASE(out.holds(data) && out.frame_intact(), "%zu bytes onto themselves", len);
  }
}

void memory() {
  std::uint8_t secret[100];
  std::memset(secret, 0x5a, sizeof secret);
  secure_wipe(secret + 10, 50);
  for (std::size_t i = 0; i < sizeof secret; ++i) {
    CHECK(secret[i] == (i >= 10 && i < 60 ? 0 : 0x5a));
  }
  for (std::size_t len = 1; len < 3000; len += 97) {
    void* data = secret_alloc(len);
    CHECK(data != nullptr);
    if (data == nullptr) return;
    CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == 0);
    std::memset(data, 1, len);
    secret_free(data, len);
  }
  secret_free(nullptr, 0);

  // Freed memory was wiped: seen when the allocator hands the same block out again.
  void* first = secret_alloc(500);
  CHECK(first != nullptr);
  if (first == nullptr) return;
  std::memset(first, 0x5a, 500);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  secret_free(first, 500);
  void* second = secret_alloc(500);
  if (reinterpret_cast<std::uintptr_t>(second) == address) {
    const auto* bytes = static_cast<const std::uint8_t*>(second);
    // The allocator's own notes may lie at the start.
    for (std::size_t i = 32; i < 500; ++i) CHECK(bytes[i] != 0x5a);
  } else {
    std::printf("not tested: wiping of freed memory (this allocator does not reuse it at once)\n");
  }
  secret_free(second, 500);
}

// Each allocation in turn fails: an error comes back, nothing leaks.
// What a kernel leaves in the vector registers is gone behind wipe_stack().
void registers(Random& random) {
#if defined(__x86_64__) && defined(__GNUC__)
  const Bytes secret = random.bytes(16);
  std::uint8_t seen[16 * 16] = {};
  __asm__ volatile(
      "movdqu (%0), %%xmm0\n\t"
      "movdqu (%0), %%xmm1\n\t"
      "movdqu (%0), %%xmm2\n\t"
      "movdqu (%0), %%xmm3\n\t"
      "movdqu (%0), %%xmm4\n\t"
      "movdqu (%0), %%xmm5\n\t"
      "movdqu (%0), %%xmm6\n\t"
      "movdqu (%0), %%xmm7\n\t"
      "movdqu (%0), %%xmm8\n\t"
      "movdqu (%0), %%xmm9\n\t"
      "movdqu (%0), %%xmm10\n\t"
      "movdqu (%0), %%xmm11\n\t"
      "movdqu (%0), %%xmm12\n\t"
      "movdqu (%0), %%xmm13\n\t"
      "movdqu (%0), %%xmm14\n\t"
      "movdqu (%0), %%xmm15\n\t"
      :
      : "r"(secret.data())
      : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  wipe_stack();
  __asm__ volatile(
      "movdqu %%xmm0, 0(%0)\n\t"
      "movdqu %%xmm1, 16(%0)\n\t"
      "movdqu %%xmm2, 32(%0)\n\t"
      "movdqu %%xmm3, 48(%0)\n\t"
      "movdqu %%xmm4, 64(%0)\n\t"
      "movdqu %%xmm5, 80(%0)\n\t"
      "movdqu %%xmm6, 96(%0)\n\t"
      "movdqu %%xmm7, 112(%0)\n\t"
      "movdqu %%xmm8, 128(%0)\n\t"
      "movdqu %%xmm9, 144(%0)\n\t"
      "movdqu %%xmm10, 160(%0)\n\t"
      "movdqu %%xmm11, 176(%0)\n\t"
      "movdqu %%xmm12, 192(%0)\n\t"
      "movdqu %%xmm13, 208(%0)\n\t"
      "movdqu %%xmm14, 224(%0)\n\t"
      "movdqu %%xmm15, 240(%0)\n\t"
      :
      : "r"(seen)
      : "memory");
#if defined(_WIN32)
  constexpr std::size_t kOurs = 6;  // Windows: the others are a caller's, which kernels give back
#else
  constexpr std::size_t kOurs = 16;
#endif
  for (std::size_t i = 0; i < kOurs; ++i) {
    CHECK_CASE(std::memcmp(seen + 16 * i, secret.data(), 16) != 0, "register %zu", i);
  }
#else
  static_cast<void>(random);
#endif
}

void allocation_failures() {
  const Backend& cpu = cpu_backend();
  const std::uint8_t bytes[32] = {};
  const GcmMessage message{bytes, 12, bytes, 0, 16};
  const long live = live_secret_allocations();
  {
    std::unique_ptr<CipherKey> key;
    std::unique_ptr<HashState> state;
    fail_allocation_after(0);
    CHECK(cpu.make_key(Mode::gcm, bytes, 32, &key).code == StatusCode::out_of_memory);
    CHECK(key == nullptr);
    fail_allocation_after(0);
    CHECK(cpu.make_hash(&state).code == StatusCode::out_of_memory);
    CHECK(state == nullptr);
    fail_allocation_after(-1);
    CHECK(cpu.make_key(Mode::gcm, bytes, 32, &key).ok() && cpu.make_hash(&state).ok());
    CHECK(live_secret_allocations() == live + 2);
    std::unique_ptr<GcmStream> stream;
    std::unique_ptr<HashState> copy;
    if (key == nullptr || state == nullptr) return;
    fail_allocation_after(0);
    CHECK(key->gcm_start(Direction::encrypt, message, &stream).code == StatusCode::out_of_memory);
    fail_allocation_after(0);
    CHECK(state->copy(&copy).code == StatusCode::out_of_memory);
    fail_allocation_after(-1);
    CHECK(stream == nullptr && copy == nullptr);
    CHECK(key->gcm_start(Direction::encrypt, message, &stream).ok() && state->copy(&copy).ok());
    CHECK(live_secret_allocations() == live + 4);
  }
  CHECK(live_secret_allocations() == live);
}

void hash_in_pieces(const Sha256Choice& kernel, Random& random) {
  for (std::size_t len = 0; len < 700; len += 1 + random.below(3)) {
    const Bytes message = random.bytes(len);
    Bytes expected(32);
    Sha256::hash(kSha256Generic, expected.data(), message.data(), len);
    Sha256 state(kernel.fn);
    Bytes digest(32);
    const std::size_t max_piece = 1 + random.below(150);
    for (std::size_t at = 0; at < len;) {
      const std::size_t n = std::min(random.below(max_piece + 1), len - at);
      CHECK(state.update(message.data() + at, n));
      at += n;
      if (random.below(8) == 0) state.digest(digest.data());  // may go on afterwards
    }
    const Sha256 copy = state;
    state.digest(digest.data());
    CHECK_CASE(digest == expected, "%s: %zu bytes by at most %zu", kernel.name, len, max_piece);
    CHECK(state.update(message.data(), len));
    copy.digest(digest.data());
    CHECK_CASE(digest == expected, "%s: a copy is independent", kernel.name);
  }
  // FIPS 180-4 section 5.1.1: fewer than 2**64 bits.
  Sha256 state(kernel.fn);
  state.pretend_processed((1ULL << 61) - 64);
  const std::uint8_t zeros[64] = {};
  CHECK(!state.update(zeros, 64));
  CHECK(state.update(zeros, 63));
  CHECK(!state.update(zeros, 1));
}

// FIPS 198-1 equation 1 from plain hashes, for keys around the block size.
void hmac(const Sha256Choice& kernel, Random& random) {
  for (std::size_t key_len = 0; key_len <= 140; ++key_len) {
    const Bytes key = random.bytes(key_len);
    const Bytes text = random.bytes(random.below(200));
    Bytes block(64);
    if (key_len > 64) {
      Sha256::hash(kSha256Generic, block.data(), key.data(), key_len);
    } else {
      std::copy(key.begin(), key.end(), block.begin());
    }
    Bytes inner;
    Bytes outer;
    for (const std::uint8_t b : block) {
      inner.push_back(b ^ 0x36);
      outer.push_back(b ^ 0x5c);
    }
    inner.insert(inner.end(), text.begin(), text.end());
    outer.resize(64 + 32);
    Sha256::hash(kSha256Generic, outer.data() + 64, inner.data(), inner.size());
    Bytes expected(32);
    Sha256::hash(kSha256Generic, expected.data(), outer.data(), outer.size());
    Bytes mac(32);
    Sha256::hmac(kernel.fn, mac.data(), key.data(), key_len, text.data(), text.size());
    CHECK_CASE(mac == expected, "%s: %zu-byte key", kernel.name, key_len);
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  Random random(9);
  padding(random);
  compare(random);
  counters();
  copies(random);
  memory();
  registers(random);
  allocation_failures();
  test::for_each_sha256([&random](const Sha256Choice& kernel) {
    hash_in_pieces(kernel, random);
    hmac(kernel, random);
  });
  return test::end();
}
