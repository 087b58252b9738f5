// Many GCM messages under one key. The shortest are taken together, since each would leave the
// units of AES waiting: all their counter blocks are encrypted in one call.
//
// Data goes through buffers of our own, so that each byte of ciphertext is loaded once.
#include <algorithm>

#include "cngaes/secure_memory.hpp"
#include "gcm_parts.hpp"

namespace cngaes {
namespace {

using namespace gcm;

// Above that many blocks out-of-order execution overlaps one message with the next by itself, and
// the detour through buffers costs more than it saves: ns a message, AES-256, Sapphire Rapids,
// x86-vaes512, together / one by one: 38 / 44 at 16 bytes, 51 / 42 at 64. A kernel that takes as
// long for one block as for many says so (AesFunctions::gcm_together): 0.55 / 2.2 us at 16 bytes
// and 3.5 / 4.7 at 256 for the bitsliced one.
constexpr std::size_t kShortBlocks = 2;
// Blocks in one call: their keystream, their ciphertext and what belongs to them stay in the
// first-level cache.
constexpr std::size_t kGroupBlocks = 256;
constexpr std::size_t kGroupMessages = 64;

std::size_t longest_short(const GcmContext& c) noexcept {
  const std::size_t blocks = c.fn.gcm_together != 0 ? c.fn.gcm_together : kShortBlocks;
  return kBlock * std::min(blocks, kGroupBlocks - 1);
}

// Whether a message of that many bytes is worth a place in a group. A kernel that does a whole
// short message in one call wins over it: ns a message of 32 bytes, x86-vaes512, Sapphire Rapids,
// 55 / 68 (at 16 bytes 49 / 57, of the same rounds as likely slower as faster).
bool goes_together(const GcmContext& c, std::size_t len, std::size_t longest) noexcept {
  if (len > longest) return false;
  return c.fn.gcm_encrypt_short == nullptr || len == 0 || len % kBlock != 0;
}

class Group {
 public:
  explicit Group(const GcmContext& c) noexcept : c_(c) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    keystream_.wipe_only(most_ * kBlock);
    text_.wipe_only(most_ * kBlock);
    // Kernels spilled below this large object, deeper than the wiping that the key's end brings.
    wipe_stack();
  }

  bool has_room(std::size_t len) const noexcept {
    return num_ < kGroupMessages && used_ + blocks_for(len) <= kGroupBlocks;
  }

  // in: plaintext, or ciphertext with the tag behind it; len without the tag.
  void add(std::size_t index, ByteView nonce, ByteView aad, const std::uint8_t* in, std::size_t len,
           std::uint8_t* out) noexcept {
    Message& m = messages_[num_++];
    m = {index, aad, in, len, out, used_};
    const std::size_t n = blocks_for(len);
    write_counters(keystream_.data + kBlock * used_, nonce, n);
    used_ += n;
  }

  void seal(std::size_t tag_len) noexcept {
    start();
    for (std::size_t k = 0; k < num_; ++k) {
      const Message& m = messages_[k];
      seal_text(m);
    }
    for (std::size_t k = 0; k < num_; ++k) {
      const Message& m = messages_[k];
      std::uint8_t tag[kBlock];
      make_tag(m, tag);
      if (tag_len == kBlock) {
        std::memcpy(m.out + m.len, tag, kBlock);
      } else {
        std::memcpy(m.out + m.len, tag, tag_len);
      }
    }
    used_ = num_ = 0;
  }

  void open(std::size_t tag_len, std::uint8_t* out_failed) noexcept {
    start();
    for (std::size_t k = 0; k < num_; ++k) {
      const Message& m = messages_[k];
      std::uint8_t* const text = text_of(m);
      std::size_t at = 0;
      for (; at + kBlock <= m.len; at += kBlock) std::memcpy(text + at, m.in + at, kBlock);
      if (at < m.len) store_block(text + at, load_partial(m.in + at, m.len - at));
    }
    for (std::size_t k = 0; k < num_; ++k) {
      const Message& m = messages_[k];
      SecretBuffer<kBlock> expected;  // as good as a signature, as in gcm_open
      make_tag(m, expected.data);
      if (constant_time_equal(expected.data, m.in + m.len, tag_len) != 0) {
        write_xored(m);
      } else {
        if (m.len > 0) std::memset(m.out, 0, m.len);
        out_failed[m.index] = 1;
      }
    }
    used_ = num_ = 0;
  }

 private:
  struct Message {
    std::size_t index;
    ByteView aad;
    const std::uint8_t* in;
    std::size_t len;
    std::uint8_t* out;
    std::size_t at;  // its first block: J0, then one for each block of data
  };

  static std::size_t blocks_for(std::size_t len) noexcept {
    return 1 + (len + kBlock - 1) / kBlock;
  }
  std::uint8_t* keystream_of(const Message& m) noexcept {
    return keystream_.data + kBlock * (m.at + 1);
  }
  std::uint8_t* text_of(const Message& m) noexcept { return text_.data + kBlock * (m.at + 1); }

  void start() noexcept {
    most_ = std::max(most_, used_);
    c_.fn.ecb_encrypt(&c_.aes, keystream_.data, keystream_.data, used_);
  }

  // J0 and the counters behind it.
  void write_counters(std::uint8_t* out, ByteView nonce, std::size_t n) noexcept {
    std::uint8_t j0[kBlock];
    const std::uint8_t* prefix = nonce.data;
    std::uint32_t first = 1;
    if (nonce.len != 12) {
      make_j0(c_, nonce.data, nonce.len, j0);
      prefix = j0;
      first = load_be32(j0 + 12);
    }
    const std::uint64_t low = load_le64(prefix);
    const std::uint64_t high = load_le32(prefix + 8);
    for (std::size_t i = 0; i < n; ++i, ++first, out += kBlock) {
      store_block(out, {low, high | swap_bytes(std::uint64_t{first})});
    }
  }

  // The ciphertext into out, and with zeros behind it into text for GHASH.
  void seal_text(const Message& m) noexcept {
    std::uint8_t* const text = text_of(m);
    const std::uint8_t* const keystream = keystream_of(m);
    std::size_t at = 0;
    for (; at + kBlock <= m.len; at += kBlock) {
      xor_block(text + at, keystream + at, m.in + at);
      std::memcpy(m.out + at, text + at, kBlock);
    }
    if (at == m.len) return;
    const BlockPair x = load_partial(m.in + at, m.len - at);
    const BlockPair y = keep_bytes(
        {x.low ^ load_le64(keystream + at), x.high ^ load_le64(keystream + at + 8)}, m.len - at);
    store_block(text + at, y);
    store_partial(m.out + at, y, m.len - at);
  }

  void write_xored(const Message& m) noexcept {
    std::uint8_t* const text = text_of(m);
    const std::uint8_t* const keystream = keystream_of(m);
    std::size_t at = 0;
    for (; at + kBlock <= m.len; at += kBlock) xor_block(m.out + at, text + at, keystream + at);
    if (at == m.len) return;
    store_partial(m.out + at,
                  {load_le64(text + at) ^ load_le64(keystream + at),
                   load_le64(text + at + 8) ^ load_le64(keystream + at + 8)},
                  m.len - at);
  }

  // The state of GHASH behind the AAD, which is often the same for all.
  const std::uint8_t* after_aad(ByteView aad) noexcept {
    if (aad.len == 0) return kZeros;
    if (aad.data != known_aad_.data || aad.len != known_aad_.len) {
      std::memset(aad_state_, 0, kBlock);
      ghash_padded(c_, aad_state_, aad.data, aad.len);
      known_aad_ = aad;
    }
    return aad_state_;
  }

  void make_tag(const Message& m, std::uint8_t out_tag[16]) noexcept {
    std::uint8_t y[kBlock];
    std::memcpy(y, after_aad(m.aad), kBlock);
    c_.fn.ghash_finish(&c_.ghash, y, text_of(m), blocks_for(m.len) - 1,
                       std::uint64_t{m.aad.len} * 8, std::uint64_t{m.len} * 8);
    xor_block(out_tag, y, keystream_.data + kBlock * m.at);
  }

  static constexpr std::uint8_t kZeros[kBlock] = {};

  const GcmContext& c_;
  SecretBuffer<kBlock * kGroupBlocks> keystream_;  // counters, then their encryption
  SecretBuffer<kBlock * kGroupBlocks> text_;       // ciphertext, padded
  Message messages_[kGroupMessages];
  std::size_t num_ = 0;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
  ByteView known_aad_ = {nullptr, 0};
  std::uint8_t aad_state_[kBlock] = {};
};

}  // namespace

Status gcm_seal_many(const GcmContext& context, const GcmBatch& batch, Range range) noexcept {
  const std::size_t longest = longest_short(context);
  Group group(context);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const ByteView in = batch.in[i];
    if (in.len >= range.skip_from) continue;
    std::uint8_t* const out = batch.out[i];
    if (!goes_together(context, in.len, longest)) {
      const Status status = gcm_seal(context, batch.message(i), out, out + in.len, in.data, in.len);
      if (!status.ok()) return status;
      continue;
    }
    if (!group.has_room(in.len)) group.seal(batch.tag_len);
    group.add(i, batch.nonces[i], batch.aads[i], in.data, in.len, out);
  }
  group.seal(batch.tag_len);
  return kOk;
}

Status gcm_open_many(const GcmContext& context, const GcmBatch& batch, Range range,
                     std::uint8_t* out_failed) noexcept {
  const std::size_t longest = longest_short(context);
  Group group(context);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const ByteView in = batch.in[i];
    if (in.len >= range.skip_from || in.len < batch.tag_len) continue;
    const std::size_t len = in.len - batch.tag_len;
    if (!goes_together(context, len, longest)) {
      const Status status =
          gcm_open(context, batch.message(i), batch.out[i], in.data, len, in.data + len);
      if (status.code == StatusCode::invalid_tag) {
        out_failed[i] = 1;
      } else if (!status.ok()) {
        return status;
      }
      continue;
    }
    if (!group.has_room(len)) group.open(batch.tag_len, out_failed);
    group.add(i, batch.nonces[i], batch.aads[i], in.data, len, batch.out[i]);
  }
  group.open(batch.tag_len, out_failed);
  return kOk;
}

}  // namespace cngaes
