// Whether time depends on secrets, measured: the same call with one fixed secret and with random
// ones, in random order, compared by Welch's t-test (the method of O. Reparaz, J. Balasch and
// I. Verbauwhede, "Dude, is my code constant time?", DATE 2017). Two planted leaks have to be found
// by the same rule, or the test has said nothing.
//
// A machine's noise makes one t-value large now and then, a leak makes each of them large: a leak
// is what exceeds the limit in every attempt.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "check.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"
#include "kernel_list.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

constexpr double kLimit = 5;  // chance: one of 1.7 million
constexpr int kAttempts = 4;
constexpr std::size_t kSecret = 64;  // bytes of secret that a call may use

std::uint64_t now() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t t = __rdtsc();
  _mm_lfence();
  return t;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

struct Moments {
  double n = 0;
  double mean = 0;
  double m2 = 0;
  void add(double x) {  // Welford
    n += 1;
    const double d = x - mean;
    mean += d / n;
    m2 += d * (x - mean);
  }
};

double welch(const Moments& a, const Moments& b) {
  const double variance = a.m2 / (a.n - 1) / a.n + b.m2 / (b.n - 1) / b.n;
  return variance > 0 ? (a.mean - b.mean) / std::sqrt(variance) : 0;
}

// The t-value of `count` measurements, those above the 90th percentile left out: interrupts.
double t_value(const std::function<void(const std::uint8_t*)>& call, const Bytes& fixed,
               std::size_t count, Random& random) {
  // Both classes come from memory that is as warm: a pool in which the fixed secret has own copies.
  constexpr std::size_t kPool = 64;
  Bytes pool = random.bytes(2 * kPool * kSecret);
  for (std::size_t i = 0; i < kPool; ++i)
    std::memcpy(&pool[2 * i * kSecret], fixed.data(), kSecret);
  alignas(64) std::uint8_t secret[kSecret];
  std::vector<std::uint64_t> times(count);
  std::vector<std::uint8_t> classes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = random.below(2);
    classes[i] = static_cast<std::uint8_t>(kind);
    std::memcpy(secret, &pool[(2 * random.below(kPool) + kind) * kSecret], kSecret);
    const std::uint64_t start = now();
    call(secret);
    times[i] = now() - start;
  }
  std::vector<std::uint64_t> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t most = sorted[count * 9 / 10];
  Moments moments[2];
  for (std::size_t i = count / 100; i < count; ++i) {  // the first warm up
    if (times[i] <= most) moments[classes[i]].add(static_cast<double>(times[i]));
  }
  return welch(moments[0], moments[1]);
}

bool leaks(const char* name, std::size_t count, Random& random, const Bytes& fixed,
           const std::function<void(const std::uint8_t*)>& call) {
  std::string seen;
  bool all = true;
  int sign = 0;
  for (int attempt = 0; attempt < kAttempts && all; ++attempt) {
    const double t = t_value(call, fixed, count, random);
    char text[32];
    std::snprintf(text, sizeof text, " %.1f", t);
    seen += text;
    const int this_sign = t > 0 ? 1 : -1;
    all = std::fabs(t) > kLimit && (attempt == 0 || this_sign == sign);
    sign = this_sign;
  }
  std::printf("%-36s t =%s%s\n", name, seen.c_str(), all ? "  LEAKS" : "");
  return all;
}

volatile std::uint8_t g_sink[64];

void aes(const AesChoice& kernel, Random& random) {
  const AesFunctions& fn = kernel.fn;
  const std::string name = kernel.name;
  const Bytes fixed = random.bytes(kSecret);
  const auto count = static_cast<std::size_t>(test::rounds(150000));
  AesKey key;
  GhashKey ghash_key;
  alignas(64) std::uint8_t block[64] = {};
  CHECK(!leaks((name + " key set-up").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) { fn.expand_key(&key, secret, 32); }));
  CHECK(!leaks((name + " powers of H").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) { fn.ghash_init(&ghash_key, secret); }));
  CHECK(!leaks((name + " AES, plaintext").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) { fn.ecb_encrypt(&key, block, secret, 4); }));
  CHECK(!leaks((name + " AES, ciphertext").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) { fn.ecb_decrypt(&key, block, secret, 4); }));
  CHECK(!leaks((name + " GHASH, data").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) { fn.ghash(&ghash_key, block, secret, 4); }));
  CHECK(!leaks((name + " GHASH, state").c_str(), count, random, fixed,
               [&](const std::uint8_t* secret) {
                 std::memcpy(block, secret, 32);
                 fn.ghash_multiply(block, block + 16);
               }));
}

void core(Random& random) {
  const auto count = static_cast<std::size_t>(test::rounds(300000));
  alignas(64) std::uint8_t tag[16];
  Bytes fixed = random.bytes(kSecret);
  std::memcpy(tag, fixed.data(), 16);
  CHECK(!leaks("tag, right against wrong", count, random, fixed, [&](const std::uint8_t* secret) {
    g_sink[0] = static_cast<std::uint8_t>(constant_time_equal(tag, secret, 16));
  }));
  for (const std::uint8_t pad : {1, 16, 17}) {
    std::memset(fixed.data(), pad, fixed.size());
    CHECK(!leaks("padding, fixed against random", count, random, fixed,
                 [&](const std::uint8_t* secret) {
                   g_sink[0] = static_cast<std::uint8_t>(pkcs7_unpad(secret));
                 }));
  }
}

// A comparison that stops at the first difference, and key set-up with a branch on a key bit. The
// branch costs 256 stores, some 5 % of the portable key set-up: of 32, a busy machine hid the half.
void planted(Random& random) {
  const auto count = static_cast<std::size_t>(test::rounds(300000));
  Bytes fixed = random.bytes(kSecret);
  const Bytes tag(fixed.begin(), fixed.begin() + 16);
  CHECK(leaks("planted: early exit", count, random, fixed, [&](const std::uint8_t* secret) {
    std::size_t i = 0;
    while (i < 16 && static_cast<const volatile std::uint8_t*>(tag.data())[i] == secret[i]) ++i;
    g_sink[0] = static_cast<std::uint8_t>(i);
  }));
  fixed[0] |= 1;
  const AesChoice* generic = nullptr;
  CHECK(find_aes("generic", &generic).ok());
  AesKey key;
  CHECK(leaks("planted: branch in key set-up", count / 2, random, fixed,
              [&](const std::uint8_t* secret) {
                generic->fn.expand_key(&key, secret, 32);
                for (std::size_t i = 0; i < 256 && (secret[0] & 1) == 0; ++i) g_sink[i % 64] = 0;
              }));
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  Random random(21);
  planted(random);
  core(random);
  test::for_each_aes([&](const AesChoice& kernel) { aes(kernel, random); });
  return test::end();
}
