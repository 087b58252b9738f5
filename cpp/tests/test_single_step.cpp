// No kernel's path or addresses depend on a secret, on the CPU that runs it: each call is executed
// one instruction at a time under ptrace, with different keys and messages in the same places, and
// all runs must show the same instruction addresses and the same memory addresses. That sees what
// Valgrind cannot run (VAES, VPCLMULQDQ, SHA-NI, AVX-512). Public, and the same in all runs:
// lengths, nonces, counters, and the verdict on a tag.
//
// A child runs the calls, the parent steps it. What memory an instruction uses comes from objdump's
// listing of this very program, which is linked statically so that the listing has all of it.
#include "addresses_x86.hpp"
#include "check.hpp"
#include "cngaes/contexts.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/sha256.hpp"
#include "kernel_list.hpp"
#include "single_steps.hpp"

namespace {

using namespace cngaes;
using test::Random;

// Everything that a call works on, at the same addresses in every run.
constexpr std::size_t kMost = 2048;
constexpr std::size_t kStreams = 19;
struct Material {
  alignas(64) std::uint8_t user_key[32], data[kMost], out[kMost + 16], chain[16], y[16], tag[32];
  std::uint8_t streams_in[kStreams][16 * 12], streams_out[kStreams][16 * 12 + 16];
  std::uint32_t states[kStreams][8];
  AesKey key;
  GhashKey ghash_key;
};
Material g;
const std::uint8_t kNonce[40] = {0xff, 0xff, 0xff, 0xff, 0, 1, 2, 3, 4, 5, 6, 7, 8};
const std::uint8_t kPadding[kSha256BlockBytes] = {0x80};

// Secrets of run number `run`: from all zeros and all ones to anything.
void fill_secrets(unsigned run) {
  Random random(1000 + run);
  const auto fill = [&](void* to, std::size_t len) {
    if (run < 2) {
      std::memset(to, run == 0 ? 0 : 0xff, len);
    } else {
      random.fill(static_cast<std::uint8_t*>(to), len);
    }
  };
  fill(g.user_key, sizeof g.user_key);
  fill(g.data, sizeof g.data);
  fill(g.chain, sizeof g.chain);
  fill(g.y, sizeof g.y);
  fill(g.streams_in, sizeof g.streams_in);
  fill(g.states, sizeof g.states);
}

struct Trace {
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> path;  // addresses of instructions, when asked for
  std::string fault;                // an instruction that cannot be judged
};

// The steps of work behind prepare.
Trace trace(const std::function<void()>& prepare, const std::function<void()>& work,
            const x86::Addresses& addresses, bool keep_path) {
  Trace result;
  const auto add = [&](std::uint64_t value) {
    result.hash = (result.hash ^ value) * 0x9e3779b97f4a7c15ULL;
    result.hash ^= result.hash >> 29;
    if (keep_path) result.path.push_back(value);
  };
  const test::Steps steps =
      test::single_steps(prepare, work, [&](const user_regs_struct& registers, std::string* fault) {
        std::uint64_t used[2];
        const unsigned num = addresses.used_by(registers, used, fault);
        add(registers.rip);
        for (unsigned i = 0; i < num; ++i) add(used[i]);
      });
  result.steps = steps.count;
  result.fault = steps.fault;
  return result;
}

std::uint64_t g_steps = 0;

// Whether work's trace is the same for all secrets. expand: what has to be there before.
bool same_for_all(const x86::Addresses& addresses, const std::function<void()>& before,
                  const std::function<void()>& work, unsigned runs, const char* what) {
  Trace first;
  for (unsigned run = 0; run < runs; ++run) {
    const auto prepare = [&] {
      fill_secrets(run);
      before();
    };
    const Trace next = trace(prepare, work, addresses, false);
    g_steps += next.steps;
    if (!next.fault.empty() || next.steps < 10) {
      std::printf("%s: %s after %llu steps\n", what, next.fault.c_str(),
                  static_cast<unsigned long long>(next.steps));
      return false;
    }
    if (run == 0) first = next;
    if (next.hash == first.hash && next.steps == first.steps) continue;
    // Again, to say where.
    const auto zeros = [&] { fill_secrets(0), before(); };
    const std::vector<std::uint64_t> a = trace(zeros, work, addresses, true).path;
    const std::vector<std::uint64_t> b = trace(prepare, work, addresses, true).path;
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    std::printf("%s: run %u parts from run 0 after %zu addresses: %llx, not %llx, behind %llx\n",
                what, run, i, static_cast<unsigned long long>(i < b.size() ? b[i] : 0),
                static_cast<unsigned long long>(i < a.size() ? a[i] : 0),
                static_cast<unsigned long long>(i > 0 ? a[i - 1] : 0));
    return false;
  }
  return true;
}

struct Stepper {
  const x86::Addresses& addresses;
  unsigned runs;
  void operator()(const char* kernel, const char* what, std::size_t n,
                  const std::function<void()>& before, const std::function<void()>& work) const {
    const std::string name = std::string(kernel) + " " + what + " " + std::to_string(n);
    CHECK_CASE(same_for_all(addresses, before, work, runs, name.c_str()), "%s", name.c_str());
  }
};

void aes(const AesChoice& kernel, std::size_t key_len, bool all, const Stepper& step) {
  const AesFunctions& fn = kernel.fn;
  const char* const name = kernel.name;
  const auto nothing = [] {};
  const auto expand = [&] {
    fn.expand_key(&g.key, g.user_key, key_len);
    gcm_expand(fn, g.key, &g.ghash_key);
  };
  step(name, "expand_key", key_len, nothing, [&] { fn.expand_key(&g.key, g.user_key, key_len); });
  if (!all) return;  // the rounds of the other key lengths are the same loop
  step(name, "gcm_expand", key_len, expand, [&] { gcm_expand(fn, g.key, &g.ghash_key); });
  step(name, "ghash_multiply", 1, expand, [&] { fn.ghash_multiply(g.y, g.chain); });
  // Every path of the unrolled loops: 32 blocks are two rounds of the widest. The portable kernel
  // takes a hundred times the instructions and has one loop.
  const bool portable = std::strcmp(name, "generic") == 0;
  const std::vector<std::size_t> counts =
      portable ? std::vector<std::size_t>{1, 5}
               : std::vector<std::size_t>{1, 2, 3, 4, 7, 9, 17, 33, 37};
  for (const std::size_t n : counts) {
    step(name, "ecb_encrypt", n, expand, [&] { fn.ecb_encrypt(&g.key, g.out, g.data, n); });
    step(name, "ecb_decrypt", n, expand, [&] { fn.ecb_decrypt(&g.key, g.out, g.data, n); });
    step(name, "cbc_encrypt", n, expand,
         [&] { fn.cbc_encrypt(&g.key, g.chain, g.out, g.data, n); });
    step(name, "cbc_decrypt", n, expand,
         [&] { fn.cbc_decrypt(&g.key, g.chain, g.out, g.data, n); });
    step(name, "ctr32", n, expand, [&] { fn.ctr32(&g.key, g.out, g.data, n, kNonce); });
    step(name, "ghash", n, expand, [&] { fn.ghash(&g.ghash_key, g.y, g.data, n); });
    step(name, "ghash_finish", n, expand,
         [&] { fn.ghash_finish(&g.ghash_key, g.y, g.data, n, 160, 128 * n); });
    step(name, "gcm_encrypt", n, expand,
         [&] { fn.gcm_encrypt(&g.key, &g.ghash_key, g.y, g.out, g.data, n, kNonce); });
    step(name, "gcm_decrypt", n, expand,
         [&] { fn.gcm_decrypt(&g.key, &g.ghash_key, g.y, g.out, g.data, n, kNonce); });
    if (n > kGcmShortBlocks || fn.gcm_encrypt_short == nullptr) continue;
    step(name, "gcm_encrypt_short", n, expand,
         [&] { fn.gcm_encrypt_short(&g.key, &g.ghash_key, g.y, g.out, g.data, n, kNonce, 160); });
    step(name, "gcm_decrypt_short", n, expand,
         [&] { fn.gcm_decrypt_short(&g.key, &g.ghash_key, g.y, g.out, g.data, n, kNonce, 160); });
  }
  const std::size_t num = portable ? 5 : kStreams;
  CbcStream streams[kStreams];
  step(name, "cbc_encrypt_streams", num, expand, [&] {
    for (std::size_t i = 0; i < num; ++i) {
      streams[i] = {g.streams_out[i], g.streams_in[i], 1 + i * 11 / num, {}};
    }
    fn.cbc_encrypt_streams(&g.key, streams, num);
  });

  // The modes around the kernels: tails, nonces that are not 12 bytes, short messages together.
  const GcmContext context = {fn, g.key, g.ghash_key};
  for (const std::size_t len : {0, 1, 17, 63}) {
    for (const std::size_t nonce_len : {12, 16}) {
      if (portable && len != 17) continue;
      const GcmMessage message = {kNonce, nonce_len, g.data, 20, 16};
      step(name, nonce_len == 12 ? "gcm_seal" : "gcm_seal, long nonce", len, expand,
           [&] { static_cast<void>(gcm_seal(context, message, g.out, g.tag, g.data, len)); });
      // The tag is wrong in every run: it starts with a byte of the secret, or ends with one.
      step(name, "gcm_open, forged", len, expand,
           [&] { static_cast<void>(gcm_open(context, message, g.out, g.data, len, g.data)); });
    }
    step(name, "ctr_crypt", len, expand, [&] {
      std::uint8_t counter[16];
      std::memset(counter, 0xff, 16);
      ctr_crypt(fn, g.key, counter, g.out, g.data, len);
    });
  }
  if (portable) return;
  const GcmBatch batch = {List::strided(kNonce, 12, 1), List::same_for_all({g.data, 20}),
                          List::strided(&g.streams_in[0][0], 33, sizeof g.streams_in[0]),
                          OutList::strided(&g.streams_out[0][0], sizeof g.streams_out[0]), 16};
  step(name, "gcm_seal_many", kStreams, expand,
       [&] { static_cast<void>(gcm_seal_many(context, batch, {0, kStreams})); });
}

void sha256(const Sha256Choice& kernel, const Stepper& step) {
  const auto nothing = [] {};
  for (const std::size_t n : {1, 3}) {
    step(kernel.name, "compress", n, nothing, [&] { kernel.fn.compress(g.states[0], g.data, n); });
  }
  const std::uint8_t* data[kStreams];
  for (std::size_t i = 0; i < kStreams; ++i) data[i] = g.streams_in[i];
  for (const std::size_t num : {std::size_t{1}, std::size_t{2}, std::size_t{5}, kStreams}) {
    step(kernel.name, "compress_streams", num, nothing,
         [&] { kernel.fn.compress_streams(g.states, data, num, 2); });
  }
  if (kernel.fn.compress_scheduled != nullptr) {
    std::uint32_t words[64];
    kernel.fn.schedule(words, kPadding);
    step(kernel.name, "compress_scheduled", kernel.fn.lanes, nothing,
         [&] { kernel.fn.compress_scheduled(g.states, words); });
  }
  for (const std::size_t len : {1, 56, 100}) {
    step(kernel.name, "hmac", len, nothing,
         [&] { Sha256::hmac(kernel.fn, g.out, g.user_key, 32, g.data, len); });
  }
}

void core(const Stepper& step) {
  const auto nothing = [] {};
  for (const std::size_t len : {4, 12, 16}) {
    step("core", "constant_time_equal", len, nothing,
         [&] { g.out[0] = static_cast<std::uint8_t>(constant_time_equal(g.data, g.chain, len)); });
  }
  step("core", "pkcs7_unpad", 16, nothing,
       [] { g.out[0] = static_cast<std::uint8_t>(pkcs7_unpad(g.data)); });
}

// What the method has to find.
__attribute__((noinline)) void planted_look_up() {
  static volatile std::uint8_t table[256] = {};
  g.out[0] = table[g.user_key[0]];
}
__attribute__((noinline)) void planted_branch() {
  volatile std::uint8_t* const out = g.out;
  if ((g.user_key[3] & 1) != 0) out[0] = 1;
  out[1] = 2;
}
__attribute__((noinline)) void planted_early_exit() {
  std::size_t i = 0;
  while (i < 16 && static_cast<volatile std::uint8_t*>(g.data)[i] == g.chain[i]) ++i;
  g.out[0] = static_cast<std::uint8_t>(i);
}
__attribute__((target("avx2"), noinline)) void planted_gather() {
  using Ints __attribute__((vector_size(32))) = int;
  static const int table[256] = {};
  Ints index = {};
  std::memcpy(&index, g.user_key, sizeof index);
  index &= 255;
  __asm__ volatile("vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\tvpgatherdd %%ymm1, (%1,%0,4), %%ymm0"
                   :
                   : "x"(index), "r"(table)
                   : "ymm0", "ymm1", "memory");
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::stay_on_one_core();
  const x86::Addresses addresses;
  if (addresses.size() < 1000) {
    std::printf("SKIPPED: no listing of this program; is objdump installed?\n");
    return 77;
  }
  const auto nothing = [] {};
  const Trace probe = trace(nothing, nothing, addresses, false);
  if (probe.fault == test::kNoPtrace) {
    std::printf("SKIPPED: %s\n", test::kNoPtrace);
    return 77;
  }
  const Stepper step = {addresses, 3};
  test::for_each_aes([&](const AesChoice& kernel) {
    const std::uint64_t before = g_steps;
    for (const std::size_t key_len : test::kKeyLengths) aes(kernel, key_len, key_len == 32, step);
    std::printf("%s: %llu instructions\n", kernel.name,
                static_cast<unsigned long long>(g_steps - before));
  });
  test::for_each_sha256([&](const Sha256Choice& kernel) { sha256(kernel, step); });
  core(step);
  std::printf("%llu instructions stepped. Reports of what was planted follow.\n",
              static_cast<unsigned long long>(g_steps));
  CHECK(!same_for_all(addresses, nothing, planted_look_up, 4, "planted look-up"));
  CHECK(!same_for_all(addresses, nothing, planted_branch, 4, "planted branch"));
  CHECK(!same_for_all(addresses, nothing, planted_early_exit, 4, "planted early exit"));
  if (__builtin_cpu_supports("avx2")) {
    CHECK(!same_for_all(addresses, nothing, planted_gather, 4, "planted gather"));
  }
  return test::end();
}
