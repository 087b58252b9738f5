#include <algorithm>

#include "cngaes/bytes.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = kAesBlockBytes;

constexpr std::size_t blocks_of(std::size_t len) noexcept {
  return len / kBlock + (len % kBlock != 0 ? 1 : 0);
}

// [len(A)]64 || [len(C)]64 in bits (SP 800-38D algorithm 4 step 5).
void write_lengths(std::uint8_t out[16], std::uint64_t aad_len, std::uint64_t data_len) noexcept {
  store_be64(out, aad_len * 8);
  store_be64(out + 8, data_len * 8);
}

// Copies len bytes and zero-pads to whole blocks.
void copy_padded(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  if (len == 0) return;
  std::memset(out + (blocks_of(len) - 1) * kBlock, 0, kBlock);
  std::memcpy(out, in, len);
}

// GHASH over data that is zero-padded to whole blocks.
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

// SP 800-38D algorithm 4 step 2.
void make_j0(const GcmContext& c, const GcmMessage& m, std::uint8_t out_j0[16]) noexcept {
  if (m.nonce_len == 12) {
    std::memcpy(out_j0, m.nonce, 12);
    store_be32(out_j0 + 12, 1);
    return;
  }
  std::memset(out_j0, 0, kBlock);
  ghash_padded(c, out_j0, m.nonce, m.nonce_len);
  std::uint8_t lengths[kBlock];
  write_lengths(lengths, 0, m.nonce_len);
  c.fn.ghash(&c.ghash, out_j0, lengths, 1);
}

void xor_block(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b) noexcept {
  for (std::size_t i = 0; i < kBlock; ++i) out[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
}

// ---- short messages -----------------------------------------------------------------------------

// AAD, data and the length block together: as many blocks as one GHASH reduction takes at 256 bits.
constexpr std::size_t kShortBlocks = 16;

bool is_short(const GcmMessage& m, std::size_t len) noexcept {
  constexpr std::size_t kMax = kShortBlocks * kBlock;
  return len < kMax && m.aad_len < kMax &&
         blocks_of(m.aad_len) + blocks_of(len) + 1 <= kShortBlocks;
}

// A short message laid out so that two kernel calls do all of it: CTR over (zeros | data), whose
// first block becomes CIPH_K(J0), and GHASH over (AAD | ciphertext | lengths). The block of zeros
// and the last block of AAD take turns in the place before the data. One call after the other for
// each part costs about 60 ns more at 16 bytes (Zen 3).
class ShortMessage {
 public:
  ShortMessage(const GcmContext& context, const GcmMessage& message, std::size_t len) noexcept
      : context_(context), message_(message), len_(len) {
    aad_blocks_ = blocks_of(message.aad_len);
    data_blocks_ = blocks_of(len);
    data_ = buffer_.data + kBlock * std::max<std::size_t>(aad_blocks_, 1);
    buffer_.wipe_only(static_cast<std::size_t>(data_ - buffer_.data) + kBlock * (data_blocks_ + 1));
    make_j0(context, message, j0_);
  }

  void load(const std::uint8_t* in) noexcept { copy_padded(data_, in, len_); }
  void store(std::uint8_t* out) const noexcept { std::memcpy(out, data_, len_); }

  // Encrypts or decrypts in place; the padding is zeros again afterwards.
  void crypt() noexcept {
    std::uint8_t* start = data_ - kBlock;
    std::memset(start, 0, kBlock);
    context_.fn.ctr32(&context_.aes, start, start, data_blocks_ + 1, j0_);
    std::memcpy(tag_mask_.data, start, kBlock);
    if (len_ % kBlock != 0) {
      std::memset(data_ + len_, 0, kBlock - len_ % kBlock);
    }
  }

  void hash() noexcept {
    std::uint8_t* start = data_ - kBlock * aad_blocks_;
    copy_padded(start, message_.aad, message_.aad_len);
    write_lengths(data_ + kBlock * data_blocks_, message_.aad_len, len_);
    std::memset(y_, 0, kBlock);
    context_.fn.ghash(&context_.ghash, y_, start, aad_blocks_ + data_blocks_ + 1);
  }

  void tag(std::uint8_t out_tag[16]) const noexcept { xor_block(out_tag, y_, tag_mask_.data); }

 private:
  const GcmContext& context_;
  const GcmMessage& message_;
  std::size_t len_;
  std::size_t aad_blocks_;
  std::size_t data_blocks_;
  std::uint8_t* data_;
  std::uint8_t j0_[kBlock];
  std::uint8_t y_[kBlock];
  SecretBuffer<kBlock> tag_mask_;
  SecretBuffer<kBlock*(kShortBlocks + 1)> buffer_;
};

// ---- messages of any length ---------------------------------------------------------------------

// The last partial block: keystream, ciphertext and padding handled in one place.
template <Direction kDirection>
void crypt_tail(const GcmContext& c, const std::uint8_t counter[16], std::uint8_t* out,
                const std::uint8_t* in, std::size_t len, std::uint8_t out_padded[16]) noexcept {
  SecretBuffer<kBlock> block;
  std::memset(block.data, 0, kBlock);
  copy_partial(block.data, in, len);
  if constexpr (kDirection == Direction::decrypt) std::memcpy(out_padded, block.data, kBlock);
  c.fn.ctr32(&c.aes, block.data, block.data, 1, counter);
  if constexpr (kDirection == Direction::encrypt) {
    std::memset(out_padded, 0, kBlock);
    copy_partial(out_padded, block.data, len);
  }
  copy_partial(out, block.data, len);
}

template <Direction kDirection>
void crypt_long(const GcmContext& c, const GcmMessage& m, std::uint8_t* out, const std::uint8_t* in,
                std::size_t len, std::uint8_t out_tag[16]) noexcept {
  std::uint8_t counter[kBlock];
  make_j0(c, m, counter);
  SecretBuffer<kBlock> tag_mask;
  c.fn.ecb_encrypt(&c.aes, tag_mask.data, counter, 1);
  add_be32(counter, 1);

  std::uint8_t y[kBlock] = {};
  ghash_padded(c, y, m.aad, m.aad_len);
  const std::size_t whole = len / kBlock;
  const auto crypt = kDirection == Direction::encrypt ? c.fn.gcm_encrypt : c.fn.gcm_decrypt;
  crypt(&c.aes, &c.ghash, y, out, in, whole, counter);

  std::uint8_t last[2 * kBlock];  // the padded tail if any, and the lengths: one GHASH call
  const std::size_t tail = len % kBlock;
  if (tail > 0) {
    add_be32(counter, static_cast<std::uint32_t>(whole));
    crypt_tail<kDirection>(c, counter, out + whole * kBlock, in + whole * kBlock, tail, last);
  }
  write_lengths(last + kBlock, m.aad_len, len);
  c.fn.ghash(&c.ghash, y, tail > 0 ? last : last + kBlock, tail > 0 ? 2 : 1);
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
  if (is_short(message, len)) {
    ShortMessage m(context, message, len);
    m.load(in);
    m.crypt();
    m.store(out);
    m.hash();
    m.tag(tag);
  } else {
    crypt_long<Direction::encrypt>(context, message, out, in, len, tag);
  }
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
  bool equal = false;
  if (is_short(message, len)) {
    ShortMessage m(context, message, len);
    m.load(in);
    m.hash();
    m.crypt();
    m.tag(expected.data);
    equal = constant_time_equal(expected.data, given, message.tag_len) != 0;
    if (equal) m.store(out);
  } else {
    crypt_long<Direction::decrypt>(context, message, out, in, len, expected.data);
    equal = constant_time_equal(expected.data, given, message.tag_len) != 0;
  }
  if (!equal) {
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
  make_j0(context, message, counter_);
  context.fn.ecb_encrypt(&context.aes, tag_mask_, counter_, 1);
  add_be32(counter_, 1);
  ghash_padded(context, y_, message.aad, message.aad_len);
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
    context_.fn.ghash(&context_.ghash, y_, partial_, 1);
    num_partial_ = 0;
  }
  std::uint8_t lengths[kBlock];
  write_lengths(lengths, aad_len_, data_len_);
  context_.fn.ghash(&context_.ghash, y_, lengths, 1);
  xor_block(out_tag, y_, tag_mask_);
  return kOk;
}

}  // namespace cngaes
