// x86-shani: the SHA extensions. One message is bound by the latency of SHA256RNDS2 (4 clocks, two
// rounds each: 2 c/B). compress_streams interleaves three: the unit starts one a clock on AMD (Zen
// 3: .70 c/B); Intel's, one in two clocks, gains less (Sapphire Rapids: 1.5).
#include "cngaes/compat_x86.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

// FIPS 180-4 section 4.2.2.
alignas(16) const uint32_t kK[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

CNGAES_INLINE __m128i load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

// The instructions want the state as (A, B, E, F) and (C, D, G, H), highest word first.
struct State {
  __m128i abef;
  __m128i cdgh;
};

CNGAES_INLINE State load_state(const uint32_t state[8]) {
  const __m128i dcba = load(state);
  const __m128i hgfe = load(state + 4);
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

CNGAES_INLINE void store_state(uint32_t state[8], State s) {
  const __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

CNGAES_INLINE void four_rounds(State& s, __m128i words, int t) {
  const __m128i wk = _mm_add_epi32(words, load(kK + t));
  s.cdgh = _mm_sha256rnds2_epu32(s.cdgh, s.abef, wk);
  s.abef = _mm_sha256rnds2_epu32(s.abef, s.cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

// W[t..t+3] from the sixteen words before, four to a register, oldest first (FIPS 180-4 section
// 6.2.2 step 1): sigma0 by MSG1, the word 7 back added, sigma1 by MSG2.
CNGAES_INLINE __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(partial, w3);
}

// N messages side by side, four rounds of each in turn.
template <int N>
CNGAES_INLINE void sixteen_rounds(State (&s)[N], __m128i (&w)[N][4], int t, bool more) {
  CNGAES_UNROLL
  for (int j = 0; j < 4; ++j) {
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      four_rounds(s[i], w[i][j], t + 4 * j);
      if (more) {
        w[i][j] = next_words(w[i][j], w[i][(j + 1) % 4], w[i][(j + 2) % 4], w[i][(j + 3) % 4]);
      }
    }
  }
}

template <int N>
CNGAES_INLINE void compress_side_by_side(uint32_t (*states)[8], const uint8_t* const* data,
                                         size_t num_blocks) {
  const __m128i big_endian =
      _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);  // bytes of each word reversed
  State s[N];
  CNGAES_UNROLL
  for (int i = 0; i < N; ++i) s[i] = load_state(states[i]);
  for (size_t at = 0; num_blocks > 0; --num_blocks, at += kSha256BlockBytes) {
    State start[N];
    __m128i w[N][4];
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      start[i] = s[i];
      CNGAES_UNROLL
      for (int j = 0; j < 4; ++j) {
        w[i][j] = _mm_shuffle_epi8(load(data[i] + at + 16 * j), big_endian);
      }
    }
    sixteen_rounds<N>(s, w, 0, true);
    sixteen_rounds<N>(s, w, 16, true);
    sixteen_rounds<N>(s, w, 32, true);
    sixteen_rounds<N>(s, w, 48, false);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      s[i].abef = _mm_add_epi32(s[i].abef, start[i].abef);
      s[i].cdgh = _mm_add_epi32(s[i].cdgh, start[i].cdgh);
    }
  }
  CNGAES_UNROLL
  for (int i = 0; i < N; ++i) store_state(states[i], s[i]);
}

void compress(uint32_t state[8], const uint8_t* data, size_t num_blocks) {
  compress_side_by_side<1>(reinterpret_cast<uint32_t (*)[8]>(state), &data, num_blocks);
}

void compress_streams(uint32_t (*states)[8], const uint8_t* const* data, size_t num_streams,
                      size_t num_blocks) {
  for (; num_streams >= 3 && num_streams != 4; num_streams -= 3, states += 3, data += 3) {
    compress_side_by_side<3>(states, data, num_blocks);
  }
  for (; num_streams >= 2; num_streams -= 2, states += 2, data += 2) {
    compress_side_by_side<2>(states, data, num_blocks);
  }
  if (num_streams > 0) compress(*states, *data, num_blocks);
}

}  // namespace

const Sha256Functions kSha256X86Shani = {
    .compress = compress,
    .compress_streams = compress_streams,
    .lanes = 3,
    .schedule = nullptr,
    .compress_scheduled = nullptr,
};

}  // namespace cngaes
