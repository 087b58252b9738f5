// CBC encryption of several messages in step, written once over the vectors of vectors_x86.h and
// the rounds of aes_x86.h: one chain waits for its own latency, others fill the gaps. A lane of a
// vector belongs to one message.
//
// No include guard on purpose, see vectors_x86.h.

template <class V>
struct CbcStreams : private Modes<V> {
  using T = typename V::T;
  using Base = Modes<V>;
  static constexpr int kB = Base::kB;
  // Sixteen messages fill the units at any width above 128 bits; more only fill registers.
  static constexpr int kMaxLanes = kB == 1 ? Base::kVectors : 16;
  static constexpr int kMaxVectors = kMaxLanes / kB;

  // The messages under way. Unused lanes of the last vector are copies of lane 0: they load what it
  // loads, before anything is stored, and store what it stores.
  struct Lanes {
    const uint8_t* in[kMaxLanes];
    uint8_t* out[kMaxLanes];
    alignas(64) uint8_t iv[kMaxLanes][16];
  };

  // n blocks of N vectors of lanes.
  template <int N>
  static CNGAES_INLINE void advance(const AesKey* key, Lanes& lanes, size_t n) {
    T s[N];
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) s[i] = V::load(lanes.iv[i * kB]);
    const T k0 = V::broadcast(key->enc);
    size_t at = 0;
    if constexpr (kB > 1) {
      // As many blocks at a time as a vector holds, so that each line of memory is touched once a
      // turn: messages whose addresses differ by whole pages share the few places of one set of the
      // first-level cache, and drive each other out between touches (16 messages of 8 KiB, Sapphire
      // Rapids, vaes512: .68 c/B block by block).
      for (; at + 16 * kB <= 16 * n; at += 16 * kB) {
        T x[N][kB];
        CNGAES_UNROLL
        for (int i = 0; i < N; ++i) {
          CNGAES_UNROLL
          for (int j = 0; j < kB; ++j) x[i][j] = V::load(lanes.in[i * kB + j] + at);
          V::transpose(x[i]);
        }
        CNGAES_UNROLL
        for (int j = 0; j < kB; ++j) {
          CNGAES_UNROLL
          for (int i = 0; i < N; ++i) s[i] = V::xor3(s[i], k0, x[i][j]);
          const T kl = Base::template middle_rounds<false>(s, key);
          CNGAES_UNROLL
          for (int i = 0; i < N; ++i) x[i][j] = s[i] = V::enc_last(s[i], kl);
        }
        CNGAES_UNROLL
        for (int i = 0; i < N; ++i) {
          V::transpose(x[i]);
          CNGAES_UNROLL
          for (int j = 0; j < kB; ++j) V::store(lanes.out[i * kB + j] + at, x[i][j]);
        }
      }
    }
    for (; at < 16 * n; at += 16) {
      CNGAES_UNROLL
      for (int i = 0; i < N; ++i) {
        s[i] = V::xor3(s[i], k0, V::load_lanes(lanes.in + i * kB, at));
      }
      const T kl = Base::template middle_rounds<false>(s, key);
      CNGAES_UNROLL
      for (int i = 0; i < N; ++i) {
        s[i] = V::enc_last(s[i], kl);
        V::store_lanes(lanes.out + i * kB, at, s[i]);
      }
    }
    CNGAES_UNROLL
    for (int i = 0; i < N; ++i) V::store(lanes.iv[i * kB], s[i]);
  }

  static void encrypt(const AesKey* key, CbcStream* streams, size_t num_streams) {
    CbcStream* const end = streams + num_streams;
    CbcStream* active[kMaxLanes];
    size_t left[kMaxLanes];
    Lanes lanes;
    int num = 0;
    for (;;) {
      for (; num < kMaxLanes && streams != end; ++streams) {
        if (streams->num_blocks == 0) continue;
        active[num] = streams;
        left[num] = streams->num_blocks;
        lanes.in[num] = streams->in;
        lanes.out[num] = streams->out;
        memcpy(lanes.iv[num], streams->iv, 16);
        ++num;
      }
      if (num < 2) break;
      size_t n = left[0];
      for (int i = 1; i < num; ++i) n = left[i] < n ? left[i] : n;
      const int vectors = Base::vectors_for(static_cast<size_t>(num));
      for (int i = num; i < vectors * kB; ++i) {
        lanes.in[i] = lanes.in[0];
        lanes.out[i] = lanes.out[0];
        memcpy(lanes.iv[i], lanes.iv[0], 16);
      }
      Base::with_count(vectors, [&](auto count) CNGAES_INLINE_LAMBDA {
        if constexpr (decltype(count)::value <= kMaxVectors) {
          advance<decltype(count)::value>(key, lanes, n);
        }
      });
      // Those that have ended leave; the others close up.
      int kept = 0;
      for (int i = 0; i < num; ++i) {
        left[i] -= n;
        if (left[i] == 0) {
          memcpy(active[i]->iv, lanes.iv[i], 16);
          continue;
        }
        active[kept] = active[i];
        left[kept] = left[i];
        lanes.in[kept] = lanes.in[i] + 16 * n;
        lanes.out[kept] = lanes.out[i] + 16 * n;
        memmove(lanes.iv[kept], lanes.iv[i], 16);
        ++kept;
      }
      num = kept;
    }
    if (num == 1) {
      memcpy(active[0]->iv, lanes.iv[0], 16);
      Base::cbc_encrypt(key, active[0]->iv, lanes.out[0], lanes.in[0], left[0]);
    }
  }
};
