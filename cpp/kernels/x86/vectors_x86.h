// Vectors of 1, 2 or 4 AES blocks under the same neutral names, so that the modes in aes_x86.h read
// alike at every width. Each kernel file includes this inside its own anonymous namespace and only
// the widths its flags allow exist.
//
// No include guard on purpose: one inclusion per kernel file, no linkage shared between files that
// are compiled with different instruction sets.

// Brings a line into the second-level cache; any address will do, also one past the data.
CNGAES_INLINE void prefetch(const uint8_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}

struct Vec128 {
  using T = __m128i;
  static constexpr int kBlocks = 1;
  static constexpr bool kXor3IsOne = false;  // xor3 is one instruction

  static CNGAES_INLINE T load(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static CNGAES_INLINE void store(uint8_t* p, T v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  // The first n blocks (1 <= n <= kBlocks); the other lanes are zero and not read.
  static CNGAES_INLINE T load_n(const uint8_t* p, int) { return load(p); }
  static CNGAES_INLINE void store_n(uint8_t* p, T v, int) { store(p, v); }
  // Lane i from p[i] + at, to p[i] + at.
  static CNGAES_INLINE T load_lanes(const uint8_t* const* p, size_t at) { return load(p[0] + at); }
  static CNGAES_INLINE void store_lanes(uint8_t* const* p, size_t at, T v) { store(p[0] + at, v); }
  // kBlocks blocks of kBlocks messages: v[i] = blocks of message i <-> v[i] = block i of each.
  static CNGAES_INLINE void transpose(T (&)[1]) {}
  // v with the lanes behind the first n zeroed.
  static CNGAES_INLINE T keep_n(T v, int) { return v; }
  static CNGAES_INLINE T broadcast(__m128i v) { return v; }
  static CNGAES_INLINE T broadcast(const uint8_t* p) { return load(p); }
  static CNGAES_INLINE T in_lane0(__m128i v) { return v; }
  static CNGAES_INLINE __m128i lane0(T v) { return v; }
  static CNGAES_INLINE T lane_numbers() { return _mm_setzero_si128(); }
  static CNGAES_INLINE T zero() { return _mm_setzero_si128(); }
  static CNGAES_INLINE T bxor(T a, T b) { return _mm_xor_si128(a, b); }
  static CNGAES_INLINE T xor3(T a, T b, T c) { return bxor(a, bxor(b, c)); }
  static CNGAES_INLINE T add32(T a, T b) { return _mm_add_epi32(a, b); }
  static CNGAES_INLINE T shuffle_bytes(T v, T control) { return _mm_shuffle_epi8(v, control); }
  static CNGAES_INLINE T swap_halves(T v) { return _mm_shuffle_epi32(v, 0x4e); }
  static CNGAES_INLINE T enc(T s, T k) { return _mm_aesenc_si128(s, k); }
  static CNGAES_INLINE T enc_last(T s, T k) { return _mm_aesenclast_si128(s, k); }
  static CNGAES_INLINE T dec(T s, T k) { return _mm_aesdec_si128(s, k); }
  static CNGAES_INLINE T dec_last(T s, T k) { return _mm_aesdeclast_si128(s, k); }
  template <int kHalves>
  static CNGAES_INLINE T clmul(T a, T b) {
    return _mm_clmulepi64_si128(a, b, kHalves);
  }
  // Lane 0 = previous, lane i = v's lane i-1: the chaining values of CBC.
  static CNGAES_INLINE T shift_in(__m128i previous, T) { return previous; }
  static CNGAES_INLINE __m128i fold(T v) { return v; }  // xor of all lanes
};

#if defined(__AVX2__) && defined(__VAES__)
struct Vec256 {
  using T = __m256i;
  static constexpr int kBlocks = 2;
  static constexpr bool kXor3IsOne = false;

  static CNGAES_INLINE T load(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static CNGAES_INLINE void store(uint8_t* p, T v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  }
  static CNGAES_INLINE T load_n(const uint8_t* p, int n) {
    return n == 2 ? load(p) : _mm256_zextsi128_si256(Vec128::load(p));
  }
  static CNGAES_INLINE void store_n(uint8_t* p, T v, int n) {
    if (n == 2) {
      store(p, v);
    } else {
      Vec128::store(p, _mm256_castsi256_si128(v));
    }
  }
  static CNGAES_INLINE T load_lanes(const uint8_t* const* p, size_t at) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Vec128::load(p[0] + at)),
                                   Vec128::load(p[1] + at), 1);
  }
  static CNGAES_INLINE void store_lanes(uint8_t* const* p, size_t at, T v) {
    Vec128::store(p[0] + at, _mm256_castsi256_si128(v));
    Vec128::store(p[1] + at, _mm256_extracti128_si256(v, 1));
  }
  static CNGAES_INLINE void transpose(T (&v)[2]) {
    const T first = _mm256_permute2x128_si256(v[0], v[1], 0x20);
    v[1] = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    v[0] = first;
  }
  static CNGAES_INLINE T keep_n(T v, int n) {
    return n == 2 ? v : _mm256_zextsi128_si256(_mm256_castsi256_si128(v));
  }
  static CNGAES_INLINE T broadcast(__m128i v) { return _mm256_broadcastsi128_si256(v); }
  static CNGAES_INLINE T broadcast(const uint8_t* p) { return broadcast(Vec128::load(p)); }
  static CNGAES_INLINE T in_lane0(__m128i v) { return _mm256_zextsi128_si256(v); }
  static CNGAES_INLINE __m128i lane0(T v) { return _mm256_castsi256_si128(v); }
  static CNGAES_INLINE T lane_numbers() { return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0); }
  static CNGAES_INLINE T zero() { return _mm256_setzero_si256(); }
  static CNGAES_INLINE T bxor(T a, T b) { return _mm256_xor_si256(a, b); }
  static CNGAES_INLINE T xor3(T a, T b, T c) { return bxor(a, bxor(b, c)); }
  static CNGAES_INLINE T add32(T a, T b) { return _mm256_add_epi32(a, b); }
  static CNGAES_INLINE T shuffle_bytes(T v, T control) { return _mm256_shuffle_epi8(v, control); }
  static CNGAES_INLINE T swap_halves(T v) { return _mm256_shuffle_epi32(v, 0x4e); }
  static CNGAES_INLINE T enc(T s, T k) { return _mm256_aesenc_epi128(s, k); }
  static CNGAES_INLINE T enc_last(T s, T k) { return _mm256_aesenclast_epi128(s, k); }
  static CNGAES_INLINE T dec(T s, T k) { return _mm256_aesdec_epi128(s, k); }
  static CNGAES_INLINE T dec_last(T s, T k) { return _mm256_aesdeclast_epi128(s, k); }
  template <int kHalves>
  static CNGAES_INLINE T clmul(T a, T b) {
    return _mm256_clmulepi64_epi128(a, b, kHalves);
  }
  static CNGAES_INLINE T shift_in(__m128i previous, T v) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(previous), _mm256_castsi256_si128(v), 1);
  }
  static CNGAES_INLINE __m128i fold(T v) {
    return _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  }
};
#endif

#if defined(CNGAES_EMULATED_512)  // by a test
#include CNGAES_EMULATED_512
#elif defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__VAES__)
struct Vec512 {
  using T = __m512i;
  static constexpr int kBlocks = 4;
  static constexpr bool kXor3IsOne = true;

  static CNGAES_INLINE T load(const uint8_t* p) { return _mm512_loadu_si512(p); }
  static CNGAES_INLINE void store(uint8_t* p, T v) { _mm512_storeu_si512(p, v); }
  // Not by masks: a load cannot take its bytes from a masked store that is still under way, which
  // costs 20 ns of a 16-byte message on Zen 4.
  static CNGAES_INLINE T load_n(const uint8_t* p, int n) {
    if (n == 4) return load(p);
    if (n == 1) return _mm512_zextsi128_si512(Vec128::load(p));
    const __m512i two = _mm512_zextsi256_si512(Vec256::load(p));
    return n == 2 ? two : _mm512_inserti32x4(two, Vec128::load(p + 32), 2);
  }
  static CNGAES_INLINE void store_n(uint8_t* p, T v, int n) {
    if (n == 4) {
      store(p, v);
    } else if (n == 1) {
      Vec128::store(p, _mm512_castsi512_si128(v));
    } else {
      Vec256::store(p, _mm512_castsi512_si256(v));
      if (n == 3) Vec128::store(p + 32, _mm512_extracti32x4_epi32(v, 2));
    }
  }
  static CNGAES_INLINE T load_lanes(const uint8_t* const* p, size_t at) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Vec256::load_lanes(p, at)),
                              Vec256::load_lanes(p + 2, at), 1);
  }
  static CNGAES_INLINE void store_lanes(uint8_t* const* p, size_t at, T v) {
    Vec256::store_lanes(p, at, _mm512_castsi512_si256(v));
    Vec256::store_lanes(p + 2, at, _mm512_extracti64x4_epi64(v, 1));
  }
  static CNGAES_INLINE void transpose(T (&v)[4]) {
    const T even01 = _mm512_shuffle_i64x2(v[0], v[1], 0x88);  // blocks 0, 2 of messages 0 and 1
    const T odd01 = _mm512_shuffle_i64x2(v[0], v[1], 0xdd);
    const T even23 = _mm512_shuffle_i64x2(v[2], v[3], 0x88);
    const T odd23 = _mm512_shuffle_i64x2(v[2], v[3], 0xdd);
    v[0] = _mm512_shuffle_i64x2(even01, even23, 0x88);
    v[1] = _mm512_shuffle_i64x2(odd01, odd23, 0x88);
    v[2] = _mm512_shuffle_i64x2(even01, even23, 0xdd);
    v[3] = _mm512_shuffle_i64x2(odd01, odd23, 0xdd);
  }
  static CNGAES_INLINE T keep_n(T v, int n) {
    return _mm512_maskz_mov_epi64(static_cast<__mmask8>((1U << (2 * n)) - 1), v);
  }
  static CNGAES_INLINE T broadcast(__m128i v) { return _mm512_broadcast_i32x4(v); }
  static CNGAES_INLINE T broadcast(const uint8_t* p) { return broadcast(Vec128::load(p)); }
  static CNGAES_INLINE T in_lane0(__m128i v) { return _mm512_zextsi128_si512(v); }
  static CNGAES_INLINE __m128i lane0(T v) { return _mm512_castsi512_si128(v); }
  static CNGAES_INLINE T lane_numbers() {
    return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0);
  }
  static CNGAES_INLINE T zero() { return _mm512_setzero_si512(); }
  static CNGAES_INLINE T bxor(T a, T b) { return _mm512_xor_si512(a, b); }
  static CNGAES_INLINE T xor3(T a, T b, T c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static CNGAES_INLINE T add32(T a, T b) { return _mm512_add_epi32(a, b); }
  static CNGAES_INLINE T shuffle_bytes(T v, T control) { return _mm512_shuffle_epi8(v, control); }
  static CNGAES_INLINE T swap_halves(T v) {
    return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4e));
  }
  static CNGAES_INLINE T enc(T s, T k) { return _mm512_aesenc_epi128(s, k); }
  static CNGAES_INLINE T enc_last(T s, T k) { return _mm512_aesenclast_epi128(s, k); }
  static CNGAES_INLINE T dec(T s, T k) { return _mm512_aesdec_epi128(s, k); }
  static CNGAES_INLINE T dec_last(T s, T k) { return _mm512_aesdeclast_epi128(s, k); }
  template <int kHalves>
  static CNGAES_INLINE T clmul(T a, T b) {
    return _mm512_clmulepi64_epi128(a, b, kHalves);
  }
  static CNGAES_INLINE T shift_in(__m128i previous, T v) {
    return _mm512_alignr_epi64(v, _mm512_broadcast_i32x4(previous), 6);
  }
  static CNGAES_INLINE __m128i fold(T v) {
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }
};
#endif
