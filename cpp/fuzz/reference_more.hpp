// SHA-256, HMAC and PKCS#7 straight from the standards, beside reference.hpp's AES and GCM.
#pragma once

#include <array>
#include <cmath>

#include "reference.hpp"

namespace reference {

inline std::uint32_t rotate_right(std::uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

// FIPS 180-4 sections 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of roots of
// primes.
struct Sha256Constants {
  std::uint32_t k[64];
  std::uint32_t initial[8];

  Sha256Constants() {
    unsigned count = 0;
    for (unsigned n = 2; count < 64; ++n) {
      bool prime = true;
      for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      if (count < 8) initial[count] = fraction(std::sqrt(static_cast<double>(n)));
      k[count++] = fraction(std::cbrt(static_cast<double>(n)));
    }
  }
  static std::uint32_t fraction(double x) {
    return static_cast<std::uint32_t>(std::floor((x - std::floor(x)) * 4294967296.0));
  }
};

// FIPS 180-4 sections 5.1.1 and 6.2.2.
inline Bytes sha256(Bytes message) {
  static const Sha256Constants constants;
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) {
    message.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  std::array<std::uint32_t, 8> h;
  std::memcpy(h.data(), constants.initial, sizeof h);
  for (std::size_t at = 0; at < message.size(); at += 64) {
    std::uint32_t w[64];
    for (std::size_t t = 0; t < 16; ++t) {
      w[t] = 0;
      for (std::size_t i = 0; i < 4; ++i) w[t] = w[t] << 8 | message[at + 4 * t + i];
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 =
          rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
      const std::uint32_t s1 =
          rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    std::array<std::uint32_t, 8> v = h;  // a to h
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t e1 =
          rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
      const std::uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const std::uint32_t e0 =
          rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
      const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      const std::uint32_t t1 = v[7] + e1 + choose + constants.k[t] + w[t];
      v = {t1 + e0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) h[i] += v[i];
  }
  Bytes digest;
  for (const std::uint32_t word : h) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  return digest;
}

inline Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// FIPS 198-1 table 1.
inline Bytes hmac_sha256(Bytes key, const Bytes& message) {
  if (key.size() > 64) key = sha256(key);
  key.resize(64);
  Bytes inner = key;
  Bytes outer = key;
  for (std::uint8_t& b : inner) b ^= 0x36;
  for (std::uint8_t& b : outer) b ^= 0x5c;
  return sha256(joined(outer, sha256(joined(inner, message))));
}

// RFC 5652 section 6.3.
inline Bytes padded(Bytes data) {
  const std::size_t pad = 16 - data.size() % 16;
  data.insert(data.end(), pad, static_cast<std::uint8_t>(pad));
  return data;
}

// False if the padding is wrong.
inline bool unpad(Bytes* data) {
  if (data->empty()) return false;
  const std::size_t pad = data->back();
  if (pad < 1 || pad > 16) return false;
  for (std::size_t i = 1; i <= pad; ++i) {
    if ((*data)[data->size() - i] != pad) return false;
  }
  data->resize(data->size() - pad);
  return true;
}

}  // namespace reference
