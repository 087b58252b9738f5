// ECB, CTR and CBC for x86, written once over the vectors of vectors_x86.h. A kernel file includes
// this inside its anonymous namespace and takes Modes<Vec128>, Modes<Vec256>, ... as its table.
//
// No include guard on purpose, see vectors_x86.h.

CNGAES_INLINE __m128i byte_reverse_control() {
  return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// FIPS 197 SubWord by the last-round instruction: with four equal columns ShiftRows does nothing,
// and no table is read. Serves all three key sizes with the one loop of FIPS 197, which
// AESKEYGENASSIST, whose round constant is an immediate, does not.
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

  template <int N>
  struct Count {
    static constexpr int value = N;
  };
  // Calls f(Count<n>) for 1 <= n <= kVectors: every short length has straight-line code of its own.
  template <class F>
  static CNGAES_INLINE void with_count(int n, F f) {
    switch (n) {
      case 1:
        f(Count<1>{});
        break;
      case 2:
        f(Count<2>{});
        break;
      case 3:
        f(Count<3>{});
        break;
      case 4:
        f(Count<4>{});
        break;
      case 5:
        f(Count<5>{});
        break;
      case 6:
        f(Count<6>{});
        break;
      case 7:
        f(Count<7>{});
        break;
      default:
        f(Count<8>{});
        break;
    }
  }
  // A tail of `blocks` blocks, 1 <= blocks <= kStep, as whole vectors and a last one of last_n.
  static CNGAES_INLINE int vectors_for(size_t blocks) {
    return static_cast<int>((blocks + kB - 1) / kB);
  }
  static CNGAES_INLINE int last_n(size_t blocks) { return static_cast<int>((blocks - 1) % kB) + 1; }

  // ---- rounds -------------------------------------------------------------------------------

  template <bool kDecrypt, int N>
  static CNGAES_INLINE void one_round(T (&s)[N], const uint8_t* round_key) {
    const T k = V::broadcast(round_key);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = kDecrypt ? V::dec(s[i], k) : V::enc(s[i], k);
  }

  // Rounds kRound..9, with work(Count<round>) behind each.
  template <bool kDecrypt, int kRound, int N, class Work>
  static CNGAES_INLINE void rounds_from(T (&s)[N], const uint8_t* round_keys, Work work) {
    one_round<kDecrypt>(s, round_keys + 16 * kRound);
    work(Count<kRound>{});
    if constexpr (kRound < 9) rounds_from<kDecrypt, kRound + 1>(s, round_keys, work);
  }

  // All rounds between whitening and the last one, with other work woven into the first nine,
  // which exist at every key size. Returns the last round's key, into which the callers fold the
  // xor that follows the cipher.
  template <bool kDecrypt, int N, class Work>
  static CNGAES_INLINE T middle_rounds(T (&s)[N], const AesKey* key, Work work) {
    const uint8_t* rk = kDecrypt ? key->dec : key->enc;
    rounds_from<kDecrypt, 1>(s, rk, work);
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
  template <bool kDecrypt, int N>
  static CNGAES_INLINE T middle_rounds(T (&s)[N], const AesKey* key) {
    return middle_rounds<kDecrypt>(s, key, [](auto) CNGAES_INLINE_LAMBDA {});
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
      with_count(vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
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

  // Encrypts the next N counters, weaving in work, and leaves in ^ keystream in x.
  template <int N, class Work>
  static CNGAES_INLINE void ctr_vectors(const AesKey* key, Counter& counter, uint8_t* out,
                                        const uint8_t* in, int last, T (&x)[N], T (&y)[N],
                                        Work work) {
    const T k0 = V::broadcast(key->enc);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) y[i] = V::bxor(counter.take(), k0);
    const T kl = middle_rounds<false>(y, key, work);
    load_all(x, in, last);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) y[i] = V::enc_last(y[i], V::bxor(x[i], kl));
    store_all(out, y, last);
  }
  template <int N>
  static CNGAES_INLINE void ctr_vectors(const AesKey* key, Counter& counter, uint8_t* out,
                                        const uint8_t* in, int last) {
    T x[N];
    T y[N];
    ctr_vectors(key, counter, out, in, last, x, y, [](auto) CNGAES_INLINE_LAMBDA {});
  }

  static void ctr32(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n,
                    const uint8_t counter_block[16]) {
    Counter counter(counter_block);
    for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
      ctr_vectors<kVectors>(key, counter, out, in, kB);
    }
    if (n > 0) {
      with_count(vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
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
      with_count(vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
        previous =
            cbc_decrypt_vectors<decltype(count)::value>(key, previous, out, in, n, last_n(n));
      });
    }
    Vec128::store(iv, previous);
  }

  // One chain has no parallelism, so everything but the round instructions is taken off it: what
  // the last round adds is not the last round key but (last key ^ next plaintext ^ first key),
  // which makes the next block's whitened state at once; the ciphertext is recovered beside the
  // chain. 2.52 c/B at AES-128 on Zen 4, where ten rounds of latency 4 alone are 2.50.
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
};
