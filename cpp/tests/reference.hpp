// AES, GHASH and GCM straight from the standards, byte by byte: slow, with tables, sharing nothing
// with the kernels. What the kernels are compared with.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "check.hpp"

namespace reference {

using test::Bytes;
using Block = std::array<std::uint8_t, 16>;

// FIPS 197 section 4.2.
inline std::uint8_t field_multiply(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (int i = 0; i < 8; ++i) {
    if (((b >> i) & 1) != 0) product ^= static_cast<unsigned>(a) << i;
  }
  for (int i = 14; i >= 8; --i) {
    if (((product >> i) & 1) != 0) product ^= 0x11bU << (i - 8);
  }
  return static_cast<std::uint8_t>(product);
}

struct Tables {
  std::uint8_t sbox[256];
  std::uint8_t inverse_sbox[256];
  // What a byte in each row of a column adds to the column's product with the matrix of MixColumns
  // (section 5.1.3) and of its inverse (section 5.3.3).
  std::array<std::uint8_t, 4> mix[4][256];
  std::array<std::uint8_t, 4> unmix[4][256];

  // FIPS 197 section 5.1.1: inverse, then the affine transformation.
  Tables() {
    for (unsigned x = 0; x < 256; ++x) {
      std::uint8_t inverse = 0;
      for (unsigned y = 1; y < 256 && x != 0; ++y) {
        if (field_multiply(static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)) == 1) {
          inverse = static_cast<std::uint8_t>(y);
          break;
        }
      }
      unsigned s = 0x63;
      for (int shift = 0; shift < 5; ++shift) {
        s ^= ((static_cast<unsigned>(inverse) << shift) | (inverse >> (8 - shift))) & 0xff;
      }
      sbox[x] = static_cast<std::uint8_t>(s);
      inverse_sbox[s] = static_cast<std::uint8_t>(x);
      for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t to = 0; to < 4; ++to) {
          constexpr std::uint8_t kForward[] = {2, 1, 1, 3};
          constexpr std::uint8_t kInverse[] = {14, 9, 13, 11};
          const auto byte = static_cast<std::uint8_t>(x);
          mix[row][x][to] = field_multiply(byte, kForward[(to - row + 4) % 4]);
          unmix[row][x][to] = field_multiply(byte, kInverse[(to - row + 4) % 4]);
        }
      }
    }
  }
};

inline const Tables kTables;

class Aes {
 public:
  explicit Aes(const Bytes& key) : rounds_(key.size() / 4 + 6), words_(16 * (rounds_ + 1)) {
    const std::size_t nk = key.size() / 4;
    std::memcpy(words_.data(), key.data(), key.size());
    std::uint8_t rcon = 1;
    for (std::size_t i = nk; i < 4 * (rounds_ + 1); ++i) {
      std::uint8_t temp[4];
      std::memcpy(temp, &words_[4 * (i - 1)], 4);
      if (i % nk == 0) {
        const std::uint8_t first = temp[0];
        for (int j = 0; j < 4; ++j) temp[j] = kTables.sbox[j < 3 ? temp[j + 1] : first];
        temp[0] ^= rcon;
        rcon = field_multiply(rcon, 2);
      } else if (nk > 6 && i % nk == 4) {
        for (std::uint8_t& t : temp) t = kTables.sbox[t];
      }
      for (std::size_t j = 0; j < 4; ++j) words_[4 * i + j] = words_[4 * (i - nk) + j] ^ temp[j];
    }
  }

  std::size_t rounds() const { return rounds_; }
  const Bytes& round_keys() const { return words_; }

  Block encrypt(Block s) const {
    add_key(&s, 0);
    for (std::size_t round = 1; round <= rounds_; ++round) {
      Block t;
      for (std::size_t i = 0; i < 16; ++i) t[i] = kTables.sbox[s[(i + 4 * (i % 4)) % 16]];
      s = round < rounds_ ? mix(t, kTables.mix) : t;
      add_key(&s, round);
    }
    return s;
  }

  Block decrypt(Block s) const {
    for (std::size_t round = rounds_; round > 0; --round) {
      add_key(&s, round);
      if (round < rounds_) s = mix(s, kTables.unmix);
      Block t;
      for (std::size_t i = 0; i < 16; ++i) t[(i + 4 * (i % 4)) % 16] = kTables.inverse_sbox[s[i]];
      s = t;
    }
    add_key(&s, 0);
    return s;
  }

  // MixColumns or its inverse.
  static Block mix(const Block& s, const std::array<std::uint8_t, 4> (&table)[4][256]) {
    Block t;
    for (std::size_t i = 0; i < 16; i += 4) {
      std::uint32_t column = 0;
      for (std::size_t row = 0; row < 4; ++row) {
        std::uint32_t part;
        std::memcpy(&part, table[row][s[i + row]].data(), 4);
        column ^= part;
      }
      std::memcpy(&t[i], &column, 4);
    }
    return t;
  }

 private:
  void add_key(Block* s, std::size_t round) const {
    for (std::size_t i = 0; i < 16; ++i) (*s)[i] ^= words_[16 * round + i];
  }

  std::size_t rounds_;
  Bytes words_;
};

inline Block block_at(const Bytes& data, std::size_t index) {
  Block b{};
  for (std::size_t i = 0; i < 16 && 16 * index + i < data.size(); ++i) b[i] = data[16 * index + i];
  return b;
}

inline Block operator^(const Block& a, const Block& b) {
  Block c;
  for (std::size_t i = 0; i < 16; ++i) c[i] = a[i] ^ b[i];
  return c;
}

// Adds n to the last `width` bytes, big-endian, modulo 256**width.
inline Block add_counter(Block counter, std::uint64_t n, std::size_t width) {
  for (std::size_t i = 16; i-- > 16 - width;) {
    n += counter[i];
    counter[i] = static_cast<std::uint8_t>(n);
    n >>= 8;
  }
  return counter;
}

// Whole and partial blocks; `width` bytes of the counter count.
inline Bytes ctr(const Aes& aes, const Block& counter, const Bytes& data, std::size_t width) {
  Bytes out(data.size());
  for (std::size_t i = 0; i < data.size(); i += 16) {
    const Block stream = aes.encrypt(add_counter(counter, i / 16, width));
    for (std::size_t j = i; j < data.size() && j < i + 16; ++j) out[j] = data[j] ^ stream[j - i];
  }
  return out;
}

inline Bytes ecb(const Aes& aes, bool decrypt, const Bytes& data) {
  Bytes out;
  for (std::size_t i = 0; i < data.size() / 16; ++i) {
    const Block b = block_at(data, i);
    const Block c = decrypt ? aes.decrypt(b) : aes.encrypt(b);
    out.insert(out.end(), c.begin(), c.end());
  }
  return out;
}

inline Bytes cbc(const Aes& aes, bool decrypt, Block* iv, const Bytes& data) {
  Bytes out;
  for (std::size_t i = 0; i < data.size() / 16; ++i) {
    const Block b = block_at(data, i);
    const Block c = decrypt ? aes.decrypt(b) ^ *iv : aes.encrypt(b ^ *iv);
    *iv = decrypt ? b : c;
    out.insert(out.end(), c.begin(), c.end());
  }
  return out;
}

// SP 800-38D algorithm 1; bit i of the standard is bit 63 - i % 64 of a word.
inline Block multiply(const Block& x, const Block& y) {
  std::uint64_t v[2] = {};
  std::uint64_t z[2] = {};
  for (std::size_t i = 0; i < 16; ++i) v[i / 8] = v[i / 8] << 8 | y[i];
  for (std::size_t i = 0; i < 128; ++i) {
    if (((x[i / 8] >> (7 - i % 8)) & 1) != 0) {
      z[0] ^= v[0];
      z[1] ^= v[1];
    }
    const bool carry = (v[1] & 1) != 0;
    v[1] = v[1] >> 1 | v[0] << 63;
    v[0] = v[0] >> 1 ^ (carry ? std::uint64_t{0xe1} << 56 : 0);
  }
  Block out;
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = static_cast<std::uint8_t>(z[i / 8] >> (56 - 8 * (i % 8)));
  }
  return out;
}

// SP 800-38D algorithm 2 from a given start; the last block is padded with zeros.
inline Block ghash(const Block& h, Block y, const Bytes& data) {
  for (std::size_t i = 0; 16 * i < data.size(); ++i) y = multiply(y ^ block_at(data, i), h);
  return y;
}

inline Block length_block(std::uint64_t aad_len, std::uint64_t data_len) {
  Block b{};
  for (std::size_t i = 0; i < 8; ++i) {
    b[7 - i] = static_cast<std::uint8_t>((aad_len * 8) >> (8 * i));
    b[15 - i] = static_cast<std::uint8_t>((data_len * 8) >> (8 * i));
  }
  return b;
}

struct Sealed {
  Bytes ciphertext;
  Block tag;
};

// SP 800-38D algorithm 4.
inline Sealed gcm_seal(const Aes& aes, const Bytes& nonce, const Bytes& aad, const Bytes& data) {
  const Block h = aes.encrypt(Block{});
  Block j0{};
  if (nonce.size() == 12) {
    std::memcpy(j0.data(), nonce.data(), 12);
    j0[15] = 1;
  } else {
    j0 = multiply(ghash(h, Block{}, nonce) ^ length_block(0, nonce.size()), h);
  }
  Sealed sealed{ctr(aes, add_counter(j0, 1, 4), data, 4), {}};
  const Block y = ghash(h, ghash(h, Block{}, aad), sealed.ciphertext);
  sealed.tag = multiply(y ^ length_block(aad.size(), data.size()), h) ^ aes.encrypt(j0);
  return sealed;
}

}  // namespace reference
