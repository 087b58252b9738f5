// SHA-256 (FIPS 180-4) and HMAC (FIPS 198-1), written once over a kernel's compress slot.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cngaes/backend.hpp"
#include "cngaes/kernels.h"

namespace cngaes {

class Sha256 {
 public:
  explicit Sha256(const Sha256Functions& fn) noexcept;
  Sha256(const Sha256&) = default;
  Sha256& operator=(const Sha256&) = default;
  ~Sha256();

  // False, and nothing hashed, when the message would pass 2**64-1 bits (section 5.1.1).
  [[nodiscard]] bool update(const std::uint8_t* in, std::size_t len) noexcept;
  void digest(std::uint8_t out[kSha256DigestBytes]) const noexcept;

  static void hash(const Sha256Functions& fn, std::uint8_t out[kSha256DigestBytes],
                   const std::uint8_t* in, std::size_t len) noexcept;
  // FIPS 198-1 steps 4 and 7: the states behind the block of the key xored with ipad and opad.
  static void hmac_states(const Sha256Functions& fn, std::uint32_t out_inner[8],
                          std::uint32_t out_outer[8], const std::uint8_t* key,
                          std::size_t key_len) noexcept;
  static void hmac(const Sha256Functions& fn, std::uint8_t out[kSha256DigestBytes],
                   const std::uint8_t* key, std::size_t key_len, const std::uint8_t* in,
                   std::size_t len) noexcept;

  // FIPS 180-4 section 5.3.3.
  static constexpr std::uint32_t kInitial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#ifdef CNGAES_TEST_HOOKS
  void pretend_processed(std::uint64_t len) noexcept { len_ = len; }
#endif

 private:
  const Sha256Functions* fn_;
  std::uint64_t len_ = 0;
  std::uint32_t state_[8];
  std::uint8_t block_[kSha256BlockBytes];  // the first len_ % 64 bytes are pending
};

// Many messages, several in step.
void sha256_many(const Sha256Functions& fn, const HashBatch& batch, Range range) noexcept;
void hmac_sha256_many(const Sha256Functions& fn, const std::uint8_t* key, std::size_t key_len,
                      const HashBatch& batch, Range range) noexcept;

}  // namespace cngaes
