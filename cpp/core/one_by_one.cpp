// What a backend does with many messages, or with several cores for one, when it knows nothing
// better: one call after another. That is so for CNG, which has neither.
#include <cstring>

#include "cngaes/backend.hpp"
#include "cngaes/messages.hpp"

namespace cngaes {
namespace {

// f(i) -> Status for the messages of the range that are not skipped, up to the first error.
template <class F>
Status for_each(const List& in, Range range, F f) noexcept {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (in[i].len >= range.skip_from) continue;
    const Status status = f(i);
    if (!status.ok()) return status;
  }
  return kOk;
}

}  // namespace

Status CipherKey::gcm_seal_split(const GcmMessage& message, std::uint8_t* out,
                                 std::uint8_t* out_tag, const std::uint8_t* in, std::size_t len,
                                 unsigned) const noexcept {
  return gcm_seal(message, out, out_tag, in, len);
}

Status CipherKey::gcm_open_split(const GcmMessage& message, std::uint8_t* out,
                                 const std::uint8_t* in, std::size_t len, const std::uint8_t* tag,
                                 unsigned) const noexcept {
  return gcm_open(message, out, in, len, tag);
}

Status CipherKey::gcm_seal_many(const GcmBatch& batch, Range range) const noexcept {
  return for_each(batch.in, range, [&](std::size_t i) {
    const ByteView in = batch.in[i];
    std::uint8_t* const out = batch.out[i];
    return gcm_seal(batch.message(i), out, out + in.len, in.data, in.len);
  });
}

Status CipherKey::gcm_open_many(const GcmBatch& batch, Range range,
                                std::uint8_t* out_failed) const noexcept {
  return for_each(batch.in, range, [&](std::size_t i) {
    const ByteView in = batch.in[i];
    if (in.len < batch.tag_len) return kOk;
    const std::size_t len = in.len - batch.tag_len;
    const Status status = gcm_open(batch.message(i), batch.out[i], in.data, len, in.data + len);
    if (status.code != StatusCode::invalid_tag) return status;
    out_failed[i] = 1;
    return kOk;
  });
}

Status CipherKey::cbc_encrypt_many(const CbcBatch& batch, Range range) const noexcept {
  return for_each(batch.in, range, [&](std::size_t i) {
    const ByteView in = batch.in[i];
    BlockMessage message = {*this, Mode::cbc, batch.padded, {}};
    std::memcpy(message.iv, batch.ivs[i].data, sizeof message.iv);
    return encrypt_message(message, batch.out[i], in.data, in.len);
  });
}

Status Backend::sha256_many(const HashBatch& batch, Range range) const noexcept {
  return for_each(batch.in, range, [&](std::size_t i) {
    const ByteView in = batch.in[i];
    return sha256(batch.out[i], in.data, in.len);
  });
}

Status Backend::hmac_sha256_many(const std::uint8_t* key, std::size_t key_len,
                                 const HashBatch& batch, Range range) const noexcept {
  return for_each(batch.in, range, [&](std::size_t i) {
    const ByteView in = batch.in[i];
    return hmac_sha256(batch.out[i], key, key_len, in.data, in.len);
  });
}

}  // namespace cngaes
