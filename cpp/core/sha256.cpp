#include "cngaes/sha256.hpp"

#include <algorithm>
#include <iterator>

#include "cngaes/bytes.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes {
namespace {

constexpr std::uint64_t kMaxBytes = (1ULL << 61) - 1;
constexpr std::size_t kLengthAt = kSha256BlockBytes - 8;

// Pads the last partial block (section 5.1.1), compresses it and writes the digest.
void finish(const Sha256Functions& fn, std::uint32_t state[8], std::uint8_t out[32],
            const std::uint8_t* tail, std::uint64_t total_len) noexcept {
  // Cleared only as far as it is used: at 16 bytes the two blocks together would cost a tenth.
  std::uint8_t last[2 * kSha256BlockBytes];
  const auto tail_len = static_cast<std::size_t>(total_len % kSha256BlockBytes);
  const std::size_t padded_len = tail_len < kLengthAt ? kSha256BlockBytes : sizeof last;
  std::memset(last, 0, kSha256BlockBytes);
  if (padded_len > kSha256BlockBytes) std::memset(last + kSha256BlockBytes, 0, kSha256BlockBytes);
  copy_bytes(last, tail, tail_len);
  last[tail_len] = 0x80;
  store_be64(last + padded_len - 8, total_len * 8);
  fn.compress(state, last, padded_len / kSha256BlockBytes);
  for (std::size_t i = 0; i < 8; ++i) store_be32(out + 4 * i, state[i]);
  secure_wipe(last, kSha256BlockBytes);
  if (padded_len > kSha256BlockBytes) {
    secure_wipe(last + kSha256BlockBytes, kSha256BlockBytes);
  }
}

}  // namespace

Sha256::Sha256(const Sha256Functions& fn) noexcept : fn_(&fn) {
  std::copy(std::begin(kInitial), std::end(kInitial), state_);
}

Sha256::~Sha256() {
  secure_wipe(state_, sizeof state_);
  secure_wipe(block_, sizeof block_);
}

bool Sha256::update(const std::uint8_t* in, std::size_t len) noexcept {
  if (len > kMaxBytes - len_) return false;
  const auto pending = static_cast<std::size_t>(len_ % kSha256BlockBytes);
  len_ += len;
  if (pending > 0) {
    const std::size_t n = std::min(len, kSha256BlockBytes - pending);
    copy_bytes(block_ + pending, in, n);
    in += n;
    len -= n;
    if (pending + n < kSha256BlockBytes) return true;
    fn_->compress(state_, block_, 1);
  }
  const std::size_t blocks = len / kSha256BlockBytes;
  if (blocks > 0) fn_->compress(state_, in, blocks);
  copy_bytes(block_, in + blocks * kSha256BlockBytes, len % kSha256BlockBytes);
  return true;
}

void Sha256::digest(std::uint8_t out[kSha256DigestBytes]) const noexcept {
  std::uint32_t state[8];
  std::copy(std::begin(state_), std::end(state_), state);
  finish(*fn_, state, out, block_, len_);
  secure_wipe(state, sizeof state);
}

void Sha256::hash(const Sha256Functions& fn, std::uint8_t out[kSha256DigestBytes],
                  const std::uint8_t* in, std::size_t len) noexcept {
  std::uint32_t state[8];
  std::copy(std::begin(kInitial), std::end(kInitial), state);
  const std::size_t blocks = len / kSha256BlockBytes;
  if (blocks > 0) fn.compress(state, in, blocks);
  finish(fn, state, out, in + blocks * kSha256BlockBytes, len);
  secure_wipe(state, sizeof state);
}

CNGAES_OWN_FRAME void Sha256::hmac_states(const Sha256Functions& fn, std::uint32_t out_inner[8],
                                          std::uint32_t out_outer[8], const std::uint8_t* key,
                                          std::size_t key_len) noexcept {
  // FIPS 198-1 table 1: K0 is the key padded to a block, hashed first if it is longer.
  std::uint8_t block[kSha256BlockBytes] = {};
  if (key_len > kSha256BlockBytes) {
    hash(fn, block, key, key_len);
  } else {
    copy_bytes(block, key, key_len);
  }
  std::copy(std::begin(kInitial), std::end(kInitial), out_inner);
  std::copy(std::begin(kInitial), std::end(kInitial), out_outer);
  for (std::uint8_t& b : block) b ^= 0x36;
  fn.compress(out_inner, block, 1);
  for (std::uint8_t& b : block) b ^= 0x36 ^ 0x5c;
  fn.compress(out_outer, block, 1);
  secure_wipe(block, sizeof block);
}

void Sha256::hmac(const Sha256Functions& fn, std::uint8_t out[kSha256DigestBytes],
                  const std::uint8_t* key, std::size_t key_len, const std::uint8_t* in,
                  std::size_t len) noexcept {
  Sha256 inner(fn);
  Sha256 outer(fn);
  hmac_states(fn, inner.state_, outer.state_, key, key_len);
  inner.len_ = outer.len_ = kSha256BlockBytes;
  std::uint8_t digest[kSha256DigestBytes];
  static_cast<void>(inner.update(in, len));  // the caller checked len against 2**61-1-64
  inner.digest(digest);
  static_cast<void>(outer.update(digest, sizeof digest));
  outer.digest(out);
  secure_wipe(digest, sizeof digest);
  wipe_stack();  // the key has no object whose end would do it
}

}  // namespace cngaes
