// GHASH (SP 800-38D section 6.4) from ordinary integer multiplications.
//
// A carry-less product is an integer product without the carries. With only every fourth bit of
// both factors kept, at most 16 ones meet in a column, so that a column's carries stay within the
// three empty columns above it - except in the topmost columns, and those carries leave the low
// 64 bits. The parity of each column is then one bit of the carry-less product. 4 x 4 such products
// give the low half of 64 x 64 bits; the high half is the low half of the bit-reversed factors,
// reversed. (The method of T. Pornin, "Constant-Time Mul", bearssl.org/constanttime.html; the
// widths and the aggregation are ours.)
//
// Four blocks share one reduction: y = (y + b0)*H^4 + b1*H^3 + b2*H^2 + b3*H.
//
// Constant time supposes that the CPU multiplies in constant time, as all 64-bit ones do; some
// small 32-bit cores (ARM7, Cortex-M3) do not.
#include "ghash_generic.h"

#include <string.h>

#include "cngaes/kernel_wipe.h"

namespace cngaes {
namespace generic {
namespace {

constexpr int kPowers = 4;    // blocks that share a reduction
constexpr int kOperands = 6;  // high, low and their sum (Karatsuba), then the same bit-reversed
constexpr uint64_t kEveryFourth[4] = {0x1111111111111111ULL, 0x2222222222222222ULL,
                                      0x4444444444444444ULL, 0x8888888888888888ULL};

// A factor as multiply-accumulate wants it: split by bit number modulo 4.
struct Factor {
  uint64_t part[kOperands][4];
};

// H, H^2, H^3, H^4.
struct Table {
  Factor power[kPowers];
};
static_assert(sizeof(Table) <= kGhashTableBytes, "the table must fit into GhashKey");

// Bit 127 is the coefficient of x^0: SP 800-38D section 6.3 counts bits from the left.
struct Element {
  uint64_t high, low;
};

inline uint64_t load_be64(const uint8_t* in) {
  uint64_t x = 0;
  for (int i = 0; i < 8; i++) {
    x |= static_cast<uint64_t>(in[i]) << (56 - 8 * i);
  }
  return x;
}

inline void store_be64(uint8_t* out, uint64_t x) {
  for (int i = 0; i < 8; i++) {
    out[i] = static_cast<uint8_t>(x >> (56 - 8 * i));
  }
}

inline Element load_element(const uint8_t in[16]) { return {load_be64(in), load_be64(in + 8)}; }

inline void store_element(uint8_t out[16], Element x) {
  store_be64(out, x.high);
  store_be64(out + 8, x.low);
}

inline uint64_t reverse_bits(uint64_t x) {
  x = (x >> 1 & 0x5555555555555555ULL) | (x & 0x5555555555555555ULL) << 1;
  x = (x >> 2 & 0x3333333333333333ULL) | (x & 0x3333333333333333ULL) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (x & 0x0f0f0f0f0f0f0f0fULL) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ffULL) | (x & 0x00ff00ff00ff00ffULL) << 8;
  x = (x >> 16 & 0x0000ffff0000ffffULL) | (x & 0x0000ffff0000ffffULL) << 16;
  return x >> 32 | x << 32;
}

inline void operands(uint64_t out[kOperands], Element x) {
  out[0] = x.high;
  out[1] = x.low;
  out[2] = x.high ^ x.low;
  out[3] = reverse_bits(x.high);
  out[4] = reverse_bits(x.low);
  out[5] = out[3] ^ out[4];
}

inline void make_factor(Factor* factor, Element x) {
  uint64_t words[kOperands];
  operands(words, x);
  for (int i = 0; i < kOperands; i++) {
    for (int j = 0; j < 4; j++) {
      factor->part[i][j] = words[i] & kEveryFourth[j];
    }
  }
}

// Sum of carry-less products x[i] * factors[num - 1 - i], reduced modulo x^128 + x^7 + x^2 + x + 1.
inline Element multiply_sum(const uint64_t x[][kOperands], const Factor* factors, int num) {
  uint64_t product[kOperands];
  for (int operand = 0; operand < kOperands; operand++) {
    uint64_t z0 = 0, z1 = 0, z2 = 0, z3 = 0;
    for (int i = 0; i < num; i++) {
      const uint64_t* f = factors[num - 1 - i].part[operand];
      const uint64_t x0 = x[i][operand] & kEveryFourth[0];
      const uint64_t x1 = x[i][operand] & kEveryFourth[1];
      const uint64_t x2 = x[i][operand] & kEveryFourth[2];
      const uint64_t x3 = x[i][operand] & kEveryFourth[3];
      z0 ^= (x0 * f[0]) ^ (x1 * f[3]) ^ (x2 * f[2]) ^ (x3 * f[1]);
      z1 ^= (x0 * f[1]) ^ (x1 * f[0]) ^ (x2 * f[3]) ^ (x3 * f[2]);
      z2 ^= (x0 * f[2]) ^ (x1 * f[1]) ^ (x2 * f[0]) ^ (x3 * f[3]);
      z3 ^= (x0 * f[3]) ^ (x1 * f[2]) ^ (x2 * f[1]) ^ (x3 * f[0]);
    }
    product[operand] = (z0 & kEveryFourth[0]) | (z1 & kEveryFourth[1]) | (z2 & kEveryFourth[2]) |
                       (z3 & kEveryFourth[3]);
  }
  const uint64_t high_top = reverse_bits(product[3]) >> 1;
  const uint64_t low_top = reverse_bits(product[4]) >> 1;
  const uint64_t middle_top = (reverse_bits(product[5]) >> 1) ^ high_top ^ low_top;
  const uint64_t middle = product[2] ^ product[0] ^ product[1];
  uint64_t v3 = high_top;
  uint64_t v2 = product[0] ^ middle_top;
  uint64_t v1 = low_top ^ middle;
  uint64_t v0 = product[1];

  // The product of two bit-reversed polynomials is the reversed product moved down by one.
  v3 = v3 << 1 | v2 >> 63;
  v2 = v2 << 1 | v1 >> 63;
  v1 = v1 << 1 | v0 >> 63;
  v0 = v0 << 1;

  // x^128 = x^7 + x^2 + x + 1; v1 and v0 hold x^128 to x^255.
  v2 ^= v0 ^ v0 >> 1 ^ v0 >> 2 ^ v0 >> 7;
  v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
  v3 ^= v1 ^ v1 >> 1 ^ v1 >> 2 ^ v1 >> 7;
  v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
  return {v3, v2};
}

inline Element multiply(Element x, const Factor& factor) {
  uint64_t words[1][kOperands];
  operands(words[0], x);
  return multiply_sum(words, &factor, 1);
}

}  // namespace

void ghash_init(GhashKey* key, const uint8_t h[16]) {
  Table table;
  Element power = load_element(h);
  make_factor(&table.power[0], power);
  for (int i = 1; i < kPowers; i++) {
    power = multiply(power, table.power[0]);
    make_factor(&table.power[i], power);
  }
  memcpy(key->table, &table, sizeof(table));
  memcpy(key->h, h, kAesBlockBytes);
  kernel_wipe(&table, sizeof(table));
}

void ghash(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks) {
  Table table;
  memcpy(&table, key->table, sizeof(table));
  uint64_t words[kPowers][kOperands];
  Element state = load_element(y);
  while (num_blocks > 0) {
    const int num = num_blocks < kPowers ? static_cast<int>(num_blocks) : kPowers;
    for (int i = 0; i < num; i++) {
      Element block = load_element(data + i * kAesBlockBytes);
      if (i == 0) {
        block.high ^= state.high;
        block.low ^= state.low;
      }
      operands(words[i], block);
    }
    state = num == kPowers ? multiply_sum(words, table.power, kPowers)
                           : multiply_sum(words, table.power, num);
    data += num * kAesBlockBytes;
    num_blocks -= static_cast<size_t>(num);
  }
  store_element(y, state);
  kernel_wipe(&table, sizeof(table));
  kernel_wipe(words, sizeof(words));
}

void ghash_finish(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks,
                  uint64_t aad_bits, uint64_t data_bits) {
  ghash(key, y, data, num_blocks);
  uint8_t lengths[kAesBlockBytes];
  store_element(lengths, {aad_bits, data_bits});
  ghash(key, y, lengths, 1);
}

void ghash_multiply(uint8_t y[16], const uint8_t x[16]) {
  Factor factor;
  make_factor(&factor, load_element(x));
  store_element(y, multiply(load_element(y), factor));
  kernel_wipe(&factor, sizeof(factor));
}

}  // namespace generic
}  // namespace cngaes
