// x86-shani-avx512: SHA-256 of sixteen messages at once, one in each 32-bit lane of the 512-bit
// registers. Single messages, and the last few of a batch, go to the SHA extensions.
#include "cngaes/compat_x86.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

constexpr size_t kLanes = 16;
// Sixteen streams are more than the CPU's own prefetching follows: 6 to 10 % of 1 and 16 KiB
// messages that lie in the third-level cache or beyond.
constexpr size_t kAhead = 512;
// Fewer go to the SHA extensions: all sixteen lanes take the time of ten streams there (Sapphire
// Rapids: .92 and 1.50 c/B).
constexpr size_t kFewest = 10;

// FIPS 180-4 section 4.2.2.
alignas(64) const uint32_t kK[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

CNGAES_INLINE __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
CNGAES_INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

// FIPS 180-4 section 4.1.2, in its order.
CNGAES_INLINE __m512i ch(__m512i e, __m512i f, __m512i g) {
  return _mm512_ternarylogic_epi32(e, f, g, 0xca);
}
CNGAES_INLINE __m512i maj(__m512i a, __m512i b, __m512i c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0xe8);
}
CNGAES_INLINE __m512i big_sigma0(__m512i x) {
  return xor3(_mm512_ror_epi32(x, 2), _mm512_ror_epi32(x, 13), _mm512_ror_epi32(x, 22));
}
CNGAES_INLINE __m512i big_sigma1(__m512i x) {
  return xor3(_mm512_ror_epi32(x, 6), _mm512_ror_epi32(x, 11), _mm512_ror_epi32(x, 25));
}
CNGAES_INLINE __m512i sigma0(__m512i x) {
  return xor3(_mm512_ror_epi32(x, 7), _mm512_ror_epi32(x, 18), _mm512_srli_epi32(x, 3));
}
CNGAES_INLINE __m512i sigma1(__m512i x) {
  return xor3(_mm512_ror_epi32(x, 17), _mm512_ror_epi32(x, 19), _mm512_srli_epi32(x, 10));
}

// Steps of a transposition: a and b exchange every other word, pair of words or quarter.
CNGAES_INLINE void exchange32(__m512i& a, __m512i& b) {
  const __m512i low = _mm512_unpacklo_epi32(a, b);
  b = _mm512_unpackhi_epi32(a, b);
  a = low;
}
CNGAES_INLINE void exchange64(__m512i& a, __m512i& b) {
  const __m512i low = _mm512_unpacklo_epi64(a, b);
  b = _mm512_unpackhi_epi64(a, b);
  a = low;
}
CNGAES_INLINE void exchange128(__m512i& a, __m512i& b) {
  const __m512i even = _mm512_shuffle_i32x4(a, b, 0x88);
  b = _mm512_shuffle_i32x4(a, b, 0xdd);
  a = even;
}

// Row i of 16 words becomes column i: lane i of w[t] is word t of message i.
CNGAES_INLINE void transpose(__m512i (&r)[kLanes]) {
  __m512i q[kLanes];
  CNGAES_UNROLL
  for (size_t i = 0; i < kLanes; i += 4) {
    exchange32(r[i], r[i + 1]);
    exchange32(r[i + 2], r[i + 3]);
    exchange64(r[i], r[i + 2]);      // words 0 and 1 of each quarter, of messages i .. i + 3
    exchange64(r[i + 1], r[i + 3]);  // words 2 and 3
    q[i] = r[i];
    q[i + 1] = r[i + 2];
    q[i + 2] = r[i + 1];
    q[i + 3] = r[i + 3];
  }
  CNGAES_UNROLL
  for (int j = 0; j < 4; ++j) {
    // q[j], q[j + 4], ...: in quarter k, word 4 k + j of messages 0 .. 3, 4 .. 7, ...
    exchange128(q[j], q[j + 4]);
    exchange128(q[j + 8], q[j + 12]);
    exchange128(q[j], q[j + 8]);
    exchange128(q[j + 4], q[j + 12]);
    r[j] = q[j];
    r[j + 4] = q[j + 4];
    r[j + 8] = q[j + 8];
    r[j + 12] = q[j + 12];
  }
}

// Registers stay and names move on: after t rounds, the a of FIPS 180-4 is s[-t mod 8].
CNGAES_INLINE void one_round(__m512i (&s)[8], int t, __m512i wk) {
  const auto at = [&](int i) CNGAES_INLINE_LAMBDA -> __m512i& { return s[(i + 16 - t) % 8]; };
  const __m512i t1 = add(add(at(7), wk), add(ch(at(4), at(5), at(6)), big_sigma1(at(4))));
  at(3) = add(at(3), t1);
  at(7) = add(t1, add(big_sigma0(at(0)), maj(at(0), at(1), at(2))));
}

CNGAES_INLINE __m512i with_constant(__m512i w, int t) {
  return add(w, _mm512_set1_epi32(static_cast<int>(kK[t])));
}

// W of the next sixteen rounds, in place (FIPS 180-4 section 6.2.2 step 1).
CNGAES_INLINE void next_word(__m512i (&w)[kLanes], int j) {
  w[j] = add(add(w[j], sigma0(w[(j + 1) % 16])), add(w[(j + 9) % 16], sigma1(w[(j + 14) % 16])));
}

// Eight rows of two states each, message i beside message i + 8, become the eight words of all
// sixteen, and back.
CNGAES_INLINE void transpose(__m512i (&r)[8]) {
  // Quarter by quarter of the two halves: the first of both, or the second of both.
  const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
  const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  const auto exchange_quarters = [&](__m512i& a, __m512i& b) CNGAES_INLINE_LAMBDA {
    const __m512i x = _mm512_permutex2var_epi64(a, first, b);
    b = _mm512_permutex2var_epi64(a, second, b);
    a = x;
  };
  CNGAES_UNROLL
  for (int i = 0; i < 8; i += 4) {
    exchange32(r[i], r[i + 1]);
    exchange32(r[i + 2], r[i + 3]);
    exchange64(r[i], r[i + 2]);
    exchange64(r[i + 1], r[i + 3]);
  }
  // r[0]: words 0 and 4 of messages 0 .. 3 of each half, r[4] of messages 4 .. 7; r[2]: words 1 and
  // 5, r[1]: 2 and 6, r[3]: 3 and 7.
  CNGAES_UNROLL
  for (int i = 0; i < 4; ++i) exchange_quarters(r[i], r[i + 4]);
  const __m512i one = r[2];
  const __m512i five = r[6];
  r[2] = r[1];
  r[6] = r[5];
  r[1] = one;
  r[5] = five;
}

CNGAES_INLINE __m512i load_halves(const uint32_t* low, const uint32_t* high) {
  const auto* const l = reinterpret_cast<const __m256i*>(low);
  const auto* const h = reinterpret_cast<const __m256i*>(high);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(l)), _mm256_loadu_si256(h),
                            1);
}

CNGAES_INLINE void load_states(__m512i (&s)[8], uint32_t* const* states) {
  CNGAES_UNROLL
  for (size_t i = 0; i < 8; ++i) s[i] = load_halves(states[i], states[i + 8]);
  transpose(s);
}

CNGAES_INLINE void store_states(uint32_t* const* states, __m512i (&s)[8]) {
  transpose(s);
  CNGAES_UNROLL
  for (size_t i = 0; i < 8; ++i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(states[i]), _mm512_castsi512_si256(s[i]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(states[i + 8]),
                        _mm512_extracti64x4_epi64(s[i], 1));
  }
}

void compress16(uint32_t* const* states, const uint8_t* const* data, size_t num_blocks) {
  const __m512i big_endian = _mm512_broadcast_i32x4(
      _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL));  // bytes of each word reversed
  __m512i s[8];
  load_states(s, states);
  for (size_t at = 0; num_blocks > 0; --num_blocks, at += kSha256BlockBytes) {
    __m512i w[kLanes];
    CNGAES_UNROLL
    for (size_t i = 0; i < kLanes; ++i) {
      w[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[i] + at), big_endian);
      _mm_prefetch(reinterpret_cast<const char*>(data[i] + at + kAhead), _MM_HINT_T0);
    }
    transpose(w);
    __m512i start[8];
    CNGAES_UNROLL
    for (int i = 0; i < 8; ++i) start[i] = s[i];
    for (int t = 0; t < 48; t += 16) {
      CNGAES_UNROLL
      for (int j = 0; j < 16; ++j) {
        one_round(s, j, with_constant(w[j], t + j));
        next_word(w, j);
      }
    }
    CNGAES_UNROLL
    for (int j = 0; j < 16; ++j) one_round(s, j, with_constant(w[j], 48 + j));
    CNGAES_UNROLL
    for (int i = 0; i < 8; ++i) s[i] = add(s[i], start[i]);
  }
  store_states(states, s);
}

void compress_streams(uint32_t (*states)[8], const uint8_t* const* data, size_t num_streams,
                      size_t num_blocks) {
  while (num_streams >= kFewest) {
    const size_t n = num_streams < kLanes ? num_streams : kLanes;
    // Lanes to spare repeat the first message, into a state of their own.
    uint32_t spare[8] = {};
    uint32_t* lane_states[kLanes];
    const uint8_t* lane_data[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
      lane_states[i] = i < n ? states[i] : spare;
      lane_data[i] = data[i < n ? i : 0];
    }
    compress16(lane_states, lane_data, num_blocks);
    states += n;
    data += n;
    num_streams -= n;
  }
  kSha256X86Shani.compress_streams(states, data, num_streams, num_blocks);
}

void schedule(uint32_t words[64], const uint8_t block[kSha256BlockBytes]) {
  const auto rotate = [](uint32_t x, int n) CNGAES_INLINE_LAMBDA { return x >> n | x << (32 - n); };
  for (int t = 0; t < 16; ++t) {
    const uint8_t* const p = block + 4 * t;
    words[t] = uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
  }
  for (int t = 16; t < 64; ++t) {
    const uint32_t x = words[t - 15];
    const uint32_t y = words[t - 2];
    words[t] = words[t - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + words[t - 7] +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
  }
  for (int t = 0; t < 64; ++t) words[t] += kK[t];
}

// Sixty-four rounds and nothing else: 17 instructions each become 16, the schedule's 528 and the
// transposition's 64 fall away.
void compress_scheduled(uint32_t (*states)[8], const uint32_t words[64]) {
  uint32_t* lane_states[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lane_states[i] = states[i];
  __m512i s[8];
  load_states(s, lane_states);
  __m512i start[8];
  CNGAES_UNROLL
  for (int i = 0; i < 8; ++i) start[i] = s[i];
  for (int t = 0; t < 64; t += 8) {
    CNGAES_UNROLL
    for (int j = 0; j < 8; ++j) {
      one_round(s, j, _mm512_set1_epi32(static_cast<int>(words[t + j])));
    }
  }
  CNGAES_UNROLL
  for (int i = 0; i < 8; ++i) s[i] = add(s[i], start[i]);
  store_states(lane_states, s);
}

}  // namespace

const Sha256Functions kSha256X86ShaniAvx512 = {
    .compress = nullptr,
    .compress_streams = compress_streams,
    .lanes = kLanes,
    .schedule = schedule,
    .compress_scheduled = compress_scheduled,
};

}  // namespace cngaes
