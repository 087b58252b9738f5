// PKCS#7 padding to 16 bytes (RFC 5652 section 6.3), the same on every backend.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cngaes {

constexpr std::size_t pkcs7_padded_len(std::size_t len) noexcept { return len / 16 * 16 + 16; }

// Writes the last block: `tail_len` (0..15) bytes of tail, then the padding.
void pkcs7_pad(std::uint8_t out_block[16], const std::uint8_t* tail, std::size_t tail_len) noexcept;

// Data bytes in the last block, 0..15, or 16 if the padding is wrong. Reads all 16 bytes and has
// no branch on them.
std::size_t pkcs7_unpad(const std::uint8_t block[16]) noexcept;

}  // namespace cngaes
