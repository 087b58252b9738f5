// What GCM is put together from, shared by the files that do one message, a split one and many.
#pragma once

#include "cngaes/bytes.hpp"
#include "cngaes/modes.hpp"

namespace cngaes::gcm {

inline constexpr std::size_t kBlock = kAesBlockBytes;

// GHASH over data that is zero-padded to whole blocks.
void ghash_padded(const GcmContext& c, std::uint8_t y[16], const std::uint8_t* data,
                  std::size_t len) noexcept;

// SP 800-38D algorithm 4 step 2.
void make_j0(const GcmContext& c, const std::uint8_t* nonce, std::size_t nonce_len,
             std::uint8_t out_j0[16]) noexcept;

// The counter block n behind J0.
inline void counter_after(const std::uint8_t j0[16], std::uint32_t n,
                          std::uint8_t out[16]) noexcept {
  store_counter(out, j0, load_be32(j0 + 12) + n);
}

// The last partial block. out_padded: its ciphertext, zero-padded for GHASH.
void crypt_tail(const GcmContext& c, Direction direction, const std::uint8_t counter[16],
                std::uint8_t* out, const std::uint8_t* in, std::size_t len,
                std::uint8_t out_padded[16]) noexcept;

}  // namespace cngaes::gcm
