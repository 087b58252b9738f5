// ECB, CTR and CBC for ARM64, over the blocks of vectors_arm64.h. A kernel file includes this
// inside its anonymous namespace and takes the functions of Modes for its table.
//
// No include guard on purpose, see vectors_arm64.h.

// In the last byte: what turns the counter of an aligned step into those of its eight blocks.
alignas(16) const uint8_t kLowBits[8 * 16] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};

struct Modes {
  // 8 independent blocks fill four units of latency 3 (Oryon's in LLVM's model: 12 fused pairs in
  // flight would be the most, but 12 states leave too few of the 32 registers for GCM).
  static constexpr int kBlocks = 8;
  static constexpr size_t kStep = kBlocks;

  template <int N>
  struct Count {
    static constexpr int value = N;
  };
  // Calls f(Count<n>) for 1 <= n <= kBlocks: every short length has straight-line code of its own.
  template <class F>
  static CNGAES_INLINE void with_count(size_t n, F f) {
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
  // Calls f(Count<Nr>): the loops over whole steps exist once for each key size, so that the
  // compiler keeps in registers what round keys it can.
  template <class F>
  static CNGAES_INLINE void with_rounds(const AesKey* key, F f) {
    if (key->rounds == 10) {
      f(Count<10>{});
    } else if (key->rounds == 12) {
      f(Count<12>{});
    } else {
      f(Count<14>{});
    }
  }
  struct Nothing {
    template <class Round>
    CNGAES_INLINE void operator()(Round) const {}
  };

  // ---- rounds -------------------------------------------------------------------------------

  // Round keys where the key object has them: a load each, beside the vector units.
  struct KeysInMemory {
    const uint8_t* at;
    unsigned rounds;
    CNGAES_INLINE Block operator()(unsigned r) const { return load(at + 16 * r); }
  };
  template <bool kDecrypt>
  static CNGAES_INLINE KeysInMemory in_memory(const AesKey* key) {
    return {kDecrypt ? key->dec : key->enc, key->rounds};
  }
  // In registers, for loops that leave 14 of the 32 free; the compiler may not take the loads out
  // of a loop itself, since out could point at the key. The last key stays in memory: with that
  // one, too, GCC 12 copies registers (CTR-256 with EOR3 0.272 cycles a byte, not 0.251, in Oryon's
  // model).
  template <bool kDecrypt, int kRounds>
  struct KeysInRegisters {
    static constexpr unsigned rounds = kRounds;
    const uint8_t* at;
    Block k[kRounds];
    explicit CNGAES_INLINE KeysInRegisters(const AesKey* key) : at(kDecrypt ? key->dec : key->enc) {
      load_all(k, at);
    }
    CNGAES_INLINE Block operator()(unsigned r) const {
      return r < kRounds ? k[r] : load(at + 16 * r);
    }
  };

  template <bool kDecrypt, int N>
  static CNGAES_INLINE void one_round(Block (&s)[N], Block k) {
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = kDecrypt ? dec(s[i], k) : enc(s[i], k);
  }
  // Rounds kRound..8, with work(Count<round>) behind each.
  template <bool kDecrypt, int kRound, int N, class Keys, class Work>
  static CNGAES_INLINE void rounds_from(Block (&s)[N], const Keys& keys, Work& work) {
    one_round<kDecrypt>(s, keys(kRound));
    work(Count<kRound>{});
    if constexpr (kRound < 8) rounds_from<kDecrypt, kRound + 1>(s, keys, work);
  }

  // From round kFirst on, all but the addition of the last round key, which is returned: callers
  // fold it into the xor that follows the cipher. Other work is woven into the first nine rounds,
  // which exist at every key size. kRounds 0: as the key says.
  template <bool kDecrypt, int kRounds, int kFirst, int N, class Keys, class Work>
  static CNGAES_INLINE Block rounds(Block (&s)[N], const Keys& keys, Work& work) {
    rounds_from<kDecrypt, kFirst>(s, keys, work);
    unsigned r = 9;
    if (kRounds > 10 || (kRounds == 0 && keys.rounds > 10)) {
      one_round<kDecrypt>(s, keys(r));
      one_round<kDecrypt>(s, keys(r + 1));
      r += 2;
    }
    if (kRounds > 12 || (kRounds == 0 && keys.rounds > 12)) {
      one_round<kDecrypt>(s, keys(r));
      one_round<kDecrypt>(s, keys(r + 1));
      r += 2;
    }
    const Block k = keys(r);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = kDecrypt ? dec_last(s[i], k) : enc_last(s[i], k);
    return keys(r + 1);
  }

  template <int N>
  static CNGAES_INLINE void load_all(Block (&x)[N], const uint8_t* in) {
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) x[i] = load(in + 16 * i);
  }
  template <int N>
  static CNGAES_INLINE void store_all(uint8_t* out, const Block (&x)[N]) {
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) store(out + 16 * i, x[i]);
  }

  // ---- ECB ----------------------------------------------------------------------------------

  template <bool kDecrypt, int kRounds, int N>
  static CNGAES_INLINE void ecb_blocks(const AesKey* key, uint8_t* out, const uint8_t* in) {
    Block s[N];
    Nothing work;
    load_all(s, in);
    const Block last = rounds<kDecrypt, kRounds, 0>(s, in_memory<kDecrypt>(key), work);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = bxor(s[i], last);
    store_all(out, s);
  }
  template <bool kDecrypt>
  static CNGAES_INLINE void ecb(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n) {
    if (n >= kStep) {
      with_rounds(key, [&](auto r) CNGAES_INLINE_LAMBDA {
        for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
          ecb_blocks<kDecrypt, decltype(r)::value, kBlocks>(key, out, in);
        }
      });
    }
    if (n > 0) {
      with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
        ecb_blocks<kDecrypt, 0, decltype(count)::value>(key, out, in);
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

  CNGAES_INLINE static uint32x4_t last_word(uint32_t n) {
    return vsetq_lane_u32(n, vdupq_n_u32(0), 3);
  }
  // The counter block with the bytes of each word reversed, so that inc32 is an addition.
  struct Counter {
    uint32x4_t next;
    explicit CNGAES_INLINE Counter(const uint8_t counter[16])
        : next(vreinterpretq_u32_u8(reverse_words(load(counter)))) {}
    CNGAES_INLINE Block take(uint32_t n) {
      const Block block = reverse_words(vreinterpretq_u8_u32(next));
      next = vaddq_u32(next, last_word(n));
      return block;
    }
  };
  // Blocks until the counter is a multiple of kStep.
  static CNGAES_INLINE size_t blocks_to_aligned(const uint8_t counter[16]) {
    return (kStep - counter[15] % kStep) % kStep;
  }

  // A short message or the end of one: N blocks from any counter; in and the result stay in x, y.
  template <int N>
  static CNGAES_INLINE void ctr_blocks(const AesKey* key, Counter& counter, uint8_t* out,
                                       const uint8_t* in, Block (&x)[N], Block (&y)[N]) {
    Nothing work;
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) y[i] = counter.take(1);
    const Block last = rounds<false, 0, 0>(y, in_memory<false>(key), work);
    load_all(x, in);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) y[i] = xor3(y[i], x[i], last);
    store_all(out, y);
  }

  // One step whose first counter is a multiple of kStep. Its counters differ in three bits only, so
  // what AESE adds to the first round key comes from a table by a load, and the vector units, which
  // are the limit, do 3 operations a step for the counters instead of 2 a block. low_bits is
  // kLowBits in a variable of the caller's: one that outlives the step keeps its register.
  template <int kRounds, class Keys, class Work>
  static CNGAES_INLINE void ctr_step(const Keys& keys, Counter& counter, const uint8_t*& low_bits,
                                     uint8_t* out, const uint8_t* in, Block (&x)[kBlocks],
                                     Block (&y)[kBlocks], Work& work) {
    const Block k = bxor(counter.take(kStep), keys(0));
    CNGAES_HIDE(low_bits);
    CNGAES_UNROLL
    for (int i = 0; i < kBlocks; ++i) y[i] = enc(load(low_bits + 16 * i), k);
    work(Count<0>{});
    const Block last = rounds<false, kRounds, 1>(y, keys, work);
    load_all(x, in);
    CNGAES_UNROLL
    for (int i = 0; i < kBlocks; ++i) y[i] = xor3(y[i], x[i], last);
    store_all(out, y);
  }

  static CNGAES_INLINE void ctr_short(const AesKey* key, Counter& counter, uint8_t* out,
                                      const uint8_t* in, size_t n) {
    with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
      Block x[decltype(count)::value];
      Block y[decltype(count)::value];
      ctr_blocks(key, counter, out, in, x, y);
    });
  }
  static void ctr32(const AesKey* key, uint8_t* out, const uint8_t* in, size_t n,
                    const uint8_t counter_block[16]) {
    Counter counter(counter_block);
    size_t first = blocks_to_aligned(counter_block);
    if (n >= first + kStep) {
      for (;;) {  // twice at most: one copy of the code serves the start and the end
        if (first > 0) ctr_short(key, counter, out, in, first);
        in += 16 * first;
        out += 16 * first;
        n -= first;
        if (n < kStep) break;
        with_rounds(key, [&](auto r) CNGAES_INLINE_LAMBDA {
          Nothing work;
          const KeysInRegisters<false, decltype(r)::value> keys(key);
          const uint8_t* low_bits = kLowBits;
          for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
            Block x[kBlocks];
            Block y[kBlocks];
            ctr_step<decltype(r)::value>(keys, counter, low_bits, out, in, x, y, work);
          }
        });
        first = n;
      }
      return;
    }
    while (n > 0) {  // less than two steps
      const size_t m = n < kStep ? n : kStep;
      ctr_short(key, counter, out, in, m);
      in += 16 * m;
      out += 16 * m;
      n -= m;
    }
  }

  // ---- CBC ----------------------------------------------------------------------------------

  // Each ciphertext block is loaded once: it is both the cipher's input and the next one's chaining
  // value. AESD overwrites its first operand, so that is a copy of the first round key, by a load.
  template <int kRounds, int N>
  static CNGAES_INLINE Block cbc_decrypt_blocks(const AesKey* key, Block iv, uint8_t* out,
                                                const uint8_t* in) {
    Block x[N];
    Block s[N];
    Nothing work;
    load_all(x, in);
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) {
      const uint8_t* first_key = key->dec;
      CNGAES_HIDE(first_key);
      s[i] = dec(load(first_key), x[i]);
    }
    const Block last = rounds<true, kRounds, 1>(s, in_memory<true>(key), work);
    s[0] = xor3(s[0], iv, last);
    CNGAES_UNROLL
    for (int i = 1; i < N; ++i) s[i] = xor3(s[i], x[i - 1], last);
    store_all(out, s);
    return x[N - 1];
  }

  static void cbc_decrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                          size_t n) {
    Block previous = load(iv);
    if (n >= kStep) {
      with_rounds(key, [&](auto r) CNGAES_INLINE_LAMBDA {
        for (; n >= kStep; n -= kStep, in += 16 * kStep, out += 16 * kStep) {
          previous = cbc_decrypt_blocks<decltype(r)::value, kBlocks>(key, previous, out, in);
        }
      });
    }
    if (n > 0) {
      with_count(n, [&](auto count) CNGAES_INLINE_LAMBDA {
        previous = cbc_decrypt_blocks<0, decltype(count)::value>(key, previous, out, in);
      });
    }
    store(iv, previous);
  }

  // One chain has no parallelism, so everything but the round instructions is taken off it: what
  // the first AESE adds is not the first round key but (last key ^ next plaintext ^ first key), on
  // top of a state that lacks the last key; the ciphertext is recovered beside the chain.
  template <int kRounds>
  static CNGAES_INLINE void cbc_chain(const AesKey* key, uint8_t iv[16], uint8_t* out,
                                      const uint8_t* in, size_t n) {
    const Block k0 = load(key->enc);
    const Block last = load(key->enc + 16 * kRounds);
    const Block fold = bxor(k0, last);
    Block state = load(iv);
    Block added = bxor(load(in), k0);
    for (;;) {
      state = enc(state, added);
      CNGAES_UNROLL
      for (int r = 1; r < kRounds - 1; ++r) state = enc(state, load(key->enc + 16 * r));
      state = enc_last(state, load(key->enc + 16 * (kRounds - 1)));
      const Block result = bxor(state, last);
      if (--n == 0) {
        store(out, result);
        store(iv, result);
        return;
      }
      in += 16;  // before the store: out may be in
      added = bxor(load(in), fold);
      store(out, result);
      out += 16;
    }
  }

  static void cbc_encrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                          size_t n) {
    if (n == 0) return;
    with_rounds(key, [&](auto r) CNGAES_INLINE_LAMBDA {
      cbc_chain<decltype(r)::value>(key, iv, out, in, n);
    });
  }
};
