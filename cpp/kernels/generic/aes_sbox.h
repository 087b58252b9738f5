// The AES S-box and its inverse as Boolean circuits: no table, no branch.
//
// J. Boyar and R. Peralta, "A depth-16 circuit for the AES S-box", IACR ePrint 2011/332
// (figures 5 to 8): linear layer, shared non-linear core, linear layer, 128 gates forwards. The
// names of the signals are the paper's.
//
// A Word carries one bit of as many bytes as it has bits. q[0] is the least significant bit of
// each byte; the paper's U0 and S0 are the most significant one, so U0 = q[7].
//
// The paper's XNOR gates add the constant 0x63 of FIPS 197 equation 5.2. They are plain XOR gates
// here and the callers add the constant, because it can be folded into a round key:
//   sbox:         S(x) = q(x) ^ 0x63
//   inverse_sbox: S^-1(x) = q(x ^ 0x63)
#pragma once

#include <stdint.h>

namespace cngaes {
namespace aes_sbox {

constexpr uint8_t kConstant = 0x63;

// Signals that the linear layers hand to the core and the core to the bottom layers.
template <typename Word>
struct Top {
  Word t1, t2, t3, t4, t6, t8, t9, t10, t13, t14, t15, t16, t17, t19, t20, t22, t23, t24, t25, t26,
      t27, d;
};

template <typename Word>
struct Products {
  Word m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63;
};

// Figure 7: the inversion in GF(2**8), in both directions of the S-box.
template <typename Word>
inline Products<Word> core(const Top<Word>& t) {
  const Word m1 = t.t13 & t.t6;
  const Word m2 = t.t23 & t.t8;
  const Word m3 = t.t14 ^ m1;
  const Word m4 = t.t19 & t.d;
  const Word m5 = m4 ^ m1;
  const Word m6 = t.t3 & t.t16;
  const Word m7 = t.t22 & t.t9;
  const Word m8 = t.t26 ^ m6;
  const Word m9 = t.t20 & t.t17;
  const Word m10 = m9 ^ m6;
  const Word m11 = t.t1 & t.t15;
  const Word m12 = t.t4 & t.t27;
  const Word m13 = m12 ^ m11;
  const Word m14 = t.t2 & t.t10;
  const Word m15 = m14 ^ m11;
  const Word m16 = m3 ^ m2;
  const Word m17 = m5 ^ t.t24;
  const Word m18 = m8 ^ m7;
  const Word m19 = m10 ^ m15;
  const Word m20 = m16 ^ m13;
  const Word m21 = m17 ^ m15;
  const Word m22 = m18 ^ m13;
  const Word m23 = m19 ^ t.t25;
  const Word m24 = m22 ^ m23;
  const Word m25 = m22 & m20;
  const Word m26 = m21 ^ m25;
  const Word m27 = m20 ^ m21;
  const Word m28 = m23 ^ m25;
  const Word m29 = m28 & m27;
  const Word m30 = m26 & m24;
  const Word m31 = m20 & m23;
  const Word m32 = m27 & m31;
  const Word m33 = m27 ^ m25;
  const Word m34 = m21 & m22;
  const Word m35 = m24 & m34;
  const Word m36 = m24 ^ m25;
  const Word m37 = m21 ^ m29;
  const Word m38 = m32 ^ m33;
  const Word m39 = m23 ^ m30;
  const Word m40 = m35 ^ m36;
  const Word m41 = m38 ^ m40;
  const Word m42 = m37 ^ m39;
  const Word m43 = m37 ^ m38;
  const Word m44 = m39 ^ m40;
  const Word m45 = m42 ^ m41;
  Products<Word> p;
  p.m46 = m44 & t.t6;
  p.m47 = m40 & t.t8;
  p.m48 = m39 & t.d;
  p.m49 = m43 & t.t16;
  p.m50 = m38 & t.t9;
  p.m51 = m37 & t.t17;
  p.m52 = m42 & t.t15;
  p.m53 = m45 & t.t27;
  p.m54 = m41 & t.t10;
  p.m55 = m44 & t.t13;
  p.m56 = m40 & t.t23;
  p.m57 = m39 & t.t19;
  p.m58 = m43 & t.t3;
  p.m59 = m38 & t.t22;
  p.m60 = m37 & t.t20;
  p.m61 = m42 & t.t1;
  p.m62 = m45 & t.t4;
  p.m63 = m41 & t.t2;
  return p;
}

// Figures 5 and 8.
template <typename Word>
inline void sbox(Word q[8]) {
  const Word u0 = q[7], u1 = q[6], u2 = q[5], u3 = q[4], u4 = q[3], u5 = q[2], u6 = q[1], u7 = q[0];
  Top<Word> t;
  t.t1 = u0 ^ u3;
  t.t2 = u0 ^ u5;
  t.t3 = u0 ^ u6;
  t.t4 = u3 ^ u5;
  const Word t5 = u4 ^ u6;
  t.t6 = t.t1 ^ t5;
  const Word t7 = u1 ^ u2;
  t.t8 = u7 ^ t.t6;
  t.t9 = u7 ^ t7;
  t.t10 = t.t6 ^ t7;
  const Word t11 = u1 ^ u5;
  const Word t12 = u2 ^ u5;
  t.t13 = t.t3 ^ t.t4;
  t.t14 = t.t6 ^ t11;
  t.t15 = t5 ^ t11;
  t.t16 = t5 ^ t12;
  t.t17 = t.t9 ^ t.t16;
  const Word t18 = u3 ^ u7;
  t.t19 = t7 ^ t18;
  t.t20 = t.t1 ^ t.t19;
  const Word t21 = u6 ^ u7;
  t.t22 = t7 ^ t21;
  t.t23 = t.t2 ^ t.t22;
  t.t24 = t.t2 ^ t.t10;
  t.t25 = t.t20 ^ t.t17;
  t.t26 = t.t3 ^ t.t16;
  t.t27 = t.t1 ^ t12;
  t.d = u7;

  const Products<Word> p = core(t);

  const Word l0 = p.m61 ^ p.m62;
  const Word l1 = p.m50 ^ p.m56;
  const Word l2 = p.m46 ^ p.m48;
  const Word l3 = p.m47 ^ p.m55;
  const Word l4 = p.m54 ^ p.m58;
  const Word l5 = p.m49 ^ p.m61;
  const Word l6 = p.m62 ^ l5;
  const Word l7 = p.m46 ^ l3;
  const Word l8 = p.m51 ^ p.m59;
  const Word l9 = p.m52 ^ p.m53;
  const Word l10 = p.m53 ^ l4;
  const Word l11 = p.m60 ^ l2;
  const Word l12 = p.m48 ^ p.m51;
  const Word l13 = p.m50 ^ l0;
  const Word l14 = p.m52 ^ p.m61;
  const Word l15 = p.m55 ^ l1;
  const Word l16 = p.m56 ^ l0;
  const Word l17 = p.m57 ^ l1;
  const Word l18 = p.m58 ^ l8;
  const Word l19 = p.m63 ^ l4;
  const Word l20 = l0 ^ l1;
  const Word l21 = l1 ^ l7;
  const Word l22 = l3 ^ l12;
  const Word l23 = l18 ^ l2;
  const Word l24 = l15 ^ l9;
  const Word l25 = l6 ^ l10;
  const Word l26 = l7 ^ l9;
  const Word l27 = l8 ^ l10;
  const Word l28 = l11 ^ l14;
  const Word l29 = l11 ^ l17;
  q[7] = l6 ^ l24;
  q[6] = l16 ^ l26;  // XNOR in the paper, as the three others marked below
  q[5] = l19 ^ l28;  // XNOR
  q[4] = l6 ^ l21;
  q[3] = l20 ^ l22;
  q[2] = l25 ^ l29;
  q[1] = l13 ^ l27;  // XNOR
  q[0] = l6 ^ l23;   // XNOR
}

// Figures 6 and 9.
template <typename Word>
inline void inverse_sbox(Word q[8]) {
  const Word u0 = q[7], u1 = q[6], u2 = q[5], u3 = q[4], u4 = q[3], u5 = q[2], u6 = q[1], u7 = q[0];
  Top<Word> t;
  t.t23 = u0 ^ u3;
  t.t22 = u1 ^ u3;
  t.t2 = u0 ^ u1;
  t.t1 = u3 ^ u4;
  t.t24 = u4 ^ u7;
  const Word r5 = u6 ^ u7;
  t.t8 = u1 ^ t.t23;
  t.t19 = t.t22 ^ r5;
  t.t9 = u7 ^ t.t1;
  t.t10 = t.t2 ^ t.t24;
  t.t13 = t.t2 ^ r5;
  t.t3 = t.t1 ^ r5;
  t.t25 = u2 ^ t.t1;
  const Word r13 = u1 ^ u6;
  t.t17 = u2 ^ t.t19;
  t.t20 = t.t24 ^ r13;
  t.t4 = u4 ^ t.t8;
  const Word r17 = u2 ^ u5;
  const Word r18 = u5 ^ u6;
  const Word r19 = u2 ^ u4;
  t.d = u0 ^ r17;
  t.t6 = t.t22 ^ r17;
  t.t16 = r13 ^ r19;
  t.t27 = t.t1 ^ r18;
  t.t15 = t.t10 ^ t.t27;
  t.t14 = t.t10 ^ r18;
  t.t26 = t.t3 ^ t.t16;

  const Products<Word> p = core(t);

  const Word p0 = p.m52 ^ p.m61;
  const Word p1 = p.m58 ^ p.m59;
  const Word p2 = p.m54 ^ p.m62;
  const Word p3 = p.m47 ^ p.m50;
  const Word p4 = p.m48 ^ p.m56;
  const Word p5 = p.m46 ^ p.m51;
  const Word p6 = p.m49 ^ p.m60;
  const Word p7 = p0 ^ p1;
  const Word p8 = p.m50 ^ p.m53;
  const Word p9 = p.m55 ^ p.m63;
  const Word p10 = p.m57 ^ p4;
  const Word p11 = p0 ^ p3;
  const Word p12 = p.m46 ^ p.m48;
  const Word p13 = p.m49 ^ p.m51;
  const Word p14 = p.m49 ^ p.m62;
  const Word p15 = p.m54 ^ p.m59;
  const Word p16 = p.m57 ^ p.m61;
  const Word p17 = p.m58 ^ p2;
  const Word p18 = p.m63 ^ p5;
  const Word p19 = p2 ^ p3;
  const Word p20 = p4 ^ p6;
  const Word p22 = p2 ^ p7;
  const Word p23 = p7 ^ p8;
  const Word p24 = p5 ^ p7;
  const Word p25 = p6 ^ p10;
  const Word p26 = p9 ^ p11;
  const Word p27 = p10 ^ p18;
  const Word p28 = p11 ^ p25;
  const Word p29 = p15 ^ p20;
  q[7] = p13 ^ p22;
  q[6] = p26 ^ p29;
  q[5] = p17 ^ p28;
  q[4] = p12 ^ p22;
  q[3] = p23 ^ p27;
  q[2] = p19 ^ p24;
  q[1] = p14 ^ p23;
  q[0] = p9 ^ p16;
}

}  // namespace aes_sbox
}  // namespace cngaes
