// One GCM message on several cores. Counter mode can start anywhere; GHASH is a polynomial in H, so
// that of a message is the sum of its pieces' GHASHes, each times H to the number of blocks behind
// the piece (SP 800-38D section 6.4).
#include <algorithm>

#include "cngaes/pool.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/split.hpp"
#include "gcm_parts.hpp"

namespace cngaes {
namespace {

using namespace gcm;

// y * H^n by squaring; n is public.
void multiply_by_power(const GcmContext& c, std::uint8_t y[16], std::size_t n) noexcept {
  SecretBuffer<kBlock> square;
  std::memcpy(square.data, c.ghash.h, kBlock);
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) c.fn.ghash_multiply(y, square.data);
    SecretBuffer<kBlock> same;
    std::memcpy(same.data, square.data, kBlock);
    c.fn.ghash_multiply(square.data, same.data);
  }
}

void crypt_split(const GcmContext& c, Direction direction, const GcmMessage& m, std::uint8_t* out,
                 const std::uint8_t* in, std::size_t len, unsigned threads,
                 std::uint8_t out_tag[16]) noexcept {
  std::uint8_t j0[kBlock];
  make_j0(c, m.nonce, m.nonce_len, j0);
  SecretBuffer<kBlock> tag_mask;
  c.fn.ecb_encrypt(&c.aes, tag_mask.data, j0, 1);

  const Pieces pieces(len / kBlock * kBlock, threads);
  // The GHASH of each piece, started at zero, but for the first, which continues that of the AAD.
  SecretBuffer<kBlock * Pieces::kMost> sums;
  std::memset(sums.data, 0, kBlock * pieces.count());
  sums.wipe_only(kBlock * std::max<std::size_t>(pieces.count(), 1));
  std::uint8_t y[kBlock] = {};
  if (m.aad_len > 0) ghash_padded(c, y, m.aad, m.aad_len);
  std::memcpy(sums.data, y, kBlock);
  const auto crypt = direction == Direction::encrypt ? c.fn.gcm_encrypt : c.fn.gcm_decrypt;
  run_parallel(threads, pieces.count(), [&](std::size_t i) {
    const std::size_t at = pieces.start(i);
    std::uint8_t counter[kBlock];
    counter_after(j0, static_cast<std::uint32_t>(1 + at / kBlock), counter);
    crypt(&c.aes, &c.ghash, sums.data + kBlock * i, out + at, in + at, pieces.len(i) / kBlock,
          counter);
  });
  std::memcpy(y, sums.data, kBlock);
  if (pieces.count() > 1) {
    // Horner's rule. All pieces but the last are of one size.
    SecretBuffer<kBlock> power;
    std::memcpy(power.data, c.ghash.h, kBlock);
    multiply_by_power(c, power.data, pieces.len(0) / kBlock - 1);
    for (std::size_t i = 1; i < pieces.count(); ++i) {
      if (pieces.len(i) == pieces.len(0)) {
        c.fn.ghash_multiply(y, power.data);
      } else {
        multiply_by_power(c, y, pieces.len(i) / kBlock);
      }
      xor_block(y, y, sums.data + kBlock * i);
    }
  }

  const std::size_t whole = len / kBlock;
  const std::size_t tail = len % kBlock;
  std::uint8_t last[kBlock];
  if (tail > 0) {
    std::uint8_t counter[kBlock];
    counter_after(j0, static_cast<std::uint32_t>(1 + whole), counter);
    crypt_tail(c, direction, counter, out + whole * kBlock, in + whole * kBlock, tail, last);
  }
  c.fn.ghash_finish(&c.ghash, y, last, tail > 0 ? 1 : 0, std::uint64_t{m.aad_len} * 8,
                    std::uint64_t{len} * 8);
  xor_block(out_tag, y, tag_mask.data);
}

}  // namespace

Status gcm_seal_split(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                      std::uint8_t* out_tag, const std::uint8_t* in, std::size_t len,
                      unsigned threads) noexcept {
  const Status sizes = gcm_check_sizes(message, len);
  if (!sizes.ok()) return sizes;
  std::uint8_t tag[kBlock];
  crypt_split(context, Direction::encrypt, message, out, in, len, threads, tag);
  std::memcpy(out_tag, tag, message.tag_len);
  return kOk;
}

Status gcm_open_split(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                      const std::uint8_t* in, std::size_t len, const std::uint8_t* tag,
                      unsigned threads) noexcept {
  const Status sizes = gcm_check_sizes(message, len);
  if (!sizes.ok()) return sizes;
  std::uint8_t given[kBlock];  // as in gcm_open
  std::memcpy(given, tag, message.tag_len);
  SecretBuffer<kBlock> expected;
  crypt_split(context, Direction::decrypt, message, out, in, len, threads, expected.data);
  if (constant_time_equal(expected.data, given, message.tag_len) == 0) {
    secure_wipe(out, len);
    wipe_stack();
    return fail(StatusCode::invalid_tag);
  }
  return kOk;
}

}  // namespace cngaes
