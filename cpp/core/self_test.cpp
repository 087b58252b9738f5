#include "self_test.hpp"

#include <cstring>
#include <initializer_list>

#include "cngaes/sha256.hpp"

namespace cngaes {
namespace {

// Every slot works on the same message, long enough for each kernel's main loop (32 blocks at 512
// bits) and an odd tail behind it; one digest over all outputs stands for them.
constexpr std::size_t kBlocks = 37;
constexpr std::size_t kBytes = kBlocks * kAesBlockBytes;
// CBC in step: nine messages of 8, 7, ... 1 and once more 1 blocks, so that they end one by one.
constexpr std::size_t kStreams = 9;
// SHA-256 in step: more than the sixteen of the widest kernel.
constexpr std::size_t kHashes = 19;

// 251 is prime, so no two blocks of the message are equal and swapped blocks show.
void fill(std::uint8_t* out, std::size_t len) noexcept {
  for (std::size_t i = 0; i < len; ++i) out[i] = static_cast<std::uint8_t>(i % 251);
}

// tools/self_test_constants.py makes these from another library's outputs.
constexpr std::uint8_t kAesDigest[kSha256DigestBytes] = {
    0x67, 0x57, 0xab, 0x7e, 0x8b, 0x59, 0x30, 0x85, 0xb7, 0x2d, 0xee, 0xd0, 0x69, 0x51, 0x8e, 0xc4,
    0xc3, 0x1f, 0x62, 0x91, 0xc1, 0x70, 0xeb, 0x96, 0x38, 0x19, 0xc9, 0xb0, 0x44, 0xb1, 0x55, 0x8d};
constexpr std::uint8_t kSha256Digest[kSha256DigestBytes] = {
    0x79, 0x3a, 0x1d, 0x5f, 0x85, 0x83, 0x7c, 0xdf, 0xec, 0x97, 0x31, 0x0a, 0xdb, 0xa4, 0xac, 0x42,
    0x93, 0xca, 0xa7, 0xbd, 0x50, 0x0b, 0x9a, 0x61, 0x97, 0x80, 0xd9, 0x8f, 0x18, 0xd9, 0x49, 0x49};

}  // namespace

bool aes_known_answers(const AesFunctions& fn) noexcept {
  std::uint8_t message[kBytes];
  std::uint8_t out[kBytes];
  std::uint8_t user_key[32];
  fill(message, sizeof message);
  fill(user_key, sizeof user_key);
  Sha256 all(kSha256Generic);
  auto add = [&all](const void* data, std::size_t len) {
    static_cast<void>(all.update(static_cast<const std::uint8_t*>(data), len));
  };

  for (const std::size_t key_len : {std::size_t{16}, std::size_t{24}, std::size_t{32}}) {
    AesKey key;
    fn.expand_key(&key, user_key, key_len);
    fn.ecb_encrypt(&key, out, message, kBlocks);
    add(out, kBytes);
    fn.ecb_decrypt(&key, out, message, kBlocks);
    add(out, kBytes);
    std::uint8_t counter[16];
    std::memset(counter, 0xff, sizeof counter);  // wraps after one block, in 32 bits
    fn.ctr32(&key, out, message, kBlocks, counter);
    add(out, kBytes);
    std::uint8_t iv[16] = {};
    fn.cbc_encrypt(&key, iv, out, message, kBlocks);
    add(out, kBytes);
    add(iv, sizeof iv);
    std::memset(iv, 0, sizeof iv);
    fn.cbc_decrypt(&key, iv, out, message, kBlocks);
    add(out, kBytes);
    add(iv, sizeof iv);

    // GCM with a 96-bit nonce of zeros and no AAD, without the tag: its GHASH state instead.
    GhashKey ghash_key;
    std::uint8_t h[16] = {};
    fn.ecb_encrypt(&key, h, h, 1);
    fn.ghash_init(&ghash_key, h);
    std::memset(counter, 0, sizeof counter);
    counter[15] = 2;
    std::uint8_t y[16] = {};
    fn.gcm_encrypt(&key, &ghash_key, y, out, message, kBlocks, counter);
    add(out, kBytes);
    add(y, sizeof y);
    fn.gcm_decrypt(&key, &ghash_key, y, out, message, kBlocks, counter);
    add(y, sizeof y);
    fn.ghash(&ghash_key, y, message, kBlocks);
    add(y, sizeof y);
    fn.ghash_finish(&ghash_key, y, message, kBlocks, 8, std::uint64_t{1} << 40);
    add(y, sizeof y);
    fn.ghash_multiply(y, h);
    add(y, sizeof y);

    CbcStream streams[kStreams];
    std::size_t at = 0;
    for (std::size_t i = 0; i < kStreams; ++i) {
      const std::size_t blocks = i < kStreams - 1 ? kStreams - 1 - i : 1;
      streams[i] = {out + at, message + at, blocks, {}};
      at += blocks * kAesBlockBytes;
    }
    fn.cbc_encrypt_streams(&key, streams, kStreams);
    add(out, kBytes);
  }
  std::uint8_t digest[kSha256DigestBytes];
  all.digest(digest);
  return std::memcmp(digest, kAesDigest, sizeof digest) == 0;
}

bool sha256_known_answers(const Sha256Functions& fn) noexcept {
  std::uint8_t message[kBytes];
  fill(message, sizeof message);
  std::uint8_t digest[kSha256DigestBytes];
  Sha256::hash(fn, digest, message, sizeof message);
  if (std::memcmp(digest, kSha256Digest, sizeof digest) != 0) return false;

  // Streams in step against the same one after the other, which the digest has proved.
  constexpr std::size_t kHashBlocks = 4;
  const std::uint8_t* data[kHashes];
  std::uint32_t together[kHashes][8] = {};
  std::uint32_t apart[kHashes][8] = {};
  for (std::size_t i = 0; i < kHashes; ++i) {
    data[i] = message + 16 * i;
    together[i][0] = apart[i][0] = static_cast<std::uint32_t>(i);
  }
  fn.compress_streams(together, data, kHashes, kHashBlocks);
  for (std::size_t i = 0; i < kHashes; ++i) fn.compress(apart[i], data[i], kHashBlocks);
  return std::memcmp(together, apart, sizeof apart) == 0;
}

}  // namespace cngaes
