// GHASH and GCM for x86, written once over the vectors of vectors_x86.h and the rounds of
// aes_x86.h.
//
// No include guard on purpose, see vectors_x86.h.

// GHASH works on byte-reversed blocks, where SP 800-38D's field becomes POLYVAL's with H replaced
// by mulX_POLYVAL(H) (RFC 8452 appendix A). The product is reduced Montgomery-wise, 64 bits at a
// time: P = x^128 + x^127 + x^126 + x^121 + 1, and adding (low quadword) * P clears that quadword,
// moves it up by 128 bits and adds its product with 0xc2 << 56 = (x^127 + x^126 + x^121) / x^64.
inline constexpr long long kPolyHigh = static_cast<long long>(0xc200000000000000ULL);

// lo + mi * x^64 + hi * x^128 -> that * x^-128 mod P.
CNGAES_INLINE __m128i reduce(__m128i lo, __m128i mi, __m128i hi) {
  const __m128i poly = _mm_set_epi64x(0, kPolyHigh);
  mi = Vec128::xor3(mi, Vec128::swap_halves(lo), Vec128::clmul<0x00>(lo, poly));
  return Vec128::xor3(hi, Vec128::swap_halves(mi), Vec128::clmul<0x00>(mi, poly));
}

template <class V>
struct Gcm : private Modes<V> {
  using T = typename V::T;
  using Base = Modes<V>;
  using typename Base::Counter;
  // Not by using-declarations: GCC 12 does not find those inside generic lambdas.
  static constexpr int kB = Base::kB;
  static constexpr int kVectors = Base::kVectors;
  static constexpr size_t kStep = Base::kStep;
  static_assert(2 * kStep * kAesBlockBytes <= kGhashTableBytes);
  // GhashKey::table: H^kStep .. H^1, then for each the xor of its halves (Karatsuba).
  static constexpr size_t kXorHalves = kStep * kAesBlockBytes;

  // ---- GHASH --------------------------------------------------------------------------------

  // Sum of products, not yet reduced. Karatsuba: 3 multiplications a vector beat 4 by 6 % (vaes256)
  // and 8 % (x86-aesni) of whole GCM on Zen 4.
  struct Products {
    T lo = V::zero();
    T mi = V::zero();
    T hi = V::zero();

    // x: blocks as in memory, the first of them xored with y; powers: of the first block's H^n.
    CNGAES_INLINE void add(T x, T y, const uint8_t* powers, T control) {
      const T b = V::bxor(V::shuffle_bytes(x, control), y);
      const T h = V::load(powers);
      const T hx = V::load(powers + kXorHalves);
      lo = V::bxor(lo, V::template clmul<0x00>(b, h));
      hi = V::bxor(hi, V::template clmul<0x11>(b, h));
      mi = V::bxor(mi, V::template clmul<0x00>(V::bxor(b, V::swap_halves(b)), hx));
    }
    // Two vectors at a time by four multiplications each, where a three-way xor takes up two
    // products at once: fewer instructions than Karatsuba's, which has shuffles and xors besides.
    // Sapphire Rapids, whose two ports for 512 bits are the bound, AES-128 / 256 at 16 KiB: .206 /
    // .243 c/B; .217 / .256 by pairs of Karatsuba's; .228 / .262 one by one. Not measured on Zen 4.
    CNGAES_INLINE void add_pair(T x0, T x1, T y, const uint8_t* powers, T control) {
      const T b0 = V::bxor(V::shuffle_bytes(x0, control), y);
      const T b1 = V::shuffle_bytes(x1, control);
      const T h0 = V::load(powers);
      const T h1 = V::load(powers + 16 * kB);
      lo = V::xor3(lo, V::template clmul<0x00>(b0, h0), V::template clmul<0x00>(b1, h1));
      hi = V::xor3(hi, V::template clmul<0x11>(b0, h0), V::template clmul<0x11>(b1, h1));
      mi = V::xor3(mi, V::template clmul<0x01>(b0, h0), V::template clmul<0x10>(b0, h0));
      mi = V::xor3(mi, V::template clmul<0x01>(b1, h1), V::template clmul<0x10>(b1, h1));
    }
    CNGAES_INLINE __m128i sum_of_pairs() const {
      return reduce(V::fold(lo), V::fold(mi), V::fold(hi));
    }
    // x blocks for the powers from H^n down, y xored into the first.
    template <int N>
    CNGAES_INLINE void add_all(const T (&x)[N], __m128i y, const uint8_t* powers, T control) {
      CNGAES_UNROLL
      for (int i = 0; i < N; ++i) {
        add(x[i], i == 0 ? V::in_lane0(y) : V::zero(), powers + 16 * kB * i, control);
      }
    }
    CNGAES_INLINE __m128i middle() const {
      return Vec128::xor3(V::fold(mi), V::fold(lo), V::fold(hi));
    }
    CNGAES_INLINE __m128i sum() const { return reduce(V::fold(lo), middle(), V::fold(hi)); }
  };

  // One reduction for up to kStep blocks: y' = (y ^ x0) H^n ^ x1 H^(n-1) ^ ... ^ x(n-1) H.
  // Blocks come as loaded from memory; powers points to H^n.
  template <int N>
  static CNGAES_INLINE __m128i ghash_vectors(__m128i y, const T (&x)[N], const uint8_t* powers,
                                             T control) {
    Products products;
    products.add_all(x, y, powers, control);
    return products.sum();
  }

  static CNGAES_INLINE const uint8_t* power(const GhashKey* key, size_t n) {
    return key->table + 16 * (kStep - n);
  }

  static CNGAES_INLINE __m128i ghash_blocks(const GhashKey* key, __m128i y, const uint8_t* in,
                                            size_t n, T control) {
    for (; n >= kStep; n -= kStep, in += 16 * kStep) {
      T x[kVectors];
      Base::load_all(x, in, kB);
      y = ghash_vectors(y, x, power(key, kStep), control);
    }
    if (n > 0) {
      Base::with_count(Base::vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
        T x[decltype(count)::value];
        Base::load_all(x, in, Base::last_n(n));
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

  // One reduction for the products and the length block behind them.
  static CNGAES_INLINE __m128i with_lengths(const Products& products, __m128i lengths,
                                            const GhashKey* key) {
    const __m128i h = Vec128::load(power(key, 1));
    const __m128i lo = _mm_xor_si128(V::fold(products.lo), Vec128::clmul<0x00>(lengths, h));
    const __m128i hi = _mm_xor_si128(V::fold(products.hi), Vec128::clmul<0x11>(lengths, h));
    const __m128i mi = Vec128::xor3(products.middle(), Vec128::clmul<0x01>(lengths, h),
                                    Vec128::clmul<0x10>(lengths, h));
    return reduce(lo, mi, hi);
  }

  static void ghash_finish(const GhashKey* key, uint8_t y[16], const uint8_t* in, size_t n,
                           uint64_t aad_bits, uint64_t data_bits) {
    const __m128i reverse = byte_reverse_control();
    const T control = V::broadcast(reverse);
    __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    const size_t whole = n / kStep * kStep;
    state = ghash_blocks(key, state, in, whole, control);
    in += 16 * whole;
    n -= whole;

    __m128i lengths =
        _mm_set_epi64x(static_cast<long long>(aad_bits), static_cast<long long>(data_bits));
    Products products;
    if (n == 0) {
      lengths = _mm_xor_si128(lengths, state);
    } else {
      Base::with_count(Base::vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
        T x[decltype(count)::value];
        Base::load_all(x, in, Base::last_n(n));
        products.add_all(x, state, power(key, n + 1), control);
      });
    }
    Vec128::store(y, _mm_shuffle_epi8(with_lengths(products, lengths, key), reverse));
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
    const __m128i doubled = _mm_or_si128(_mm_add_epi64(a, a), _mm_slli_si128(carry, 8));
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

  // GHASH of the step before runs between the rounds, a vector behind each: both use the same two
  // units, and the scheduler is too small to look past eight chains of rounds for the
  // multiplications by itself. Zen 4, AES-128/256, c/B at 1 MiB: .28/.32 (vaes512) and .35/.39
  // (vaes256) woven, .32/.38 and .37/.43 with the GHASH before the rounds.
  //
  // One step fills the reorder buffer, so its loads start late; the hint for those of later steps
  // makes up for it: AES-128 / 256 at 128 MiB into another buffer, Zen 4, medians of three runs
  // taken in turn: 8.3 / 8.0 GB/s with a hint to the second-level cache, 7.2 / 7.2 to the first,
  // 8.0 / 7.7 non-temporal. Hints for the output lose.
  struct Woven {
    __m128i& y;
    const uint8_t* ciphertext;
    const uint8_t* powers;
    T control;
    const uint8_t* ahead;
    Products& products;

    template <int kRound>
    CNGAES_INLINE void operator()(typename Base::template Count<kRound>) const {
      constexpr int kAt = kRound - 1;
      if constexpr (kAt < kVectors) {
        constexpr int kOffset = 16 * kB * kAt;
        if constexpr (kOffset % 64 == 0) prefetch(ahead + kOffset);
        if constexpr (!V::kXor3IsOne) {
          products.add(V::load(ciphertext + kOffset), kAt == 0 ? V::in_lane0(y) : V::zero(),
                       powers + kOffset, control);
        } else if constexpr (kAt % 2 == 1) {
          constexpr int kPair = kOffset - 16 * kB;
          products.add_pair(V::load(ciphertext + kPair), V::load(ciphertext + kOffset),
                            kAt == 1 ? V::in_lane0(y) : V::zero(), powers + kPair, control);
        }
      } else if constexpr (kAt == kVectors) {
        y = V::kXor3IsOne ? products.sum_of_pairs() : products.sum();
      }
    }
  };
  static constexpr size_t kAhead = 1024;  // bytes; 2 and 4 KiB gain less

  // Whole steps. The ciphertext of each is kept in a copy until it is hashed. Decryption must not
  // load it twice, since memory may change under us. Encryption could read it back, but a
  // misaligned load of what was just stored waits for the store to reach the cache, which takes
  // long when the output comes from memory: 128 MiB, vaes512, Zen 4: 9.2 GB/s with the copy, 8.7
  // reading back two steps late, 7.0 from registers, which leave the scheduler full of GHASH that
  // waits for loads.
  template <bool kEncrypt>
  static CNGAES_INLINE __m128i gcm_steps(const AesKey* key, const GhashKey* gk, __m128i y,
                                         Counter& counter, uint8_t* out, const uint8_t* in,
                                         size_t steps) {
    alignas(64) uint8_t kept[16 * kStep];
    T x[kVectors];
    T s[kVectors];
    Base::ctr_vectors(key, counter, out, in, kB, x, s, [](auto) CNGAES_INLINE_LAMBDA {});
    Base::store_all(kept, kEncrypt ? s : x, kB);
    for (size_t i = 1; i < steps; ++i) {
      in += 16 * kStep;
      out += 16 * kStep;
      Products products;
      Base::ctr_vectors(key, counter, out, in, kB, x, s,
                        Woven{y, kept, power(gk, kStep), counter.control, in + kAhead, products});
      Base::store_all(kept, kEncrypt ? s : x, kB);
    }
    return ghash_vectors(y, kEncrypt ? s : x, power(gk, kStep), counter.control);
  }

  template <bool kEncrypt>
  static CNGAES_INLINE void gcm(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                                const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    const __m128i reverse = byte_reverse_control();
    __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    Counter counter(counter_block);
    if (const size_t steps = n / kStep; steps > 0) {
      state = gcm_steps<kEncrypt>(key, gk, state, counter, out, in, steps);
      in += 16 * kStep * steps;
      out += 16 * kStep * steps;
      n -= kStep * steps;
    }
    if (n > 0) {
      Base::with_count(Base::vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
        constexpr int kCount = decltype(count)::value;
        T x[kCount];
        T s[kCount];
        Base::ctr_vectors(key, counter, out, in, Base::last_n(n), x, s,
                          [](auto) CNGAES_INLINE_LAMBDA {});
        // What lies behind the last block counts as zeros: x was loaded so, s is keystream there.
        if constexpr (kEncrypt) {
          s[kCount - 1] = V::keep_n(s[kCount - 1], Base::last_n(n));
          state = ghash_vectors(state, s, power(gk, n), counter.control);
        } else {
          state = ghash_vectors(state, x, power(gk, n), counter.control);
        }
      });
    }
    Vec128::store(y, _mm_shuffle_epi8(state, reverse));
  }

  static void gcm_encrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    gcm<true>(key, gk, y, out, in, n, counter_block);
  }
  static void gcm_decrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    gcm<false>(key, gk, y, out, in, n, counter_block);
  }

  // The mask of the tag is encrypted beside the data, and nothing goes through memory between the
  // cipher and GHASH.
  template <bool kEncrypt>
  static CNGAES_INLINE void gcm_short(const AesKey* key, const GhashKey* gk, uint8_t y[16],
                                      uint8_t* out, const uint8_t* in, size_t n,
                                      const uint8_t j0[16], uint64_t aad_bits) {
    const __m128i reverse = byte_reverse_control();
    Counter counter(j0);
    const T control = counter.control;
    const __m128i state = _mm_shuffle_epi8(Vec128::load(y), reverse);
    const auto data_bits = static_cast<long long>(n) * 128;
    const __m128i lengths = _mm_set_epi64x(static_cast<long long>(aad_bits), data_bits);
    const int last = Base::last_n(n);
    Base::with_count(Base::vectors_for(n), [&](auto count) CNGAES_INLINE_LAMBDA {
      constexpr int kCount = decltype(count)::value;
      T s[kCount + 1];  // the last of them: J0 in its first lane
      const T k0 = V::broadcast(key->enc);
      s[kCount] = V::bxor(V::shuffle_bytes(counter.next, control), k0);
      counter.next = V::add32(counter.next, V::broadcast(_mm_set_epi32(0, 0, 0, 1)));
      CNGAES_UNROLL
      for (int i = 0; i < kCount; ++i) s[i] = V::bxor(counter.take(), k0);
      const T kl = Base::template middle_rounds<false>(s, key);
      T x[kCount];
      Base::load_all(x, in, last);
      T c[kCount];
      CNGAES_UNROLL
      for (int i = 0; i < kCount; ++i) c[i] = V::enc_last(s[i], V::bxor(x[i], kl));
      Base::store_all(out, c, last);
      Products products;
      if constexpr (kEncrypt) {
        c[kCount - 1] = V::keep_n(c[kCount - 1], last);
        products.add_all(c, state, power(gk, n + 1), control);
      } else {
        products.add_all(x, state, power(gk, n + 1), control);
      }
      const __m128i tag = _mm_shuffle_epi8(with_lengths(products, lengths, gk), reverse);
      Vec128::store(y, _mm_xor_si128(tag, V::lane0(V::enc_last(s[kCount], kl))));
    });
  }
  static_assert(kGcmShortBlocks < kStep);

  static void gcm_encrypt_short(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                                const uint8_t* in, size_t n, const uint8_t j0[16],
                                uint64_t aad_bits) {
    gcm_short<true>(key, gk, y, out, in, n, j0, aad_bits);
  }
  static void gcm_decrypt_short(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                                const uint8_t* in, size_t n, const uint8_t j0[16],
                                uint64_t aad_bits) {
    gcm_short<false>(key, gk, y, out, in, n, j0, aad_bits);
  }
};
