// One message on several cores, for every mode that allows it and every backend.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cngaes/backend.hpp"
#include "cngaes/pool.hpp"

namespace cngaes {

// Where a message of len bytes is cut: pieces of one size, whole vectors of every kernel, the last
// one shorter. Several for each core, so that one that is late does less, but none so short that
// taking it costs.
class Pieces {
 public:
  static constexpr std::size_t kLeast = std::size_t{64} << 10;
  static constexpr std::size_t kEach = 8;  // for each thread
  static constexpr std::size_t kMost = kEach * kMaxThreads;

  Pieces(std::size_t len, unsigned threads) noexcept : len_(len) {
    const std::size_t wanted = kEach * std::clamp(threads, 1U, kMaxThreads);
    size_ = std::max(kLeast, (len / wanted / 4096 + 1) * 4096);
  }
  std::size_t count() const noexcept { return (len_ + size_ - 1) / size_; }
  std::size_t start(std::size_t i) const noexcept { return i * size_; }
  std::size_t len(std::size_t i) const noexcept { return std::min(size_, len_ - i * size_); }

 private:
  std::size_t len_;
  std::size_t size_;
};

// threads as a caller gives it, 0 for "as many cores as pay": at most so many that each has
// kLeastEach bytes of work.
unsigned threads_for(unsigned threads, std::uint64_t len) noexcept;

// As CipherKey's, over several cores. ecb: whole blocks. cbc: decryption; iv is not changed.
Status ecb_split(const CipherKey& key, Direction direction, std::uint8_t* out,
                 const std::uint8_t* in, std::size_t len, unsigned threads) noexcept;
Status cbc_decrypt_split(const CipherKey& key, const std::uint8_t iv[16], std::uint8_t* out,
                         const std::uint8_t* in, std::size_t len, unsigned threads) noexcept;
Status ctr_split(const CipherKey& key, const std::uint8_t counter[16], std::uint8_t* out,
                 const std::uint8_t* in, std::size_t len, unsigned threads) noexcept;

// Many messages on several cores: what CipherKey and Backend do with a range, over all `count`.
// A message that is long itself is split where its mode allows.
Status gcm_seal_batch(const CipherKey& key, const GcmBatch& batch, std::size_t count,
                      unsigned threads) noexcept;
Status gcm_open_batch(const CipherKey& key, const GcmBatch& batch, std::size_t count,
                      std::uint8_t* out_failed, unsigned threads) noexcept;
Status cbc_encrypt_batch(const CipherKey& key, const CbcBatch& batch, std::size_t count,
                         unsigned threads) noexcept;
Status sha256_batch(const Backend& backend, const HashBatch& batch, std::size_t count,
                    unsigned threads) noexcept;
Status hmac_sha256_batch(const Backend& backend, ByteView key, const HashBatch& batch,
                         std::size_t count, unsigned threads) noexcept;

}  // namespace cngaes
