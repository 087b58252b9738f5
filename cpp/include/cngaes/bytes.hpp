// Byte order and counters: the same on every platform, without casts.
#pragma once

#include <bit>
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

constexpr std::uint64_t swap_bytes(std::uint64_t v) noexcept {
  v = (v >> 8 & 0x00ff00ff00ff00ffULL) | (v & 0x00ff00ff00ff00ffULL) << 8;
  v = (v >> 16 & 0x0000ffff0000ffffULL) | (v & 0x0000ffff0000ffffULL) << 16;
  return v >> 32 | v << 32;
}

inline std::uint64_t load_le64(const std::uint8_t* p) noexcept {
  std::uint64_t v = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&v, p, 8);
  } else {
    for (int i = 0; i < 8; ++i) v |= std::uint64_t{p[i]} << (8 * i);
  }
  return v;
}

inline std::uint64_t load_le32(const std::uint8_t* p) noexcept {
  return std::uint64_t{p[0]} | std::uint64_t{p[1]} << 8 | std::uint64_t{p[2]} << 16 |
         std::uint64_t{p[3]} << 24;
}

inline void store_le64(std::uint8_t* p, std::uint64_t v) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(p, &v, 8);
  } else {
    for (int i = 0; i < 8; ++i) p[i] = static_cast<std::uint8_t>(v >> (8 * i));
  }
}

// A block, or the first part of one, in two registers: byte i is bits 8i of the pair. Partial
// blocks go through registers and not through a padded copy in memory, because a kernel's 16-byte
// load has to wait for the several stores that made the copy (5 ns each time on Zen 4).
struct BlockPair {
  std::uint64_t low;
  std::uint64_t high;
};

// len: 1 to 15 bytes; zeros behind them. Reads nothing else.
inline BlockPair load_partial(const std::uint8_t* in, std::size_t len) noexcept {
  if (len >= 8) {
    // Shifted in two steps, since one by 64 is undefined.
    return {load_le64(in), load_le64(in + len - 8) >> (8 * (15 - len)) >> 8};
  }
  std::uint64_t low = 0;
  if (len >= 4) {
    low = load_le32(in) | load_le32(in + len - 4) << (8 * (len - 4));
  } else {
    low = in[0] | std::uint64_t{in[len / 2]} << (8 * (len / 2)) |
          std::uint64_t{in[len - 1]} << (8 * (len - 1));
  }
  return {low, 0};
}

// Writes len (1 to 15) bytes and nothing else.
inline void store_partial(std::uint8_t* out, BlockPair block, std::size_t len) noexcept {
  if (len >= 8) {
    const std::size_t shift = 8 * (len - 8);
    store_le64(out, block.low);
    store_le64(out + len - 8, block.low >> shift | block.high << 1 << (63 - shift));
  } else {
    for (std::size_t i = 0; i < len; ++i) out[i] = static_cast<std::uint8_t>(block.low >> (8 * i));
  }
}

// The first len (1 to 15) bytes; zeros behind them.
inline BlockPair keep_bytes(BlockPair block, std::size_t len) noexcept {
  if (len >= 8) return {block.low, block.high & ~(~std::uint64_t{0} << (8 * (len - 8)))};
  return {block.low & ~(~std::uint64_t{0} << (8 * len)), 0};
}

// By one 16-byte store where the compiler has vectors, see BlockPair.
inline void store_block(std::uint8_t out[16], BlockPair block) noexcept {
#if defined(__GNUC__)
  if constexpr (std::endian::native == std::endian::little) {
    using Vector __attribute__((vector_size(16))) = std::uint64_t;
    const Vector vector = {block.low, block.high};
    std::memcpy(out, &vector, 16);
    return;
  }
#endif
  store_le64(out, block.low);
  store_le64(out + 8, block.high);
}

// One block; out may be a or b.
inline void xor_block(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b) noexcept {
#if defined(__GNUC__)
  using Vector __attribute__((vector_size(16))) = std::uint64_t;
  Vector x;
  Vector y;
  std::memcpy(&x, a, 16);
  std::memcpy(&y, b, 16);
  x ^= y;
  std::memcpy(out, &x, 16);
#else
  for (std::size_t i = 0; i < 16; ++i) out[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
#endif
}

// out = prefix (12 bytes) || n, big-endian: a GCM counter block.
inline void store_counter(std::uint8_t out[16], const std::uint8_t* prefix,
                          std::uint32_t n) noexcept {
  const std::uint64_t high = load_partial(prefix + 8, 4).low;
  store_block(out, {load_le64(prefix), high | swap_bytes(std::uint64_t{n})});
}

// Brings bytes that will be read soon into the cache, where the compiler knows how.
inline void prefetch(const std::uint8_t* p, std::size_t len) noexcept {
#if defined(__GNUC__)
  for (std::size_t at = 0; at < len; at += 64) __builtin_prefetch(p + at);
#else
  static_cast<void>(p);
  static_cast<void>(len);
#endif
}

// memcpy that takes a null pointer where there is nothing to copy.
inline void copy_bytes(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  if (len > 0) std::memcpy(out, in, len);
}

// memcpy for 0 to 15 bytes.
inline void copy_partial(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  if (len > 0) store_partial(out, load_partial(in, len), len);
}

}  // namespace cngaes
