// Every AES kernel against the byte-by-byte reference: all slots but GHASH, all block counts, odd
// addresses, in place and not, counters that wrap.
#include "check.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Framed;
using test::Random;

constexpr std::size_t kMaxBlocks = 80;

void key_expansion(const AesChoice& kernel, Random& random) {
  for (int round = 0; round < test::rounds(50); ++round) {
    for (const std::size_t key_len : test::kKeyLengths) {
      const Bytes user_key = random.bytes(key_len);
      const reference::Aes aes(user_key);
      AesKey key;
      std::memset(&key, 0xee, sizeof key);
      kernel.fn.expand_key(&key, user_key.data(), key_len);
      CHECK(key.rounds == aes.rounds());
      CHECK_CASE(std::memcmp(key.enc, aes.round_keys().data(), aes.round_keys().size()) == 0,
                 "%s, %zu-byte key", kernel.name, key_len);
      // FIPS 197 section 5.3.5, in order of use.
      for (std::size_t i = 0; i <= aes.rounds(); ++i) {
        reference::Block expected = reference::block_at(aes.round_keys(), aes.rounds() - i);
        if (i > 0 && i < aes.rounds())
          expected = reference::Aes::mix(expected, reference::kTables.unmix);
        CHECK_CASE(std::memcmp(key.dec + 16 * i, expected.data(), 16) == 0,
                   "%s, %zu-byte key, decryption round %zu", kernel.name, key_len, i);
      }
    }
  }
}

// Calls `run(out, in)` out of place and in place at random distances from a cache line, and
// compares with `expected`.
template <class Run>
void both_places(const char* kernel, const char* what, const Bytes& data, const Bytes& expected,
                 Random& random, Run run) {
  const std::size_t offset = random.below(2) == 0 ? 0 : random.below(64);
  Framed in(data, random.below(64));
  Framed out(data.size(), offset);
  run(out.data(), in.data());
  CHECK_CASE(out.holds(expected), "%s, %s, %zu blocks", kernel, what, data.size() / 16);
  CHECK_CASE(in.holds(data), "%s, %s changed its input", kernel, what);
  CHECK_CASE(out.frame_intact(), "%s, %s wrote outside", kernel, what);

  Framed place(data, offset);
  run(place.data(), place.data());
  CHECK_CASE(place.holds(expected), "%s, %s in place, %zu blocks", kernel, what, data.size() / 16);
  CHECK_CASE(place.frame_intact(), "%s, %s wrote outside, in place", kernel, what);
}

// A counter that wraps one, two or three bytes or the whole 32 bits within the first kMaxBlocks.
reference::Block counter_near_wrap(Random& random) {
  reference::Block counter;
  random.fill(counter.data(), 16);
  const std::size_t bytes = random.below(5);
  for (std::size_t i = 16 - bytes; i < 16; ++i) counter[i] = 0xff;
  if (bytes > 0) counter[15] = static_cast<std::uint8_t>(0xff - random.below(kMaxBlocks));
  return counter;
}

void modes(const AesChoice& kernel, const Bytes& user_key, std::size_t blocks, Random& random) {
  const reference::Aes aes(user_key);
  const AesFunctions& fn = kernel.fn;
  AesKey key;
  fn.expand_key(&key, user_key.data(), user_key.size());
  const Bytes data = random.bytes(16 * blocks);

  both_places(kernel.name, "ecb_encrypt", data, reference::ecb(aes, false, data), random,
              [&](auto* out, auto* in) { fn.ecb_encrypt(&key, out, in, blocks); });
  both_places(kernel.name, "ecb_decrypt", data, reference::ecb(aes, true, data), random,
              [&](auto* out, auto* in) { fn.ecb_decrypt(&key, out, in, blocks); });

  for (const bool decrypt : {false, true}) {
    const Bytes start = random.bytes(16);
    reference::Block last = reference::block_at(start, 0);
    const Bytes expected = reference::cbc(aes, decrypt, &last, data);
    const char* what = decrypt ? "cbc_decrypt" : "cbc_encrypt";
    both_places(kernel.name, what, data, expected, random, [&](auto* out, auto* in) {
      Framed iv(start, random.below(16));
      (decrypt ? fn.cbc_decrypt : fn.cbc_encrypt)(&key, iv.data(), out, in, blocks);
      CHECK_CASE(iv.holds(Bytes(last.begin(), last.end())), "%s, %s: iv after %zu blocks",
                 kernel.name, what, blocks);
      CHECK(iv.frame_intact());
    });
  }

  const reference::Block counter = counter_near_wrap(random);
  const Bytes expected = reference::ctr(aes, counter, data, 4);
  both_places(kernel.name, "ctr32", data, expected, random, [&](auto* out, auto* in) {
    Framed start(Bytes(counter.begin(), counter.end()), random.below(16));
    fn.ctr32(&key, out, in, blocks, start.data());
    CHECK_CASE(start.holds(Bytes(counter.begin(), counter.end())), "%s, ctr32 moved the counter",
               kernel.name);
  });
}

// Round keys that the S-box can only get wrong in a few bytes need every byte value in every place.
void all_bytes_in_all_places(const AesChoice& kernel, Random& random) {
  const Bytes user_key = random.bytes(32);
  const reference::Aes aes(user_key);
  AesKey key;
  kernel.fn.expand_key(&key, user_key.data(), user_key.size());
  Bytes data(16 * 256);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(i / 16 + 37 * (i % 16));
  }
  Bytes out(data.size());
  kernel.fn.ecb_encrypt(&key, out.data(), data.data(), 256);
  CHECK_CASE(out == reference::ecb(aes, false, data), "%s", kernel.name);
  kernel.fn.ecb_decrypt(&key, out.data(), data.data(), 256);
  CHECK_CASE(out == reference::ecb(aes, true, data), "%s", kernel.name);
}

// The exact 32-bit wrap at each distance from the start.
void every_wrap(const AesChoice& kernel, Random& random) {
  const Bytes user_key = random.bytes(16);
  const reference::Aes aes(user_key);
  AesKey key;
  kernel.fn.expand_key(&key, user_key.data(), user_key.size());
  const Bytes zeros(16 * 70);
  Bytes out(zeros.size());
  for (std::uint32_t before = 0; before < 70; ++before) {
    reference::Block counter;
    random.fill(counter.data(), 12);
    for (int i = 0; i < 4; ++i) {
      counter[15 - i] = static_cast<std::uint8_t>((0U - before) >> (8 * i));
    }
    kernel.fn.ctr32(&key, out.data(), zeros.data(), 70, counter.data());
    CHECK_CASE(out == reference::ctr(aes, counter, zeros, 4), "%s, wraps after %u blocks",
               kernel.name, static_cast<unsigned>(before));
  }
}

// Calls continued with the iv that the last one left.
void cbc_in_pieces(const AesChoice& kernel, Random& random) {
  const Bytes user_key = random.bytes(24);
  const reference::Aes aes(user_key);
  AesKey key;
  kernel.fn.expand_key(&key, user_key.data(), user_key.size());
  const Bytes data = random.bytes(16 * 200);
  for (const bool decrypt : {false, true}) {
    reference::Block start{};
    const Bytes expected = reference::cbc(aes, decrypt, &start, data);
    Bytes out(data.size());
    std::uint8_t iv[16] = {};
    for (std::size_t at = 0; at < 200;) {
      const std::size_t n = std::min(random.below(40), 200 - at);
      (decrypt ? kernel.fn.cbc_decrypt : kernel.fn.cbc_encrypt)(&key, iv, &out[16 * at],
                                                                &data[16 * at], n);
      at += n;
    }
    CHECK_CASE(out == expected, "%s, %s", kernel.name, decrypt ? "decrypt" : "encrypt");
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes([](const AesChoice& kernel) {
    Random random(1);
    key_expansion(kernel, random);
    for (int round = 0; round < test::rounds(2); ++round) {
      for (const std::size_t key_len : test::kKeyLengths) {
        const Bytes user_key = random.bytes(key_len);
        for (std::size_t blocks = 0; blocks <= kMaxBlocks; ++blocks) {
          modes(kernel, user_key, blocks, random);
        }
        modes(kernel, user_key, 1000 + random.below(64), random);
      }
    }
    all_bytes_in_all_places(kernel, random);
    every_wrap(kernel, random);
    cbc_in_pieces(kernel, random);
  });
  return test::end();
}
