// Another thread may write to a message while it is worked on. The output is then anybody's guess,
// but what GCM decrypts must be what it authenticated: if a kernel loaded a block once for GHASH
// and once for the cipher, plaintext could come out that the tag does not vouch for.
#include <atomic>
#include <thread>

#include "check.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using reference::Block;
using test::Bytes;
using test::Random;

constexpr std::size_t kBlocks = 64;

struct Fixture {
  AesKey key;
  GhashKey ghash_key;
  Bytes keystream;
  std::uint8_t counter[16] = {};

  explicit Fixture(const AesFunctions& fn) : keystream(16 * kBlocks) {
    const std::uint8_t user_key[16] = {7};
    std::uint8_t h[16] = {};
    fn.expand_key(&key, user_key, 16);
    fn.ecb_encrypt(&key, h, h, 1);
    fn.ghash_init(&ghash_key, h);
    fn.ctr32(&key, keystream.data(), keystream.data(), kBlocks, counter);
  }
};

// GHASH of the ciphertext that the output shows to have been used.
bool consistent(const AesFunctions& fn, const Fixture& f, bool decrypt, const Bytes& out,
                const std::uint8_t y[16]) {
  Bytes used = out;
  for (std::size_t i = 0; decrypt && i < used.size(); ++i) used[i] ^= f.keystream[i];
  std::uint8_t expected[16] = {};
  fn.ghash(&f.ghash_key, expected, used.data(), kBlocks);
  return std::memcmp(expected, y, 16) == 0;
}

// The same for a short message, whose keystream begins behind its first block, the mask of the tag.
bool consistent_short(const AesFunctions& fn, const Fixture& f, bool decrypt, const Bytes& out,
                      const std::uint8_t tag[16]) {
  Bytes used = out;
  for (std::size_t i = 0; decrypt && i < used.size(); ++i) used[i] ^= f.keystream[i + 16];
  std::uint8_t expected[16] = {};
  fn.ghash_finish(&f.ghash_key, expected, used.data(), used.size() / 16, 0, 8 * used.size());
  for (std::size_t i = 0; i < 16; ++i) expected[i] ^= f.keystream[i];
  return std::memcmp(expected, tag, 16) == 0;
}

void kernel_test(const AesChoice& kernel) {
  const Fixture f(kernel.fn);
  Bytes in(16 * kBlocks);
  std::atomic<bool> stop{false};
  std::atomic<bool> started{false};
  std::thread writer([&] {
    auto* bytes = reinterpret_cast<volatile std::uint8_t*>(in.data());
    for (std::uint8_t value = 0; !stop; ++value) {
      for (std::size_t i = 0; i < in.size(); i += 5) bytes[i] = value;
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  Bytes out(in.size());
  for (int round = 0; round < test::rounds(3000); ++round) {
    for (const bool decrypt : {false, true}) {
      std::uint8_t y[16] = {};
      (decrypt ? kernel.fn.gcm_decrypt : kernel.fn.gcm_encrypt)(&f.key, &f.ghash_key, y, out.data(),
                                                                in.data(), kBlocks, f.counter);
      CHECK_CASE(consistent(kernel.fn, f, decrypt, out, y), "%s, %s", kernel.name,
                 decrypt ? "decrypt" : "encrypt");
      const auto run = decrypt ? kernel.fn.gcm_decrypt_short : kernel.fn.gcm_encrypt_short;
      if (run == nullptr) continue;
      Bytes some(16 * (1 + static_cast<std::size_t>(round) % kGcmShortBlocks));
      std::uint8_t tag[16] = {};
      run(&f.key, &f.ghash_key, tag, some.data(), in.data(), some.size() / 16, f.counter, 0);
      CHECK_CASE(consistent_short(kernel.fn, f, decrypt, some, tag), "%s, short %s, %zu bytes",
                 kernel.name, decrypt ? "decrypt" : "encrypt", some.size());
    }
  }
  stop = true;
  writer.join();
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes(kernel_test);
  return test::end();
}
