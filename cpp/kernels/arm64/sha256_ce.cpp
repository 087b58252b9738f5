// arm64-ce: the SHA-256 instructions of the ARMv8 Cryptographic Extension.
#include "cngaes/compat_arm64.h"
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

CNGAES_INLINE uint32x4_t load_words(const uint8_t* p) {
  return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p)));
}

struct State {
  uint32x4_t abcd;
  uint32x4_t efgh;
};

// SHA256H and SHA256H2 both start from the state before the four rounds: they run side by side.
// Each overwrites its first operand, so one of the two has to work beside a copy. It is the second
// one's source that is copied: SHA256H then waits for nothing, and the copy delays every other step
// only.
template <bool kAlone>
CNGAES_INLINE void four_rounds(State& s, uint32x4_t words, int t) {
  const uint32x4_t wk = vaddq_u32(words, vld1q_u32(kK + t));
  uint32x4_t abcd = s.abcd;
  if (kAlone && t > 0) CNGAES_COPY(abcd);
  s.abcd = vsha256hq_u32(s.abcd, s.efgh, wk);
  s.efgh = vsha256h2q_u32(s.efgh, abcd, wk);
}

// W[t..t+3] from the sixteen words before, four to a register, oldest first (FIPS 180-4 section
// 6.2.2 step 1).
CNGAES_INLINE uint32x4_t next_words(uint32x4_t w0, uint32x4_t w1, uint32x4_t w2, uint32x4_t w3) {
  return vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3);
}

// N messages side by side.
template <int N>
CNGAES_INLINE void sixteen_rounds(State (&s)[N], uint32x4_t (&w)[N][4], int t, bool more) {
  CNGAES_UNROLL
  for (int j = 0; j < 4; ++j) {
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      four_rounds<N == 1>(s[i], w[i][j], t + 4 * j);
      if (more) {
        w[i][j] = next_words(w[i][j], w[i][(j + 1) % 4], w[i][(j + 2) % 4], w[i][(j + 3) % 4]);
      }
    }
  }
}

template <int N>
CNGAES_INLINE void compress_side_by_side(uint32_t (*states)[8], const uint8_t* const* data,
                                         size_t num_blocks) {
  State s[N];
  CNGAES_UNROLL
  for (int i = 0; i < N; ++i) s[i] = {vld1q_u32(states[i]), vld1q_u32(states[i] + 4)};
  for (size_t at = 0; num_blocks > 0; --num_blocks, at += kSha256BlockBytes) {
    State start[N];
    uint32x4_t w[N][4];
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      start[i] = s[i];
      CNGAES_UNROLL
      for (int j = 0; j < 4; ++j) w[i][j] = load_words(data[i] + at + 16 * j);
    }
    sixteen_rounds<N>(s, w, 0, true);
    sixteen_rounds<N>(s, w, 16, true);
    sixteen_rounds<N>(s, w, 32, true);
    sixteen_rounds<N>(s, w, 48, false);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      s[i].abcd = vaddq_u32(s[i].abcd, start[i].abcd);
      s[i].efgh = vaddq_u32(s[i].efgh, start[i].efgh);
    }
  }
  CNGAES_UNROLL
  for (int i = 0; i < N; ++i) {
    vst1q_u32(states[i], s[i].abcd);
    vst1q_u32(states[i] + 4, s[i].efgh);
  }
}

void compress(uint32_t state[8], const uint8_t* data, size_t num_blocks) {
  compress_side_by_side<1>(reinterpret_cast<uint32_t (*)[8]>(state), &data, num_blocks);
}

// Two messages at a time: one leaves a unit that starts an instruction a clock idle three clocks
// out of four where its latency is 4 (Neoverse V2 in LLVM's model).
void compress_streams(uint32_t (*states)[8], const uint8_t* const* data, size_t num_streams,
                      size_t num_blocks) {
  for (; num_streams >= 2; num_streams -= 2, states += 2, data += 2) {
    compress_side_by_side<2>(states, data, num_blocks);
  }
  if (num_streams > 0) compress(*states, *data, num_blocks);
}

}  // namespace

const Sha256Functions kSha256Arm64Ce = {
    .compress = compress,
    .compress_streams = compress_streams,
    .lanes = 2,
    .schedule = nullptr,
    .compress_scheduled = nullptr,
};

}  // namespace cngaes
