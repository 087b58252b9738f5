// Messages in pieces, for every mode and backend: what the Python contexts are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cngaes/backend.hpp"

namespace cngaes {

// Not for use by two threads at once. The key must outlive the context.
class StreamContext {
 public:
  virtual ~StreamContext() = default;
  // Bytes that update() would write for len bytes of input.
  virtual std::size_t output_size(std::size_t len) const noexcept = 0;
  // out: output_size(len) bytes; starts where in starts, or does not overlap it.
  virtual Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept = 0;
  // Writes at most 16 bytes. bad_argument: the message does not end with a whole block.
  virtual Status finalize(std::uint8_t out[16], std::size_t* out_len) noexcept = 0;
};

// All return null when out of memory.
std::unique_ptr<StreamContext> make_cbc_context(const CipherKey& key, Direction direction,
                                                bool padded, const std::uint8_t iv[16]) noexcept;
// Starts `offset` bytes into the keystream.
std::unique_ptr<StreamContext> make_ctr_context(const CipherKey& key,
                                                const std::uint8_t counter[16],
                                                std::uint64_t offset) noexcept;

}  // namespace cngaes
