// Bitsliced AES over four blocks: eight 64-bit words, word j holding bit j of all 64 state bytes.
//
// Bit 16*row + 4*column + block of a word belongs to that byte (FIPS 197 section 3.4) of that
// block. A row is then 16 bits of the word, and moving by a row or a column is a rotation.
//
// ShiftRows is not executed. "Fixslicing" (A. Adomnicai and T. Peyrin, "Fixslicing AES-like
// ciphers", IACR TCHES 2021(1)): after n omitted ShiftRows, row r stands n*r columns away from its
// place, so MixColumns looks for its inputs there, the round keys are stored shifted the same way
// once per call, and only the end of the cipher puts the rows right.
#pragma once

#include <stdint.h>
#include <string.h>

#include "aes_sbox.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace aes_bitslice {

constexpr size_t kBlocks = 4;
constexpr size_t kBatchBytes = kBlocks * kAesBlockBytes;

// Everything secret that a call needs, in one place so that it can be wiped in one go.
struct Workspace {
  uint64_t keys[kMaxRoundKeys * 8];
  uint64_t q[8];
  uint8_t blocks[kBatchBytes];
};

inline uint32_t load_le32(const uint8_t* in) {
  return static_cast<uint32_t>(in[0]) | static_cast<uint32_t>(in[1]) << 8 |
         static_cast<uint32_t>(in[2]) << 16 | static_cast<uint32_t>(in[3]) << 24;
}

inline void store_le32(uint8_t* out, uint32_t x) {
  out[0] = static_cast<uint8_t>(x);
  out[1] = static_cast<uint8_t>(x >> 8);
  out[2] = static_cast<uint8_t>(x >> 16);
  out[3] = static_cast<uint8_t>(x >> 24);
}

// Bytes 0 1 2 3 to bytes 0 2 4 6, and back.
inline uint64_t spread_bytes(uint32_t column) {
  uint64_t x = column;
  x = (x | x << 16) & 0x0000ffff0000ffffULL;
  return (x | x << 8) & 0x00ff00ff00ff00ffULL;
}

inline uint32_t gather_bytes(uint64_t x) {
  x &= 0x00ff00ff00ff00ffULL;
  x = (x | x >> 8) & 0x0000ffff0000ffffULL;
  return static_cast<uint32_t>(x | x >> 16);
}

template <int kShift>
inline void swap_bits(uint64_t mask, uint64_t* low, uint64_t* high) {
  const uint64_t difference = ((*low >> kShift) ^ *high) & mask;
  *high ^= difference;
  *low ^= difference << kShift;
}

// Bit i of word j <-> bit j of word i, in each of the eight bytes. Its own inverse.
inline void transpose(uint64_t q[8]) {
  for (int i = 0; i < 8; i += 2) {
    swap_bits<1>(0x5555555555555555ULL, &q[i], &q[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    swap_bits<2>(0x3333333333333333ULL, &q[i], &q[i + 2]);
    swap_bits<2>(0x3333333333333333ULL, &q[i + 1], &q[i + 3]);
  }
  for (int i = 0; i < 4; i++) {
    swap_bits<4>(0x0f0f0f0f0f0f0f0fULL, &q[i], &q[i + 4]);
  }
}

inline void bitslice(uint64_t q[8], const uint8_t blocks[kBatchBytes]) {
  for (size_t block = 0; block < kBlocks; block++) {
    const uint8_t* in = blocks + block * kAesBlockBytes;
    q[block] = spread_bytes(load_le32(in)) | spread_bytes(load_le32(in + 8)) << 8;
    q[block + 4] = spread_bytes(load_le32(in + 4)) | spread_bytes(load_le32(in + 12)) << 8;
  }
  transpose(q);
}

inline void unbitslice(uint8_t blocks[kBatchBytes], uint64_t q[8]) {
  transpose(q);
  for (size_t block = 0; block < kBlocks; block++) {
    uint8_t* out = blocks + block * kAesBlockBytes;
    store_le32(out, gather_bytes(q[block]));
    store_le32(out + 4, gather_bytes(q[block + 4]));
    store_le32(out + 8, gather_bytes(q[block] >> 8));
    store_le32(out + 12, gather_bytes(q[block + 4] >> 8));
  }
}

// The byte kRows rows below and kColumns columns to the right, cyclically.
template <int kRows, int kColumns>
inline uint64_t neighbour(uint64_t x) {
  constexpr int kColumn = 4 * (kColumns & 3);
  if constexpr (kColumn != 0) {
    constexpr uint64_t kKept = 0x0001000100010001ULL * (0xffff >> kColumn);
    x = (x >> kColumn & kKept) | (x << (16 - kColumn) & ~kKept);
  }
  constexpr int kRow = 16 * (kRows & 3);
  return x >> kRow | x << (64 - kRow);
}

// ShiftRows (FIPS 197 section 5.1.2) done `times` times.
inline uint64_t shift_rows(uint64_t x, unsigned times) {
  uint64_t shifted = x & 0xffff;
  for (unsigned row = 1; row < 4; row++) {
    const uint64_t lane = x >> (16 * row) & 0xffff;
    const unsigned distance = 4 * (times * row & 3);
    shifted |= ((lane >> distance | lane << (16 - distance)) & 0xffff) << (16 * row);
  }
  return shifted;
}

// out[j] ^= bit j of {02} * in, in GF(2**8) (FIPS 197 section 4.2.1).
inline void add_double(uint64_t out[8], const uint64_t in[8]) {
  out[0] ^= in[7];
  out[1] ^= in[0] ^ in[7];
  out[2] ^= in[1];
  out[3] ^= in[2] ^ in[7];
  out[4] ^= in[3] ^ in[7];
  out[5] ^= in[4];
  out[6] ^= in[5];
  out[7] ^= in[6];
}

// MixColumns (FIPS 197 section 5.1.3) on rows of which row r stands kOffset*r columns to the right:
// 2*a0 + 3*a1 + a2 + a3 = 2*(a0 + a1) + a1 + (a2 + a3).
template <int kOffset>
inline void mix_columns(uint64_t q[8]) {
  uint64_t sum[8];
  for (int i = 0; i < 8; i++) {
    const uint64_t below = neighbour<1, kOffset>(q[i]);
    sum[i] = q[i] ^ below;
    q[i] = below ^ neighbour<2, 2 * kOffset>(sum[i]);
  }
  add_double(q, sum);
}

// InvMixColumns (FIPS 197 section 5.3.3) is MixColumns after a0 += 4 * (a0 + a2).
template <int kOffset>
inline void inverse_mix_columns(uint64_t q[8]) {
  uint64_t twice[8] = {};
  uint64_t sum[8];
  for (int i = 0; i < 8; i++) {
    sum[i] = q[i] ^ neighbour<2, 2 * kOffset>(q[i]);
  }
  add_double(twice, sum);
  add_double(q, twice);
  mix_columns<kOffset>(q);
}

inline void add_round_key(uint64_t q[8], const uint64_t key[8]) {
  for (int i = 0; i < 8; i++) {
    q[i] ^= key[i];
  }
}

// Bitslices the round keys, each repeated for all four blocks, rows moved to where they will meet
// the state, and with the S-box constant (aes_sbox.h) added where the state meets it: after every
// S-box, or before every inverse S-box.
template <bool kDecrypt>
inline void load_keys(Workspace* ws, const AesKey* key) {
  const uint8_t* round_keys = kDecrypt ? key->dec : key->enc;
  const unsigned rounds = key->rounds;
  // Rounds that differ by a multiple of 4 need the same shift: they go through as one batch.
  for (unsigned first = 0; first < 4; first++) {
    memset(ws->blocks, 0, kBatchBytes);
    for (unsigned i = 0; i < 4 && first + 4 * i <= rounds; i++) {
      memcpy(ws->blocks + i * kAesBlockBytes, round_keys + (first + 4 * i) * kAesBlockBytes,
             kAesBlockBytes);
    }
    bitslice(ws->q, ws->blocks);
    for (int j = 0; j < 8; j++) {
      const uint64_t shifted = shift_rows(ws->q[j], kDecrypt ? first : 4 - first);
      for (unsigned i = 0; i < 4 && first + 4 * i <= rounds; i++) {
        const uint64_t one_block = shifted >> i & 0x1111111111111111ULL;
        ws->keys[(first + 4 * i) * 8 + j] = (one_block << 4) - one_block;
      }
    }
  }
  const unsigned first_with_constant = kDecrypt ? 0 : 1;
  for (unsigned i = 0; i < rounds; i++) {
    uint64_t* round_key = ws->keys + (first_with_constant + i) * 8;
    for (int j = 0; j < 8; j++) {
      round_key[j] ^= 0 - static_cast<uint64_t>(aes_sbox::kConstant >> j & 1);
    }
  }
}

// One full round; kRound is its number (from 1) modulo 4.
template <bool kDecrypt, int kRound>
inline void full_round(uint64_t q[8], const uint64_t key[8]) {
  if constexpr (kDecrypt) {
    aes_sbox::inverse_sbox(q);
    inverse_mix_columns<4 - kRound>(q);
  } else {
    aes_sbox::sbox(q);
    mix_columns<kRound>(q);
  }
  add_round_key(q, key);
}

// En- or decrypts ws->blocks in place (FIPS 197 sections 5.1 and 5.3.5).
template <bool kDecrypt>
inline void crypt_batch(Workspace* ws, unsigned rounds) {
  uint64_t* q = ws->q;
  const uint64_t* key = ws->keys;
  bitslice(q, ws->blocks);
  add_round_key(q, key);
  // 9, 11 or 13 full rounds.
  for (unsigned left = rounds - 1;; left -= 4) {
    full_round<kDecrypt, 1>(q, key += 8);
    if (left == 1) {
      break;
    }
    full_round<kDecrypt, 2>(q, key += 8);
    full_round<kDecrypt, 3>(q, key += 8);
    if (left == 3) {
      break;
    }
    full_round<kDecrypt, 0>(q, key += 8);
  }
  if constexpr (kDecrypt) {
    aes_sbox::inverse_sbox(q);
  } else {
    aes_sbox::sbox(q);
  }
  add_round_key(q, key + 8);
  // 10 or 14 rounds leave two ShiftRows to do, which are their own inverse; 12 leave none.
  if (rounds % 4 != 0) {
    for (int j = 0; j < 8; j++) {
      q[j] = shift_rows(q[j], 2);
    }
  }
  unbitslice(ws->blocks, q);
}

}  // namespace aes_bitslice
}  // namespace cngaes
