// Whole messages over a CipherKey: what is the same on every backend (padding, CTR offsets).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cngaes/backend.hpp"

namespace cngaes {

// One ECB or CBC message. With padding any length is allowed, without it whole blocks only (the
// caller has checked).
struct BlockMessage {
  const CipherKey& key;
  Mode mode;  // ecb or cbc
  bool padded;
  std::uint8_t iv[16];   // cbc
  unsigned threads = 1;  // as for threads_for(); CBC encryption is one chain and takes one
};

std::size_t encrypted_size(bool padded, std::size_t len) noexcept;

// out: encrypted_size() bytes; starts where in starts, or does not overlap it.
Status encrypt_message(BlockMessage& message, std::uint8_t* out, const std::uint8_t* in,
                       std::size_t len) noexcept;
// len: whole blocks. out: len bytes, of which the first *out_len are the message and the rest
// zeros. invalid_padding: out holds zeros.
Status decrypt_message(BlockMessage& message, std::uint8_t* out, const std::uint8_t* in,
                       std::size_t len, std::size_t* out_len) noexcept;

// CTR from `offset` bytes into the keystream that starts at counter (SP 800-38A section 6.5).
Status ctr_message(const CipherKey& key, const std::uint8_t counter[16], std::uint64_t offset,
                   std::uint8_t* out, const std::uint8_t* in, std::size_t len,
                   unsigned threads = 1) noexcept;

}  // namespace cngaes
