#include <algorithm>

#include "cngaes/bytes.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/secure_memory.hpp"
#include "gcm_parts.hpp"

namespace cngaes {
namespace gcm {

void ghash_padded(const GcmContext& c, std::uint8_t y[16], const std::uint8_t* data,
                  std::size_t len) noexcept {
  const std::size_t whole = len / kBlock;
  if (whole > 0) c.fn.ghash(&c.ghash, y, data, whole);
  if (len % kBlock != 0) {
    std::uint8_t last[kBlock] = {};
    copy_partial(last, data + whole * kBlock, len % kBlock);
    c.fn.ghash(&c.ghash, y, last, 1);
  }
}

void make_j0(const GcmContext& c, const std::uint8_t* nonce, std::size_t nonce_len,
             std::uint8_t out_j0[16]) noexcept {
  if (nonce_len == 12) {
    store_counter(out_j0, nonce, 1);
    return;
  }
  std::memset(out_j0, 0, kBlock);
  const std::size_t whole = nonce_len / kBlock * kBlock;
  ghash_padded(c, out_j0, nonce, whole);
  std::uint8_t last[kBlock] = {};
  const std::size_t tail = nonce_len - whole;
  copy_partial(last, nonce + whole, tail);
  c.fn.ghash_finish(&c.ghash, out_j0, last, tail > 0 ? 1 : 0, 0, std::uint64_t{nonce_len} * 8);
}

void crypt_tail(const GcmContext& c, Direction direction, const std::uint8_t counter[16],
                std::uint8_t* out, const std::uint8_t* in, std::size_t len,
                std::uint8_t out_padded[16]) noexcept {
  SecretBuffer<kBlock> keystream;
  std::memset(keystream.data, 0, kBlock);
  c.fn.ctr32(&c.aes, keystream.data, keystream.data, 1, counter);
  const BlockPair x = load_partial(in, len);
  const BlockPair y =
      keep_bytes({x.low ^ load_le64(keystream.data), x.high ^ load_le64(keystream.data + 8)}, len);
  store_block(out_padded, direction == Direction::encrypt ? y : x);
  store_partial(out, y, len);
}

}  // namespace gcm

namespace {

using namespace gcm;

// ---- one-shot -----------------------------------------------------------------------------------

// Up to so many whole blocks GHASH waits for the length block, to share its one reduction; a
// longer message gains more from GHASH running beside the cipher.
constexpr std::size_t kShortBlocks = 15;

template <Direction kDirection>
void crypt(const GcmContext& c, const GcmMessage& m, std::uint8_t* out, const std::uint8_t* in,
           std::size_t len, std::uint8_t out_tag[16]) noexcept {
  std::uint8_t j0[kBlock];
  make_j0(c, m.nonce, m.nonce_len, j0);
  std::uint8_t y[kBlock] = {};
  if (m.aad_len > 0) ghash_padded(c, y, m.aad, m.aad_len);
  const std::size_t whole = len / kBlock;
  const std::size_t tail = len % kBlock;
  const std::uint64_t aad_bits = std::uint64_t{m.aad_len} * 8;
  const auto crypt_short =
      kDirection == Direction::encrypt ? c.fn.gcm_encrypt_short : c.fn.gcm_decrypt_short;
  if (crypt_short != nullptr && tail == 0 && whole - 1 < kGcmShortBlocks) {  // not 0 blocks
    crypt_short(&c.aes, &c.ghash, y, out, in, whole, j0, aad_bits);
    std::memcpy(out_tag, y, kBlock);
    return;
  }

  SecretBuffer<kBlock> tag_mask;
  c.fn.ecb_encrypt(&c.aes, tag_mask.data, j0, 1);
  std::uint8_t counter[kBlock];
  counter_after(j0, 1, counter);
  const std::uint64_t data_bits = std::uint64_t{len} * 8;
  // Decryption must load each block once, for GHASH and cipher both, and only gcm_decrypt does.
  if (kDirection == Direction::encrypt && tail == 0 && whole <= kShortBlocks) {
    if (whole > 0) c.fn.ctr32(&c.aes, out, in, whole, counter);
    c.fn.ghash_finish(&c.ghash, y, out, whole, aad_bits, data_bits);
  } else {
    const auto crypt_blocks =
        kDirection == Direction::encrypt ? c.fn.gcm_encrypt : c.fn.gcm_decrypt;
    if (whole > 0) crypt_blocks(&c.aes, &c.ghash, y, out, in, whole, counter);
    std::uint8_t last[kBlock];
    if (tail > 0) {
      counter_after(j0, 1 + static_cast<std::uint32_t>(whole), counter);
      crypt_tail(c, kDirection, counter, out + whole * kBlock, in + whole * kBlock, tail, last);
    }
    c.fn.ghash_finish(&c.ghash, y, last, tail > 0 ? 1 : 0, aad_bits, data_bits);
  }
  xor_block(out_tag, y, tag_mask.data);
}

}  // namespace

void gcm_expand(const AesFunctions& fn, const AesKey& aes, GhashKey* out_ghash) noexcept {
  SecretBuffer<kBlock> h;
  std::memset(h.data, 0, kBlock);
  fn.ecb_encrypt(&aes, h.data, h.data, 1);
  fn.ghash_init(out_ghash, h.data);
}

Status gcm_check_sizes(const GcmMessage& message, std::uint64_t data_len) noexcept {
  if (data_len > kGcmMaxDataBytes) {
    return fail(StatusCode::limit,
                "data: GCM takes at most 2**36-32 bytes per message (SP 800-38D section 5.2.1.1)");
  }
  if (std::uint64_t{message.aad_len} > kGcmMaxAadBytes) {
    return fail(StatusCode::limit, "associated_data: GCM takes at most 2**61-1 bytes");
  }
  return kOk;
}

Status gcm_seal(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                std::uint8_t* out_tag, const std::uint8_t* in, std::size_t len) noexcept {
  const Status sizes = gcm_check_sizes(message, len);
  if (!sizes.ok()) return sizes;
  std::uint8_t tag[kBlock];
  crypt<Direction::encrypt>(context, message, out, in, len, tag);
  std::memcpy(out_tag, tag, message.tag_len);
  return kOk;
}

Status gcm_open(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                const std::uint8_t* in, std::size_t len, const std::uint8_t* tag) noexcept {
  const Status sizes = gcm_check_sizes(message, len);
  if (!sizes.ok()) return sizes;
  // A copy, since `out` may lie over the tag's neighbourhood and other threads over both. The
  // expected tag is as good as a signature on the forged message: wiped too.
  std::uint8_t given[kBlock];
  std::memcpy(given, tag, message.tag_len);
  SecretBuffer<kBlock> expected;
  crypt<Direction::decrypt>(context, message, out, in, len, expected.data);
  if (constant_time_equal(expected.data, given, message.tag_len) == 0) {
    secure_wipe(out, len);
    wipe_stack();  // rejected plaintext that a kernel spilled
    return fail(StatusCode::invalid_tag);
  }
  return kOk;
}

// ---- in pieces ----------------------------------------------------------------------------------

CpuGcmStream::CpuGcmStream(Direction direction, const GcmContext& context,
                           const GcmMessage& message) noexcept
    : context_(context), direction_(direction), aad_len_(message.aad_len) {
  make_j0(context, message.nonce, message.nonce_len, counter_);
  context.fn.ecb_encrypt(&context.aes, tag_mask_, counter_, 1);
  add_be32(counter_, 1);
  if (message.aad_len > 0) ghash_padded(context, y_, message.aad, message.aad_len);
}

CpuGcmStream::~CpuGcmStream() {
  secure_wipe(tag_mask_, sizeof tag_mask_);
  secure_wipe(keystream_, sizeof keystream_);
}

// Up to the end of the block in progress.
void CpuGcmStream::update_partial(std::uint8_t* out, const std::uint8_t* in,
                                  std::size_t len) noexcept {
  for (std::size_t i = 0; i < len; ++i, ++num_partial_) {
    const std::uint8_t x = in[i];
    const auto y = static_cast<std::uint8_t>(x ^ keystream_[num_partial_]);
    partial_[num_partial_] = direction_ == Direction::encrypt ? y : x;
    out[i] = y;
  }
  if (num_partial_ == kBlock) {
    context_.fn.ghash(&context_.ghash, y_, partial_, 1);
    num_partial_ = 0;
  }
}

Status CpuGcmStream::update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  if (len > kGcmMaxDataBytes - data_len_) {
    return fail(StatusCode::limit,
                "data: GCM takes at most 2**36-32 bytes per message (SP 800-38D section 5.2.1.1)");
  }
  data_len_ += len;
  if (num_partial_ > 0) {
    const std::size_t n = std::min(len, kBlock - num_partial_);
    update_partial(out, in, n);
    out += n;
    in += n;
    len -= n;
  }
  const std::size_t whole = len / kBlock;
  if (whole > 0) {
    const auto crypt =
        direction_ == Direction::encrypt ? context_.fn.gcm_encrypt : context_.fn.gcm_decrypt;
    crypt(&context_.aes, &context_.ghash, y_, out, in, whole, counter_);
    add_be32(counter_, static_cast<std::uint32_t>(whole));
    out += whole * kBlock;
    in += whole * kBlock;
    len -= whole * kBlock;
  }
  if (len > 0) {
    std::memset(keystream_, 0, kBlock);
    context_.fn.ctr32(&context_.aes, keystream_, keystream_, 1, counter_);
    add_be32(counter_, 1);
    update_partial(out, in, len);
  }
  return kOk;
}

Status CpuGcmStream::tag(std::uint8_t out_tag[16]) noexcept {
  if (num_partial_ > 0) {
    std::memset(partial_ + num_partial_, 0, kBlock - num_partial_);
  }
  context_.fn.ghash_finish(&context_.ghash, y_, partial_, num_partial_ > 0 ? 1 : 0, aad_len_ * 8,
                           data_len_ * 8);
  num_partial_ = 0;
  xor_block(out_tag, y_, tag_mask_);
  return kOk;
}

}  // namespace cngaes
