// Byte order and counters: the same on every platform, without casts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cngaes {

inline std::uint32_t load_be32(const std::uint8_t* p) noexcept {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

inline void store_be32(std::uint8_t* p, std::uint32_t v) noexcept {
  p[0] = static_cast<std::uint8_t>(v >> 24);
  p[1] = static_cast<std::uint8_t>(v >> 16);
  p[2] = static_cast<std::uint8_t>(v >> 8);
  p[3] = static_cast<std::uint8_t>(v);
}

inline void store_be64(std::uint8_t* p, std::uint64_t v) noexcept {
  store_be32(p, static_cast<std::uint32_t>(v >> 32));
  store_be32(p + 4, static_cast<std::uint32_t>(v));
}

// counter + n modulo 2**128, big-endian (SP 800-38A appendix B.1 with m = 128).
inline void add_be128(std::uint8_t counter[16], std::uint64_t n) noexcept {
  for (int i = 15; i >= 0 && n != 0; --i) {
    n += counter[i];
    counter[i] = static_cast<std::uint8_t>(n);
    n >>= 8;
  }
}

// inc32 applied n times (SP 800-38D section 6.2).
inline void add_be32(std::uint8_t counter[16], std::uint32_t n) noexcept {
  store_be32(counter + 12, load_be32(counter + 12) + n);
}

// memcpy for less than a block: overlapping moves instead of a library call.
inline void copy_partial(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  if (len >= 8) {
    std::uint64_t first;
    std::uint64_t last;
    std::memcpy(&first, in, 8);
    std::memcpy(&last, in + len - 8, 8);
    std::memcpy(out, &first, 8);
    std::memcpy(out + len - 8, &last, 8);
  } else if (len >= 4) {
    std::uint32_t first;
    std::uint32_t last;
    std::memcpy(&first, in, 4);
    std::memcpy(&last, in + len - 4, 4);
    std::memcpy(out, &first, 4);
    std::memcpy(out + len - 4, &last, 4);
  } else if (len > 0) {
    const std::uint8_t first = in[0];
    const std::uint8_t middle = in[len / 2];
    const std::uint8_t last = in[len - 1];
    out[0] = first;
    out[len / 2] = middle;
    out[len - 1] = last;
  }
}

}  // namespace cngaes
