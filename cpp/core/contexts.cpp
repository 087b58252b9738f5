#include "cngaes/contexts.hpp"

#include <algorithm>

#include "cngaes/bytes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = 16;
constexpr Status kNotWholeBlocks =
    fail(StatusCode::bad_argument,
         "data of all updates must be a multiple of 16 bytes in all: it ends within a block");

class CbcContext final : public StreamContext, public SecretObject {
 public:
  CbcContext(const CipherKey& key, Direction direction, bool padded,
             const std::uint8_t iv[16]) noexcept
      : key_(key), direction_(direction), padded_(padded) {
    std::memcpy(iv_, iv, kBlock);
  }

  std::size_t output_size(std::size_t len) const noexcept override {
    const std::size_t pending_and_rest = num_pending_ + len % kBlock;
    std::size_t blocks = len / kBlock + pending_and_rest / kBlock;
    // The last block may hold padding: kept back until it is known whether more follows.
    if (keeps_last_block() && blocks > 0 && pending_and_rest % kBlock == 0) --blocks;
    return blocks * kBlock;
  }

  Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept override {
    const std::size_t num_out = output_size(len);
    if (num_out > 0 && num_pending_ > 0) {
      return out == in ? update_in_place(out, len, num_out) : update_apart(out, in, len, num_out);
    }
    const Status status = num_out > 0 ? crypt(out, in, num_out) : kOk;
    if (status.ok()) keep(in + num_out, len - num_out);
    return status;
  }

  Status finalize(std::uint8_t out[16], std::size_t* out_len) noexcept override {
    *out_len = 0;
    if (!padded_) return num_pending_ == 0 ? kOk : kNotWholeBlocks;
    if (direction_ == Direction::encrypt) {
      SecretBuffer<kBlock> block;
      pkcs7_pad(block.data, pending_, num_pending_);
      *out_len = kBlock;
      return crypt(out, block.data, kBlock);
    }
    if (num_pending_ != kBlock) {
      return num_pending_ == 0 ? fail(StatusCode::invalid_padding) : kNotWholeBlocks;
    }
    SecretBuffer<kBlock> block;
    const Status status = crypt(block.data, pending_, kBlock);
    if (!status.ok()) return status;
    const std::size_t len = pkcs7_unpad(block.data);
    if (len == kBlock) return fail(StatusCode::invalid_padding);
    copy_partial(out, block.data, len);
    *out_len = len;
    return kOk;
  }

 private:
  bool keeps_last_block() const noexcept { return padded_ && direction_ == Direction::decrypt; }

  Status crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
    return key_.cbc(direction_, iv_, out, in, len);
  }

  void keep(const std::uint8_t* in, std::size_t len) noexcept {
    copy_bytes(pending_ + num_pending_, in, len);
    num_pending_ += len;
  }

  // The block in progress first, the rest straight from the input.
  Status update_apart(std::uint8_t* out, const std::uint8_t* in, std::size_t len,
                      std::size_t num_out) noexcept {
    const std::size_t fill = kBlock - num_pending_;
    keep(in, fill);
    num_pending_ = 0;
    Status status = crypt(out, pending_, kBlock);
    if (status.ok() && num_out > kBlock) status = crypt(out + kBlock, in + fill, num_out - kBlock);
    if (status.ok()) keep(in + fill + num_out - kBlock, len - fill - (num_out - kBlock));
    return status;
  }

  // Output runs up to 16 bytes ahead of the input that made it, so input is staged before output
  // is written over it.
  Status update_in_place(std::uint8_t* data, std::size_t len, std::size_t num_out) noexcept {
    SecretBuffer<4096> stage;
    std::memcpy(stage.data, pending_, num_pending_);
    std::size_t have = num_pending_;
    std::size_t read = 0;
    std::size_t written = 0;
    num_pending_ = 0;
    for (;;) {
      const std::size_t take = std::min(len - read, sizeof stage.data - have);
      std::memcpy(stage.data + have, data + read, take);
      have += take;
      read += take;
      const bool all_read = read == len;
      const std::size_t usable = all_read ? have : have - kBlock;
      const std::size_t n = std::min(usable / kBlock * kBlock, num_out - written);
      const Status status = crypt(data + written, stage.data, n);
      if (!status.ok()) return status;
      written += n;
      have -= n;
      if (all_read) {
        keep(stage.data + n, have);
        return kOk;
      }
      std::memmove(stage.data, stage.data + n, have);
    }
  }

  const CipherKey& key_;
  Direction direction_;
  bool padded_;
  std::size_t num_pending_ = 0;  // 0..15, or 16 when the last block is kept back
  std::uint8_t iv_[kBlock];
  std::uint8_t pending_[kBlock];
};

class CtrContext final : public StreamContext, public SecretObject {
 public:
  CtrContext(const CipherKey& key, const std::uint8_t counter[16]) noexcept : key_(key) {
    std::memcpy(counter_, counter, kBlock);
  }

  std::size_t output_size(std::size_t len) const noexcept override { return len; }

  Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept override {
    const std::size_t left = std::min(len, kBlock - num_used_);
    take_keystream(out, in, left);
    const std::size_t whole = (len - left) / kBlock * kBlock;
    if (whole > 0) {
      const Status status = key_.ctr(counter_, out + left, in + left, whole);
      if (!status.ok()) return status;
    }
    const std::size_t done = left + whole;
    if (done == len) return kOk;
    const Status status = make_keystream();
    if (status.ok()) take_keystream(out + done, in + done, len - done);
    return status;
  }

  Status finalize(std::uint8_t*, std::size_t* out_len) noexcept override {
    *out_len = 0;
    return kOk;
  }

  Status skip(std::uint64_t offset) noexcept {
    add_be128(counter_, offset / kBlock);
    if (offset % kBlock == 0) return kOk;
    const Status status = make_keystream();
    num_used_ = static_cast<std::size_t>(offset % kBlock);
    return status;
  }

 private:
  Status make_keystream() noexcept {
    std::memset(keystream_, 0, kBlock);
    num_used_ = 0;
    return key_.ctr(counter_, keystream_, keystream_, kBlock);
  }

  void take_keystream(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
    for (std::size_t i = 0; i < len; ++i) {
      out[i] = static_cast<std::uint8_t>(in[i] ^ keystream_[num_used_++]);
    }
  }

  const CipherKey& key_;
  std::size_t num_used_ = kBlock;  // bytes of keystream_ that are gone
  std::uint8_t counter_[kBlock];
  std::uint8_t keystream_[kBlock];
};

}  // namespace

std::unique_ptr<StreamContext> make_cbc_context(const CipherKey& key, Direction direction,
                                                bool padded, const std::uint8_t iv[16]) noexcept {
  return std::unique_ptr<StreamContext>(new CbcContext(key, direction, padded, iv));
}

std::unique_ptr<StreamContext> make_ctr_context(const CipherKey& key,
                                                const std::uint8_t counter[16],
                                                std::uint64_t offset) noexcept {
  std::unique_ptr<CtrContext> context(new CtrContext(key, counter));
  if (context != nullptr && !context->skip(offset).ok()) return nullptr;
  return context;
}

}  // namespace cngaes
