// AES modes and GHASH for x86, written once over the vectors of vectors_x86.h. A kernel file
// includes this inside its anonymous namespace and takes Modes<Vec128>, Modes<Vec256>, ... as its
// table.
//
// No include guard on purpose, see vectors_x86.h.

// GHASH works on byte-reversed blocks, where SP 800-38D's field becomes POLYVAL's with H replaced
// by mulX_POLYVAL(H) (RFC 8452 appendix A). The product is reduced Montgomery-wise, 64 bits at a
// time: P = x^128 + x^127 + x^126 + x^121 + 1, and adding (low quadword) * P clears that quadword,
// moves it up by 128 bits and adds its product with 0xc2 << 56 = (x^127 + x^126 + x^121) / x^64.
inline constexpr long long kPolyHigh = static_cast<long long>(0xc200000000000000ULL);

CNGAES_INLINE __m128i byte_reverse_control() {
  return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// lo + mi * x^64 + hi * x^128 -> that * x^-128 mod P.
CNGAES_INLINE __m128i reduce(__m128i lo, __m128i mi, __m128i hi) {
  const __m128i poly = _mm_set_epi64x(0, kPolyHigh);
  mi = Vec128::xor3(mi, Vec128::swap_halves(lo), Vec128::clmul<0x00>(lo, poly));
  return Vec128::xor3(hi, Vec128::swap_halves(mi), Vec128::clmul<0x00>(mi, poly));
}

// FIPS 197 SubWord by the last-round instruction: with four equal columns ShiftRows does nothing,
// and no table is read. Runs in 6 clocks on Zen 3, where AESKEYGENASSIST takes 7 and would still
// need shuffles.
CNGAES_INLINE uint32_t sub_word(uint32_t w) {
  const __m128i columns = _mm_set1_epi32(static_cast<int>(w));
  return static_cast<uint32_t>(
      _mm_cvtsi128_si32(_mm_aesenclast_si128(columns, _mm_setzero_si128())));
}

template <class V>
struct Modes {
  using T = typename V::T;
  static constexpr int kB = V::kBlocks;
  // 8 independent vectors keep two units of latency 4 full (Zen 3 and later, and Intel since Ice
  // Lake); 8 states leave half of the 16 registers for keys and loads.
  static constexpr int kVectors = 8;
  static constexpr size_t kStep = size_t{kVectors} * kB;  // blocks
  static_assert(2 * kStep * kAesBlockBytes <= kGhashTableBytes);
  // GhashKey::table: H^kStep .. H^1, then for each the xor of its halves (Karatsuba).
  static constexpr size_t kXorHalves = kStep * kAesBlockBytes;

  template <int N>
  struct Count {
    static constexpr int value = N;
  };
  // Calls f(Count<n>) for 1 <= n <= kVectors: every short length has straight-line code of its own.
  template <class F>
  static CNGAES_INLINE void with_count(int n, F f) {
    switch (n) {
      case 1: f(Count<1>{}); break;
      case 2: f(Count<2>{}); break;
      case 3: f(Count<3>{}); break;
      case 4: f(Count<4>{}); break;
      case 5: f(Count<5>{}); break;
      case 6: f(Count<6>{}); break;
      case 7: f(Count<7>{}); break;
      default: f(Count<8>{}); break;
    }
  }
  // A tail of `blocks` blocks, 1 <= blocks <= kStep, as whole vectors and a last one of last_n.
  static CNGAES_INLINE int vectors_for(size_t blocks) {
    return static_cast<int>((blocks + kB - 1) / kB);
  }
  static CNGAES_INLINE int last_n(size_t blocks) {
    return static_cast<int>((blocks - 1) % kB) + 1;
  }

  // ---- rounds -------------------------------------------------------------------------------

  template <bool kDecrypt, int N>
  static CNGAES_INLINE void one_round(T (&s)[N], const uint8_t* round_key) {
    const T k = V::broadcast(round_key);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = kDecrypt ? V::dec(s[i], k) : V::enc(s[i], k);
  }

  // All rounds between whitening and the last one. Returns the last round's key, into which the
  // callers fold the xor that follows the cipher.
  template <bool kDecrypt, int N>
  static CNGAES_INLINE T middle_rounds(T (&s)[N], const AesKey* key) {
    const uint8_t* rk = kDecrypt ? key->dec : key->enc;
    CNGAES_UNROLL
    for (int r = 1; r < 10; ++r) one_round<kDecrypt>(s, rk + 16 * r);
    rk += 160;
    if (key->rounds > 10) {
      one_round<kDecrypt>(s, rk);
      one_round<kDecrypt>(s, rk + 16);
      rk += 32;
      if (key->rounds > 12) {
        one_round<kDecrypt>(s, rk);
        one_round<kDecrypt>(s, rk + 16);
        rk += 32;
      }
    }
    return V::broadcast(rk);
  }

  template <int N>
  static CNGAES_INLINE void load_all(T (&x)[N], const uint8_t* in, int last) {
    CNGAES_UNROLL
    for (int i = 0; i < N - 1; ++i) x[i] = V::load(in + 16 * kB * i);
    x[N - 1] = V::load_n(in + 16 * kB * (N - 1), last);
  }
  template <int N>
  static CNGAES_INLINE void store_all(uint8_t* out, const T (&x)[N], int last) {
    CNGAES_UNROLL
    for (int i = 0; i < N - 1; ++i) V::store(out + 16 * kB * i, x[i]);
    V::store_n(out + 16 * kB * (N - 1), x[N - 1], last);
  }

  // ---- ECB ----------------------------------------------------------------------------------

  template <bool kDecrypt, int N>
  static CNGAES_INLINE void ecb_vectors(const AesKey* key, uint8_t* out, const uint8_t* in,
                                        int last) {
    T s[N];
    load_all(s, in, last);
    const T k0 = V::broadcast(kDecrypt ? key->dec : key->enc);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::bxor(s[i], k0);
    const T kl = middle_rounds<kDecrypt>(s, key);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = kDecrypt ? V::dec_last(s[i], kl) : V::enc_last(s[i], kl);
    store_all(out, s, last);
  }

  template <bool kDecrypt>
  static CNGAES_INLINE void ecb(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n) {
    for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
      ecb_vectors<kDecrypt, kVectors>(key, out, in, kB);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        ecb_vectors<kDecrypt, decltype(count)::value>(key, out, in, last_n(n));
      });
    }
  }
  static void ecb_encrypt(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n) {
    ecb<false>(key, out, in, n);
  }
  static void ecb_decrypt(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n) {
    ecb<true>(key, out, in, n);
  }

  // ---- CTR ----------------------------------------------------------------------------------

  // Counters are kept byte-reversed, so that inc32 is an addition to the lowest 32 bits.
  struct Counter {
    T next;
    T step;
    T control;
    explicit CNGAES_INLINE Counter(const uint8_t counter[16])
        : next(V::add32(
              V::broadcast(_mm_shuffle_epi8(Vec128::load(counter), byte_reverse_control())),
              V::lane_numbers())),
          step(V::broadcast(_mm_set_epi32(0, 0, 0, kB))),
          control(V::broadcast(byte_reverse_control())) {}
    CNGAES_INLINE T take() {
      const T block = V::shuffle_bytes(next, control);
      next = V::add32(next, step);
      return block;
    }
  };

  template <int N>
  static CNGAES_INLINE void ctr_vectors(const AesKey* key, Counter& counter, uint8_t* out,
                                        const T (&in)[N], int last) {
    T s[N];
    const T k0 = V::broadcast(key->enc);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::bxor(counter.take(), k0);
    const T kl = middle_rounds<false>(s, key);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::enc_last(s[i], V::bxor(in[i], kl));
    store_all(out, s, last);
  }
  // The same, loading the input only where the last round needs it.
  template <int N>
  static CNGAES_INLINE void ctr_vectors(const AesKey* key, Counter& counter, uint8_t* out,
                                        const uint8_t* in, int last) {
    T s[N];
    const T k0 = V::broadcast(key->enc);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::bxor(counter.take(), k0);
    const T kl = middle_rounds<false>(s, key);
    T x[N];
    load_all(x, in, last);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::enc_last(s[i], V::bxor(x[i], kl));
    store_all(out, s, last);
  }

  static void ctr32(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n,
                    const uint8_t counter_block[16]) {
    Counter counter(counter_block);
    for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
      ctr_vectors<kVectors>(key, counter, out, in, kB);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        ctr_vectors<decltype(count)::value>(key, counter, out, in, last_n(n));
      });
    }
  }

  // ---- CBC ----------------------------------------------------------------------------------

  template <int N>
  static CNGAES_INLINE __m128i cbc_decrypt_vectors(const AesKey* key, __m128i iv, uint8_t* out,
                                                   const uint8_t* in, size_t blocks, int last) {
    T s[N];
    load_all(s, in, last);
    const __m128i next_iv = Vec128::load(in + 16 * (blocks - 1));
    const T first_previous = V::shift_in(iv, s[0]);
    const T k0 = V::broadcast(key->dec);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::bxor(s[i], k0);
    const T kl = middle_rounds<true>(s, key);
    s[0] = V::dec_last(s[0], V::bxor(first_previous, kl));
    CNGAES_UNROLL
    for (int i = 1; i < N; ++i) {
      const uint8_t* previous = in + 16 * (kB * i - 1);
      const T x = i == N - 1 ? V::load_n(previous, last) : V::load(previous);
      s[i] = V::dec_last(s[i], V::bxor(x, kl));
    }
    store_all(out, s, last);
    return next_iv;
  }

  static void cbc_decrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                          size_t n) {
    __m128i previous = Vec128::load(iv);
    for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
      previous = cbc_decrypt_vectors<kVectors>(key, previous, out, in, kStep, kB);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        previous = cbc_decrypt_vectors<decltype(count)::value>(key, previous, out, in, n, last_n(n));
      });
    }
    Vec128::store(iv, previous);
  }

  // One chain has no parallelism, so everything but the round instructions is taken off it: what
  // the last round adds is not the last round key but (last key ^ next plaintext ^ first key),
  // which makes the next block's whitened state at once; the ciphertext is recovered beside the
  // chain. Worth 2.66 -> 2.50 c/B at AES-128 on Zen 3.
  template <int kRounds>
  static CNGAES_INLINE void cbc_chain(const AesKey* key, uint8_t iv[16], uint8_t* out,
                                      const uint8_t* in, size_t n) {
    const __m128i k0 = Vec128::load(key->enc);
    const __m128i kl = Vec128::load(key->enc + 16 * kRounds);
    const __m128i fold = _mm_xor_si128(k0, kl);
    __m128i state = _mm_xor_si128(_mm_xor_si128(Vec128::load(iv), Vec128::load(in)), k0);
    for (;;) {
      CNGAES_UNROLL
      for (int r = 1; r < kRounds; ++r) {
        state = _mm_aesenc_si128(state, Vec128::load(key->enc + 16 * r));
      }
      if (--n == 0) break;
      in += 16;
      const __m128i next = Vec128::load(in);
      state = _mm_aesenclast_si128(state, _mm_xor_si128(fold, next));
      Vec128::store(out, Vec128::xor3(state, next, k0));
      out += 16;
    }
    state = _mm_aesenclast_si128(state, kl);
    Vec128::store(out, state);
    Vec128::store(iv, state);
  }

  static void cbc_encrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                          size_t n) {
    if (n == 0) return;
    if (key->rounds == 10) {
      cbc_chain<10>(key, iv, out, in, n);
    } else if (key->rounds == 12) {
      cbc_chain<12>(key, iv, out, in, n);
    } else {
      cbc_chain<14>(key, iv, out, in, n);
    }
  }

  // ---- GHASH --------------------------------------------------------------------------------

  // One reduction for up to kStep blocks: y' = (y ^ x0) H^n ^ x1 H^(n-1) ^ ... ^ x(n-1) H.
  // Blocks come as loaded from memory; powers points to H^n.
  template <int N>
  static CNGAES_INLINE __m128i ghash_vectors(__m128i y, const T (&x)[N], const uint8_t* powers,
                                             T control) {
    T lo = V::zero();
    T mi = V::zero();
    T hi = V::zero();
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      T b = V::shuffle_bytes(x[i], control);
      if (i == 0) b = V::bxor(b, V::in_lane0(y));
      const T h = V::load(powers + 16 * kB * i);
      const T hx = V::load(powers + kXorHalves + 16 * kB * i);
      lo = V::bxor(lo, V::template clmul<0x00>(b, h));
      hi = V::bxor(hi, V::template clmul<0x11>(b, h));
      mi = V::bxor(mi, V::template clmul<0x00>(V::bxor(b, V::swap_halves(b)), hx));
    }
    const __m128i lo128 = V::fold(lo);
    const __m128i hi128 = V::fold(hi);
    return reduce(lo128, Vec128::xor3(V::fold(mi), lo128, hi128), hi128);
  }

  static CNGAES_INLINE const uint8_t* power(const GhashKey* key, size_t n) {
    return key->table + 16 * (kStep - n);
  }

  static CNGAES_INLINE __m128i ghash_blocks(const GhashKey* key, __m128i y, const uint8_t* in,
                                            size_t n, T control) {
    for (; n >= kStep; n -= kStep, in += 16 * kStep) {
      T x[kVectors];
      load_all(x, in, kB);
      y = ghash_vectors(y, x, power(key, kStep), control);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        T x[decltype(count)::value];
        load_all(x, in, last_n(n));
        y = ghash_vectors(y, x, power(key, n), control);
      });
    }
    return y;
  }

  static void ghash(const GhashKey* key, uint8_t y[16], const uint8_t* in, size_t n) {
    const __m128i reverse = byte_reverse_control();
    const __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    const __m128i result = ghash_blocks(key, state, in, n, V::broadcast(reverse));
    Vec128::store(y, _mm_shuffle_epi8(result, reverse));
  }

  static void ghash_init(GhashKey* key, const uint8_t h[16]) {
    memcpy(key->h, h, 16);
    const __m128i h1 = mul_x(_mm_shuffle_epi8(Vec128::load(h), byte_reverse_control()));
    // H, H^2 one after the other, then kB powers at a time from the kB before them.
    uint8_t* last = key->table + 16 * (kStep - 1);
    Vec128::store(last, h1);
    __m128i p = h1;
    for (int i = 1; i < kB; ++i) {
      p = multiply<Vec128>(p, h1);
      Vec128::store(last - 16 * i, p);
    }
    const T by = V::broadcast(p);
    uint8_t* at = key->table + 16 * (kStep - kB);
    T v = V::load(at);
    store_xor_halves(at, v);
    for (int i = 1; i < kVectors; ++i) {
      at -= 16 * kB;
      v = multiply<V>(v, by);
      V::store(at, v);
      store_xor_halves(at, v);
    }
  }

  static void ghash_multiply(uint8_t y[16], const uint8_t x[16]) {
    const __m128i reverse = byte_reverse_control();
    const __m128i a = _mm_shuffle_epi8(Vec128::load(y), reverse);
    const __m128i b = mul_x(_mm_shuffle_epi8(Vec128::load(x), reverse));
    Vec128::store(y, _mm_shuffle_epi8(multiply<Vec128>(a, b), reverse));
  }

  // mulX_POLYVAL of RFC 8452 appendix A: a * x mod P, without a branch on the bit shifted out.
  static CNGAES_INLINE __m128i mul_x(__m128i a) {
    const __m128i carry = _mm_srli_epi64(a, 63);
    const __m128i doubled =
        _mm_or_si128(_mm_add_epi64(a, a), _mm_slli_si128(carry, 8));
    const __m128i top = _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xff);
    return _mm_xor_si128(doubled, _mm_and_si128(top, _mm_set_epi64x(kPolyHigh, 1)));
  }

  // Lane-wise a * b * x^-128 mod P.
  template <class W>
  static CNGAES_INLINE typename W::T multiply(typename W::T a, typename W::T b) {
    const typename W::T poly = W::broadcast(_mm_set_epi64x(0, kPolyHigh));
    const typename W::T lo = W::template clmul<0x00>(a, b);
    const typename W::T hi = W::template clmul<0x11>(a, b);
    typename W::T mi = W::bxor(W::template clmul<0x01>(a, b), W::template clmul<0x10>(a, b));
    mi = W::xor3(mi, W::swap_halves(lo), W::template clmul<0x00>(lo, poly));
    return W::xor3(hi, W::swap_halves(mi), W::template clmul<0x00>(mi, poly));
  }
  static CNGAES_INLINE void store_xor_halves(uint8_t* at, T v) {
    V::store(at + kXorHalves, V::bxor(v, V::swap_halves(v)));
  }

  // ---- GCM ----------------------------------------------------------------------------------

  // GHASH of one step is issued before the rounds of the next: the multiplications and the round
  // instructions use different units and the core overlaps them (interleaving them by hand cost
  // 12 % with gcc 12, which then spills).
  static void gcm_encrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    const __m128i reverse = byte_reverse_control();
    __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    Counter counter(counter_block);
    if (n >= kStep) {
      ctr_vectors<kVectors>(key, counter, out, in, kB);
      for (n -= kStep; n >= kStep; n -= kStep) {
        T x[kVectors];
        load_all(x, out, kB);
        state = ghash_vectors(state, x, power(gk, kStep), counter.control);
        in += 16 * kStep;
        out += 16 * kStep;
        ctr_vectors<kVectors>(key, counter, out, in, kB);
      }
      state = ghash_blocks(gk, state, out, kStep, counter.control);
      in += 16 * kStep;
      out += 16 * kStep;
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        ctr_vectors<decltype(count)::value>(key, counter, out, in, last_n(n));
      });
      state = ghash_blocks(gk, state, out, n, counter.control);
    }
    Vec128::store(y, _mm_shuffle_epi8(state, reverse));
  }

  template <int N>
  static CNGAES_INLINE __m128i gcm_decrypt_vectors(const AesKey* key, const GhashKey* gk,
                                                   __m128i y, Counter& counter, uint8_t* out,
                                                   const uint8_t* in, size_t blocks, int last) {
    T x[N];
    load_all(x, in, last);  // the only load: what is hashed is what is decrypted
    y = ghash_vectors(y, x, power(gk, blocks), counter.control);
    ctr_vectors(key, counter, out, x, last);
    return y;
  }

  static void gcm_decrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    const __m128i reverse = byte_reverse_control();
    __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    Counter counter(counter_block);
    for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
      state = gcm_decrypt_vectors<kVectors>(key, gk, state, counter, out, in, kStep, kB);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) {
        state = gcm_decrypt_vectors<decltype(count)::value>(key, gk, state, counter, out, in, n,
                                                            last_n(n));
      });
    }
    Vec128::store(y, _mm_shuffle_epi8(state, reverse));
  }
};
