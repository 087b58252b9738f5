// SHA-256 as FIPS 180-4 section 6.2.2 writes it.
#include <string.h>

#include "cngaes/kernel_wipe.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

// FIPS 180-4 section 4.2.2.
constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

inline uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

inline uint32_t load_be32(const uint8_t* in) {
  return static_cast<uint32_t>(in[0]) << 24 | static_cast<uint32_t>(in[1]) << 16 |
         static_cast<uint32_t>(in[2]) << 8 | static_cast<uint32_t>(in[3]);
}

// One round with the working variables renamed instead of moved: d and h are the two that change.
inline void round(uint32_t a, uint32_t b, uint32_t c, uint32_t* d, uint32_t e, uint32_t f,
                  uint32_t g, uint32_t* h, uint32_t constant, uint32_t word) {
  const uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
  const uint32_t choice = g ^ (e & (f ^ g));
  const uint32_t t1 = *h + sum1 + choice + constant + word;
  const uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
  const uint32_t majority = (a & b) | (c & (a | b));
  *d += t1;
  *h = t1 + sum0 + majority;
}

// Eight rounds bring the names back to where they were.
inline void eight_rounds(uint32_t v[8], const uint32_t k[8], const uint32_t w[8]) {
  uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
  round(a, b, c, &d, e, f, g, &h, k[0], w[0]);
  round(h, a, b, &c, d, e, f, &g, k[1], w[1]);
  round(g, h, a, &b, c, d, e, &f, k[2], w[2]);
  round(f, g, h, &a, b, c, d, &e, k[3], w[3]);
  round(e, f, g, &h, a, b, c, &d, k[4], w[4]);
  round(d, e, f, &g, h, a, b, &c, k[5], w[5]);
  round(c, d, e, &f, g, h, a, &b, k[6], w[6]);
  round(b, c, d, &e, f, g, h, &a, k[7], w[7]);
  v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
}

// The message schedule in a window of 16 words: W[t] replaces W[t-16].
inline void next_words(uint32_t w[16]) {
  for (unsigned t = 0; t < 16; t++) {
    const uint32_t w15 = w[(t + 1) & 15];
    const uint32_t w2 = w[(t + 14) & 15];
    const uint32_t sigma0 = rotate_right(w15, 7) ^ rotate_right(w15, 18) ^ w15 >> 3;
    const uint32_t sigma1 = rotate_right(w2, 17) ^ rotate_right(w2, 19) ^ w2 >> 10;
    w[t] += sigma1 + w[(t + 9) & 15] + sigma0;
  }
}

void compress(uint32_t state[8], const uint8_t* data, size_t num_blocks) {
  uint32_t w[16];
  uint32_t v[8];
  for (; num_blocks > 0; num_blocks--, data += kSha256BlockBytes) {
    for (int t = 0; t < 16; t++) {
      w[t] = load_be32(data + 4 * t);
    }
    memcpy(v, state, sizeof(v));
    for (int t = 0;; t += 16) {
      eight_rounds(v, kRoundConstants + t, w);
      eight_rounds(v, kRoundConstants + t + 8, w + 8);
      if (t == 48) {
        break;
      }
      next_words(w);
    }
    for (int i = 0; i < 8; i++) {
      state[i] += v[i];
    }
  }
  kernel_wipe(w, sizeof(w));
  kernel_wipe(v, sizeof(v));
}

void compress_streams(uint32_t (*states)[8], const uint8_t* const* data, size_t num_streams,
                      size_t num_blocks) {
  for (size_t i = 0; i < num_streams; i++) {
    compress(states[i], data[i], num_blocks);
  }
}

}  // namespace

const Sha256Functions kSha256Generic = {
    .compress = compress,
    .compress_streams = compress_streams,
    .lanes = 1,
    .schedule = nullptr,
    .compress_scheduled = nullptr,
};

}  // namespace cngaes
