// GHASH and the fused GCM slots of every kernel against the bit-by-bit reference.
#include "check.hpp"
#include "cngaes/bytes.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using reference::Block;
using test::Bytes;
using test::Framed;
using test::Random;

Bytes bytes_of(const Block& b) { return Bytes(b.begin(), b.end()); }

// Elements at which carries, reductions and reflections go wrong first.
std::vector<Block> special_elements(Random& random) {
  std::vector<Block> elements(4, Block{});
  elements[1][0] = 0x80;   // 1
  elements[2][15] = 0x01;  // x^127
  elements[3].fill(0xff);
  for (int i = 0; i < 8; ++i) {
    Block b{};
    const std::size_t bit = random.below(128);
    b[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    elements.push_back(b);
    random.fill(b.data(), 16);
    elements.push_back(b);
  }
  return elements;
}

void multiply(const AesChoice& kernel, Random& random) {
  const std::vector<Block> elements = special_elements(random);
  for (const Block& a : elements) {
    for (const Block& b : elements) {
      Framed y(bytes_of(a), random.below(16));
      Framed x(bytes_of(b), random.below(16));
      kernel.fn.ghash_multiply(y.data(), x.data());
      CHECK_CASE(y.holds(bytes_of(reference::multiply(a, b))), "%s: %s * %s", kernel.name,
                 test::to_hex(a.data(), 16).c_str(), test::to_hex(b.data(), 16).c_str());
      CHECK(x.holds(bytes_of(b)) && y.frame_intact());
    }
    // Both factors in one place: squaring.
    Block square = a;
    kernel.fn.ghash_multiply(square.data(), square.data());
    CHECK_CASE(square == reference::multiply(a, a), "%s: square", kernel.name);
  }
}

void hash(const AesChoice& kernel, const Block& h, std::size_t blocks, Random& random) {
  GhashKey key;
  kernel.fn.ghash_init(&key, h.data());
  Bytes data = random.bytes(16 * blocks);
  if (random.below(8) == 0) data.assign(data.size(), 0xff);
  Block start{};
  if (random.below(2) != 0) random.fill(start.data(), 16);
  const Block expected = reference::ghash(h, start, data);
  Framed in(data, random.below(64));
  Framed y(bytes_of(start), random.below(16));
  kernel.fn.ghash(&key, y.data(), in.data(), blocks);
  CHECK_CASE(y.holds(bytes_of(expected)), "%s, %zu blocks, h = %s", kernel.name, blocks,
             test::to_hex(h.data(), 16).c_str());
  CHECK(y.frame_intact() && in.holds(data));
  CHECK(std::memcmp(key.h, h.data(), 16) == 0);
}

// Two GHASHes computed apart, from 0 each, become that of the whole: first * H^n + second.
void join(const AesChoice& kernel, std::size_t first, std::size_t second, Random& random) {
  Block h;
  random.fill(h.data(), 16);
  GhashKey key;
  kernel.fn.ghash_init(&key, h.data());
  const Bytes data = random.bytes(16 * (first + second));
  Block whole{};
  kernel.fn.ghash(&key, whole.data(), data.data(), first + second);

  Block left{};
  Block right{};
  kernel.fn.ghash(&key, left.data(), data.data(), first);
  kernel.fn.ghash(&key, right.data(), data.data() + 16 * first, second);
  // H^second by squaring.
  Block power{};
  power[0] = 0x80;
  Block square = h;
  for (std::size_t n = second; n > 0; n /= 2) {
    if (n % 2 != 0) kernel.fn.ghash_multiply(power.data(), square.data());
    kernel.fn.ghash_multiply(square.data(), square.data());
  }
  kernel.fn.ghash_multiply(left.data(), power.data());
  using reference::operator^;
  CHECK_CASE((left ^ right) == whole, "%s, %zu + %zu blocks", kernel.name, first, second);
}

void fused(const AesChoice& kernel, std::size_t key_len, std::size_t blocks, Random& random) {
  const Bytes user_key = random.bytes(key_len);
  const reference::Aes aes(user_key);
  const Block h = aes.encrypt(Block{});
  AesKey key;
  GhashKey ghash_key;
  kernel.fn.expand_key(&key, user_key.data(), key_len);
  kernel.fn.ghash_init(&ghash_key, h.data());

  const Bytes data = random.bytes(16 * blocks);
  Block counter;
  Block start;
  random.fill(counter.data(), 16);
  random.fill(start.data(), 16);
  if (random.below(2) == 0) {  // wraps soon
    counter[12] = counter[13] = counter[14] = 0xff;
    counter[15] = static_cast<std::uint8_t>(0xff - random.below(80));
  }
  const Bytes crypted = reference::ctr(aes, counter, data, 4);

  for (const bool decrypt : {false, true}) {
    const Block hashed = reference::ghash(h, start, decrypt ? data : crypted);
    const auto run = decrypt ? kernel.fn.gcm_decrypt : kernel.fn.gcm_encrypt;
    for (const bool in_place : {false, true}) {
      Framed in(data, random.below(64));
      Framed out(data, random.below(64));
      Framed y(bytes_of(start), random.below(16));
      Framed from(bytes_of(counter), random.below(16));
      run(&key, &ghash_key, y.data(), out.data(), in_place ? out.data() : in.data(), blocks,
          from.data());
      const char* what = decrypt ? "gcm_decrypt" : "gcm_encrypt";
      CHECK_CASE(out.holds(crypted), "%s, %s, %zu blocks, in place %d", kernel.name, what, blocks,
                 in_place);
      CHECK_CASE(y.holds(bytes_of(hashed)), "%s, %s, %zu blocks, in place %d: GHASH", kernel.name,
                 what, blocks, in_place);
      CHECK(in.holds(data) && from.holds(bytes_of(counter)));
      CHECK(out.frame_intact() && y.frame_intact());
    }
  }
}

// A short message at once: cipher, GHASH with the length block and the mask of the tag.
void fused_short(const AesChoice& kernel, std::size_t key_len, std::size_t blocks, Random& random) {
  const AesFunctions& fn = kernel.fn;
  CHECK((fn.gcm_encrypt_short == nullptr) == (fn.gcm_decrypt_short == nullptr));
  if (fn.gcm_encrypt_short == nullptr) return;
  const Bytes user_key = random.bytes(key_len);
  const reference::Aes aes(user_key);
  const Block h = aes.encrypt(Block{});
  AesKey key;
  GhashKey ghash_key;
  fn.expand_key(&key, user_key.data(), key_len);
  fn.ghash_init(&ghash_key, h.data());
  const Bytes data = random.bytes(16 * blocks);
  Block j0;
  Block start;
  random.fill(j0.data(), 16);
  random.fill(start.data(), 16);
  if (random.below(2) == 0) {  // wraps soon, or with the first block
    j0[12] = j0[13] = j0[14] = 0xff;
    j0[15] = static_cast<std::uint8_t>(0xff - random.below(4));
  }
  Block counter = j0;
  add_be32(counter.data(), 1);
  const Bytes crypted = reference::ctr(aes, counter, data, 4);
  const Block mask = aes.encrypt(j0);
  const std::uint64_t aad_bits = random.next() >> 3;
  Bytes lengths(16);
  store_be64(lengths.data(), aad_bits);
  store_be64(lengths.data() + 8, std::uint64_t{data.size()} * 8);
  for (const bool decrypt : {false, true}) {
    Bytes text = decrypt ? data : crypted;
    text.insert(text.end(), lengths.begin(), lengths.end());
    Block tag = reference::ghash(h, start, text);
    for (std::size_t i = 0; i < 16; ++i) tag[i] ^= mask[i];
    const auto run = decrypt ? fn.gcm_decrypt_short : fn.gcm_encrypt_short;
    for (const bool in_place : {false, true}) {
      Framed in(data, random.below(64));
      Framed out(data, random.below(64));
      Framed y(bytes_of(start), random.below(16));
      Framed from(bytes_of(j0), random.below(16));
      run(&key, &ghash_key, y.data(), out.data(), in_place ? out.data() : in.data(), blocks,
          from.data(), aad_bits);
      CHECK_CASE(out.holds(crypted) && y.holds(bytes_of(tag)),
                 "%s, short, decrypt %d, %zu blocks, in place %d", kernel.name, decrypt, blocks,
                 in_place);
      CHECK(in.holds(data) && from.holds(bytes_of(j0)));
      CHECK(out.frame_intact() && y.frame_intact());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes([](const AesChoice& kernel) {
    Random random(2);
    multiply(kernel, random);
    for (int round = 0; round < test::rounds(3); ++round) {
      const std::vector<Block> elements = special_elements(random);
      for (std::size_t blocks = 0; blocks <= 80; ++blocks) {
        hash(kernel, elements[random.below(elements.size())], blocks, random);
        fused(kernel, test::kKeyLengths[blocks % 3], blocks, random);
        join(kernel, random.below(100), blocks, random);
      }
      for (std::size_t blocks = 1; blocks <= kGcmShortBlocks; ++blocks) {
        for (const std::size_t key_len : test::kKeyLengths) {
          fused_short(kernel, key_len, blocks, random);
        }
      }
      hash(kernel, elements[5], 1000 + random.below(64), random);
      fused(kernel, 32, 1000 + random.below(64), random);
    }
  });
  return test::end();
}
