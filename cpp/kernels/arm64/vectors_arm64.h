// AES blocks in vector registers, under neutral names: the modes in aes_arm64.h and gcm_arm64.h use
// nothing else. Each kernel file includes this inside its own anonymous namespace; xor3 is EOR3
// where the file's flags allow it.
//
// No include guard on purpose: one inclusion per kernel file, no linkage shared between files that
// are compiled with different instruction sets.

using Block = uint8x16_t;

CNGAES_INLINE Block load(const uint8_t* p) { return vld1q_u8(p); }
CNGAES_INLINE void store(uint8_t* p, Block v) { vst1q_u8(p, v); }
CNGAES_INLINE Block zero() { return vdupq_n_u8(0); }
CNGAES_INLINE Block bxor(Block a, Block b) { return veorq_u8(a, b); }
// a ^ b ^ c; where that takes two instructions, b ^ c is formed first: pass what comes last as a.
CNGAES_INLINE Block xor3(Block a, Block b, Block c) {
#if CNGAES_HAS_EOR3
  return veor3q_u8(a, b, c);
#else
  return veorq_u8(a, veorq_u8(b, c));
#endif
}

// AESE and AESD add the round key first, where FIPS 197 does it last: round r of these takes round
// key r, from 0 on, and after the last one the key Nr is still to be added. Each pair must stay
// adjacent, since cores fuse it; GCC and clang see to that.
CNGAES_INLINE Block enc(Block s, Block k) { return vaesmcq_u8(vaeseq_u8(s, k)); }
CNGAES_INLINE Block dec(Block s, Block k) { return vaesimcq_u8(vaesdq_u8(s, k)); }
CNGAES_INLINE Block enc_last(Block s, Block k) { return vaeseq_u8(s, k); }
CNGAES_INLINE Block dec_last(Block s, Block k) { return vaesdq_u8(s, k); }

CNGAES_INLINE Block reverse_words(Block v) { return vrev32q_u8(v); }
CNGAES_INLINE Block reverse_halves(Block v) { return vrev64q_u8(v); }
CNGAES_INLINE Block swap_halves(Block v) { return vextq_u8(v, v, 8); }
CNGAES_INLINE Block reverse_bytes(Block v) { return swap_halves(reverse_halves(v)); }

CNGAES_INLINE Block from_u64(uint64_t low, uint64_t high) {
  return vreinterpretq_u8_u64(vsetq_lane_u64(high, vdupq_n_u64(low), 1));
}
// (low of a, low of b) and (high of a, high of b).
CNGAES_INLINE Block low_halves(Block a, Block b) {
  return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}
CNGAES_INLINE Block high_halves(Block a, Block b) {
  return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

// Carry-less products of the low and of the high quadwords.
CNGAES_INLINE Block clmul_low(Block a, Block b) {
#if CNGAES_MSVC_NEON
  return vreinterpretq_u8_p128(
      vmull_p64(vget_low_p64(vreinterpretq_p64_u8(a)), vget_low_p64(vreinterpretq_p64_u8(b))));
#else
  return vreinterpretq_u8_p128(vmull_p64(vgetq_lane_p64(vreinterpretq_p64_u8(a), 0),
                                         vgetq_lane_p64(vreinterpretq_p64_u8(b), 0)));
#endif
}
CNGAES_INLINE Block clmul_high(Block a, Block b) {
  return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)));
}
