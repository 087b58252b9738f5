// GHASH and GCM for ARM64, over the blocks of vectors_arm64.h and the rounds of aes_arm64.h.
//
// No include guard on purpose, see vectors_arm64.h.

// GHASH works on byte-reversed blocks, where SP 800-38D's field becomes POLYVAL's with H replaced
// by mulX_POLYVAL(H) (RFC 8452 appendix A): products are a * b * x^-128 mod
// P = x^128 + x^127 + x^126 + x^121 + 1. Adding (low quadword) * P clears that quadword, which
// divides by x^64: the quadword goes up by 64 bits and its product with (x^127 + x^126 + x^121) /
// x^64 is added.
inline constexpr uint64_t kPolyHigh = 0xc200000000000000ULL;

CNGAES_INLINE Block divide_x64(Block v) {
  return bxor(swap_halves(v), clmul_low(v, from_u64(kPolyHigh, 0)));
}

// mulX_POLYVAL of RFC 8452 appendix A: a * x mod P, without a branch on the bit shifted out.
CNGAES_INLINE Block mul_x(Block a) {
  const Block carry = vreinterpretq_u8_u64(vshrq_n_u64(vreinterpretq_u64_u8(a), 63));
  const Block doubled =
      vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(a)));
  const Block signs = vreinterpretq_u8_s64(vshrq_n_s64(vreinterpretq_s64_u8(a), 63));
  const Block poly = vandq_u8(high_halves(signs, signs), from_u64(1, kPolyHigh));
  return bxor(bxor(doubled, poly), vextq_u8(zero(), carry, 8));
}

struct Gcm : private Modes {
  using Modes::kStep;
  // A factor H of 128 bits, made ready for blocks b = b1 x^64 + b0 that come with b1 in the low
  // lane (VREV64 alone, no VEXT). With W = H / x^64 the product b * H / x^64 is b1 * H + b0 * W:
  // 192 bits instead of 255, of which only 64 are left to reduce. 4 multiplications and 4 sums a
  // block like schoolbook, but a reduction of 3 operations; Karatsuba saves a multiplication and
  // pays it back by three operations a pair for the xor of halves (docs/arm64.md has the counts).
  // lows: (H0, W0); highs: (H1, W1).
  struct Factor {
    Block lows;
    Block highs;
    explicit CNGAES_INLINE Factor(Block h) {
      const Block w = divide_x64(h);
      lows = low_halves(h, w);
      highs = high_halves(h, w);
    }
    explicit CNGAES_INLINE Factor(const uint8_t* p) : lows(load(p)), highs(load(p + 16)) {}
    CNGAES_INLINE void store_to(uint8_t* p) const {
      store(p, lows);
      store(p + 16, highs);
    }
  };
  // GhashKey::table: factors for H^kStep .. H^1.
  static constexpr size_t kFactorBytes = 32;
  static_assert(kStep * kFactorBytes <= kGhashTableBytes);

  static CNGAES_INLINE const uint8_t* power(const GhashKey* key, size_t n) {
    return key->table + kFactorBytes * (kStep - n);
  }

  // ---- GHASH --------------------------------------------------------------------------------

  // Sum of products, low + high * x^64, not yet reduced.
  struct Products {
    Block low;
    Block high;

    CNGAES_INLINE void start(Block b, const Factor& f) {
      low = bxor(clmul_low(b, f.lows), clmul_high(b, f.lows));
      high = bxor(clmul_low(b, f.highs), clmul_high(b, f.highs));
    }
    CNGAES_INLINE void add(Block b, const Factor& f) {
      low = xor3(low, clmul_low(b, f.lows), clmul_high(b, f.lows));
      high = xor3(high, clmul_low(b, f.highs), clmul_high(b, f.highs));
    }
    // The sum / x^64 mod P, in natural order of lanes.
    CNGAES_INLINE Block sum() const {
      return xor3(clmul_low(low, from_u64(kPolyHigh, 0)), swap_halves(low), high);
    }
  };

  // Inside, the GHASH state has its high quadword in the low lane, as blocks have.
  // One reduction for up to kStep blocks: y' = (y ^ x0) H^n ^ x1 H^(n-1) ^ ... ^ x(n-1) H.
  // Blocks come as loaded from memory; powers points to H^n's factor.
  template <int kBegin, int N>
  static CNGAES_INLINE void add_blocks(Products& products, const Block (&x)[N],
                                       const uint8_t* powers) {
    CNGAES_UNROLL
    for (int i = kBegin; i < N; ++i) {
      products.add(reverse_halves(x[i]), Factor(powers + kFactorBytes * i));
    }
  }
  template <int N>
  static CNGAES_INLINE Products products_of(Block y, const Block (&x)[N], const uint8_t* powers) {
    Products products;
    products.start(bxor(reverse_halves(x[0]), y), Factor(powers));
    add_blocks<1>(products, x, powers);
    return products;
  }
  template <int N>
  static CNGAES_INLINE Block ghash_of(Block y, const Block (&x)[N], const uint8_t* powers) {
    return swap_halves(products_of(y, x, powers).sum());
  }

  static CNGAES_INLINE Block ghash_steps(const GhashKey* key, Block y, const uint8_t* in,
                                         size_t n) {
    for (; n >= kStep; n -= kStep, in += 16 * kStep) {
      Block x[kBlocks];
      load_all(x, in);
      y = ghash_of(y, x, power(key, kStep));
    }
    return y;
  }

  static void ghash(const GhashKey* key, uint8_t y[16], const uint8_t* in, size_t n) {
    Block state = ghash_steps(key, reverse_halves(load(y)), in, n);
    in += 16 * (n / kStep * kStep);
    n %= kStep;
    if (n > 0) {
      with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
        Block x[decltype(count)::value];
        load_all(x, in);
        state = ghash_of(state, x, power(key, n));
      });
    }
    store(y, reverse_halves(state));
  }

  static void ghash_finish(const GhashKey* key, uint8_t y[16], const uint8_t* in, size_t n,
                           uint64_t aad_bits, uint64_t data_bits) {
    Block state = ghash_steps(key, reverse_halves(load(y)), in, n);
    in += 16 * (n / kStep * kStep);
    n %= kStep;
    const Block lengths = from_u64(aad_bits, data_bits);
    Products products;
    if (n == 0) {
      products.start(bxor(lengths, state), Factor(power(key, 1)));
    } else {
      with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
        Block x[decltype(count)::value];
        load_all(x, in);
        products = products_of(state, x, power(key, n + 1));
      });
      products.add(lengths, Factor(power(key, 1)));
    }
    store(y, reverse_bytes(products.sum()));
  }

  static CNGAES_INLINE Block multiply(Block a, const Factor& f) {
    Products products;
    products.start(swap_halves(a), f);
    return products.sum();
  }
  static void ghash_init(GhashKey* key, const uint8_t h[16]) {
    memcpy(key->h, h, 16);
    Block p = mul_x(reverse_bytes(load(h)));
    const Factor first(p);
    uint8_t* at = key->table + kFactorBytes * (kStep - 1);
    first.store_to(at);
    for (size_t i = 1; i < kStep; ++i) {
      at -= kFactorBytes;
      p = multiply(p, first);
      Factor(p).store_to(at);
    }
  }
  static void ghash_multiply(uint8_t y[16], const uint8_t x[16]) {
    const Factor factor(mul_x(reverse_bytes(load(x))));
    store(y, reverse_bytes(multiply(reverse_bytes(load(y)), factor)));
  }

  // ---- GCM ----------------------------------------------------------------------------------

  // What is woven into the rounds of a step: GHASH of the step before, a block behind each round.
  // Cores that look only a little ahead, in order or out of it, fill the latencies of the rounds
  // with it (by design; no such core was measured).
  struct WovenGhash {
    const Block (&x)[kBlocks];
    const uint8_t* powers;
    Block& state;
    Products products;
    template <class Round>
    CNGAES_INLINE void operator()(Round) {
      constexpr int kAt = Round::value;
      if constexpr (kAt == 0) {
        products.start(bxor(reverse_halves(x[0]), state), Factor(powers));
      } else if constexpr (kAt < kBlocks) {
        products.add(reverse_halves(x[kAt]), Factor(powers + kFactorBytes * kAt));
      } else {
        state = swap_halves(products.sum());
      }
    }
  };

  // Whole steps from an aligned counter; returns how many blocks that were.
  template <bool kEncrypt, int kRounds>
  static CNGAES_INLINE void gcm_steps(const AesKey* key, const uint8_t* powers, Counter& counter,
                                      Block& state, uint8_t* out, const uint8_t* in, size_t n) {
    Block previous[kBlocks];
    Block x[kBlocks];
    Block s[kBlocks];
    Nothing nothing;
    const KeysInMemory keys = in_memory<false>(key);
    const uint8_t* low_bits = kLowBits;
    ctr_step<kRounds>(keys, counter, low_bits, out, in, x, s, nothing);
    for (;;) {
      CNGAES_UNROLL
      for (int i = 0; i < kBlocks; ++i) previous[i] = kEncrypt ? s[i] : x[i];
      n -= kStep;
      if (n < kStep) break;
      in += 16 * kStep;
      out += 16 * kStep;
      WovenGhash work{previous, powers, state, {}};
      const uint8_t* step_low_bits = kLowBits;
      ctr_step<kRounds>(keys, counter, step_low_bits, out, in, x, s, work);
    }
    state = ghash_of(state, previous, powers);
  }

  // Up to kStep blocks from any counter.
  template <bool kEncrypt>
  static CNGAES_INLINE void gcm_short(const AesKey* key, const GhashKey* gk, Counter& counter,
                                      Block& state, uint8_t* out, const uint8_t* in, size_t n) {
    with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
      constexpr int kCount = decltype(count)::value;
      Block x[kCount];
      Block s[kCount];
      ctr_blocks(key, counter, out, in, x, s);
      state = ghash_of(state, kEncrypt ? s : x, power(gk, n));
    });
  }

  template <bool kEncrypt>
  static CNGAES_INLINE void gcm(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                                const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    Block state = reverse_halves(load(y));
    Counter counter(counter_block);
    size_t first = blocks_to_aligned(counter_block);
    // Too short for a step behind the blocks that align the counter: at most two short pieces.
    const bool steps = n >= first + kStep;
    if (!steps) first = n < kStep ? n : kStep;
    for (;;) {  // twice at most: one copy of the code serves the start and the end
      if (first > 0) gcm_short<kEncrypt>(key, gk, counter, state, out, in, first);
      in += 16 * first;
      out += 16 * first;
      n -= first;
      if (steps && n >= kStep) {
        with_rounds(key, [&](auto r) CNGAES_INLINE_LAMBDA {
          gcm_steps<kEncrypt, decltype(r)::value>(key, power(gk, kStep), counter, state, out, in,
                                                  n);
        });
        const size_t done = n / kStep * kStep;
        in += 16 * done;
        out += 16 * done;
        n -= done;
      }
      if (n == 0) break;
      first = n;
    }
    store(y, reverse_halves(state));
  }

  static void gcm_encrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    gcm<true>(key, gk, y, out, in, n, counter_block);
  }
  static void gcm_decrypt(const AesKey* key, const GhashKey* gk, uint8_t y[16], uint8_t* out,
                          const uint8_t* in, size_t n, const uint8_t counter_block[16]) {
    gcm<false>(key, gk, y, out, in, n, counter_block);
  }
};
