#include "cngaes/messages.hpp"

#include <algorithm>
#include <cstring>

#include "cngaes/bytes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/split.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = 16;

Status crypt(BlockMessage& m, Direction direction, std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) noexcept {
  if (len == 0) return kOk;
  if (m.threads != 1 && (m.mode == Mode::ecb || direction == Direction::decrypt)) {
    const unsigned threads = threads_for(m.threads, len);
    if (m.mode == Mode::ecb) return ecb_split(m.key, direction, out, in, len, threads);
    return cbc_decrypt_split(m.key, m.iv, out, in, len, threads);
  }
  return m.mode == Mode::cbc ? m.key.cbc(direction, m.iv, out, in, len)
                             : m.key.ecb(direction, out, in, len);
}

}  // namespace

std::size_t encrypted_size(bool padded, std::size_t len) noexcept {
  return padded ? pkcs7_padded_len(len) : len;
}

Status encrypt_message(BlockMessage& message, std::uint8_t* out, const std::uint8_t* in,
                       std::size_t len) noexcept {
  if (!message.padded) return crypt(message, Direction::encrypt, out, in, len);
  const std::size_t whole = len / kBlock * kBlock;
  SecretBuffer<kBlock> last;
  pkcs7_pad(last.data, in + whole, len - whole);
  const Status status = crypt(message, Direction::encrypt, out, in, whole);
  if (!status.ok()) return status;
  return crypt(message, Direction::encrypt, out + whole, last.data, kBlock);
}

Status decrypt_message(BlockMessage& message, std::uint8_t* out, const std::uint8_t* in,
                       std::size_t len, std::size_t* out_len) noexcept {
  *out_len = len;
  const Status status = crypt(message, Direction::decrypt, out, in, len);
  if (!status.ok() || !message.padded) return status;
  const std::size_t in_last = len == 0 ? kBlock : pkcs7_unpad(out + len - kBlock);
  if (in_last == kBlock) {
    secure_wipe(out, len);
    return fail(StatusCode::invalid_padding);
  }
  *out_len = len - kBlock + in_last;
  std::memset(out + *out_len, 0, len - *out_len);
  return kOk;
}

Status ctr_message(const CipherKey& key, const std::uint8_t counter[16], std::uint64_t offset,
                   std::uint8_t* out, const std::uint8_t* in, std::size_t len,
                   unsigned threads) noexcept {
  std::uint8_t next[kBlock];
  std::memcpy(next, counter, kBlock);
  add_be128(next, offset / kBlock);
  const auto skip = static_cast<std::size_t>(offset % kBlock);
  if (skip > 0) {
    // The rest of the block that `offset` lies in.
    SecretBuffer<kBlock> block;
    const std::size_t head = std::min(len, kBlock - skip);
    std::memset(block.data, 0, kBlock);
    copy_partial(block.data + skip, in, head);
    const Status status = key.ctr(next, block.data, block.data, kBlock);
    if (!status.ok()) return status;
    copy_partial(out, block.data + skip, head);
    out += head;
    in += head;
    len -= head;
  }
  if (len == 0) return kOk;
  return threads == 1 ? key.ctr(next, out, in, len)
                      : ctr_split(key, next, out, in, len, threads_for(threads, len));
}

}  // namespace cngaes
