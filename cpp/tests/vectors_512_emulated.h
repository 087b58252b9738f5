// Vec512 of vectors_x86.h out of four 128-bit registers, so that x86-vaes512 can be tested on CPUs
// without AVX-512. Included in its place, in the same namespace.

struct Vec512 {
  struct T {
    __m128i v[4];
  };
  static constexpr int kBlocks = 4;
  static constexpr bool kXor3IsOne = true;

  template <class F>
  static CNGAES_INLINE T each(F f) {
    return {{f(0), f(1), f(2), f(3)}};
  }

  static CNGAES_INLINE T load(const uint8_t* p) { return load_n(p, 4); }
  static CNGAES_INLINE void store(uint8_t* p, T a) { store_n(p, a, 4); }
  static CNGAES_INLINE T load_n(const uint8_t* p, int n) {
    return each([&](int i) { return i < n ? Vec128::load(p + 16 * i) : Vec128::zero(); });
  }
  static CNGAES_INLINE void store_n(uint8_t* p, T a, int n) {
    for (int i = 0; i < n; ++i) Vec128::store(p + 16 * i, a.v[i]);
  }
  static CNGAES_INLINE T load_lanes(const uint8_t* const* p, size_t at) {
    return each([&](int i) { return Vec128::load(p[i] + at); });
  }
  static CNGAES_INLINE void store_lanes(uint8_t* const* p, size_t at, T a) {
    for (int i = 0; i < 4; ++i) Vec128::store(p[i] + at, a.v[i]);
  }
  static CNGAES_INLINE void transpose(T (&a)[4]) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < i; ++j) {
        const __m128i x = a[i].v[j];
        a[i].v[j] = a[j].v[i];
        a[j].v[i] = x;
      }
    }
  }
  static CNGAES_INLINE T keep_n(T a, int n) {
    return each([&](int i) { return i < n ? a.v[i] : Vec128::zero(); });
  }
  static CNGAES_INLINE T broadcast(__m128i x) {
    return each([&](int) { return x; });
  }
  static CNGAES_INLINE T broadcast(const uint8_t* p) { return broadcast(Vec128::load(p)); }
  static CNGAES_INLINE T in_lane0(__m128i x) {
    return each([&](int i) { return i == 0 ? x : Vec128::zero(); });
  }
  static CNGAES_INLINE __m128i lane0(T a) { return a.v[0]; }
  static CNGAES_INLINE T lane_numbers() {
    return each([](int i) { return _mm_set_epi32(0, 0, 0, i); });
  }
  static CNGAES_INLINE T zero() { return broadcast(Vec128::zero()); }
  static CNGAES_INLINE T bxor(T a, T b) {
    return each([&](int i) { return Vec128::bxor(a.v[i], b.v[i]); });
  }
  static CNGAES_INLINE T xor3(T a, T b, T c) { return bxor(a, bxor(b, c)); }
  static CNGAES_INLINE T add32(T a, T b) {
    return each([&](int i) { return Vec128::add32(a.v[i], b.v[i]); });
  }
  static CNGAES_INLINE T shuffle_bytes(T a, T control) {
    return each([&](int i) { return Vec128::shuffle_bytes(a.v[i], control.v[i]); });
  }
  static CNGAES_INLINE T swap_halves(T a) {
    return each([&](int i) { return Vec128::swap_halves(a.v[i]); });
  }
  static CNGAES_INLINE T enc(T s, T k) {
    return each([&](int i) { return Vec128::enc(s.v[i], k.v[i]); });
  }
  static CNGAES_INLINE T enc_last(T s, T k) {
    return each([&](int i) { return Vec128::enc_last(s.v[i], k.v[i]); });
  }
  static CNGAES_INLINE T dec(T s, T k) {
    return each([&](int i) { return Vec128::dec(s.v[i], k.v[i]); });
  }
  static CNGAES_INLINE T dec_last(T s, T k) {
    return each([&](int i) { return Vec128::dec_last(s.v[i], k.v[i]); });
  }
  template <int kHalves>
  static CNGAES_INLINE T clmul(T a, T b) {
    return each([&](int i) { return Vec128::clmul<kHalves>(a.v[i], b.v[i]); });
  }
  static CNGAES_INLINE T shift_in(__m128i previous, T a) {
    return each([&](int i) { return i == 0 ? previous : a.v[i - 1]; });
  }
  static CNGAES_INLINE __m128i fold(T a) {
    return Vec128::bxor(Vec128::bxor(a.v[0], a.v[1]), Vec128::bxor(a.v[2], a.v[3]));
  }
};
