// MSVC's rules for NEON types, imposed on GCC: -DCNGAES_MSVC_NEON=1 -include this. No MSVC was run.
//
// cl.exe has one union type for every 128-bit vector and one for every 64-bit one, so that overloads,
// templates and operators on vectors do not exist and lanes cannot be written in braces; poly64_t is an
// integer, yet vmull_p64 takes two 64-bit vectors; poly128_t does not exist; reinterpretations are
// macros. What the kernels use is mapped to the real intrinsics; anything else fails to compile.
#pragma once
#include <arm_neon.h>

namespace msvc_rules {
using U8 = ::uint8x16_t;
union Vector64 {
  unsigned long long u64[1];
};
// The member is hidden in a struct, so that the union is no vector to the compiler.
union Vector128 {
  unsigned long long u64[2];  // first, as there: a list of four lanes in braces is too long
  struct {
    U8 v;
  } hidden;
};
static inline Vector128 pack(U8 v) {
  Vector128 n;
  n.hidden.v = v;
  return n;
}
static inline Vector128 pack(::uint32x4_t v) { return pack((vreinterpretq_u8_u32)(v)); }
static inline Vector128 pack(::uint64x2_t v) { return pack((vreinterpretq_u8_u64)(v)); }
static inline Vector128 pack(::int64x2_t v) { return pack((vreinterpretq_u8_s64)(v)); }
static inline U8 u8(Vector128 n) { return n.hidden.v; }
static inline ::uint32x4_t u32(Vector128 n) { return (vreinterpretq_u32_u8)(n.hidden.v); }
static inline ::uint64x2_t u64(Vector128 n) { return (vreinterpretq_u64_u8)(n.hidden.v); }
static inline ::int64x2_t s64(Vector128 n) { return (vreinterpretq_s64_u8)(n.hidden.v); }
static inline Vector64 half(Vector128 n, int i) {
  Vector64 h;
  h.u64[0] = n.u64[i];
  return h;
}
static inline Vector128 multiply(Vector64 a, Vector64 b) {
  return pack((vreinterpretq_u8_p128)((vmull_p64)(static_cast<::poly64_t>(a.u64[0]),
                                                  static_cast<::poly64_t>(b.u64[0]))));
}
}  // namespace msvc_rules

#define uint8x16_t msvc_rules::Vector128
#define uint32x4_t msvc_rules::Vector128
#define uint64x2_t msvc_rules::Vector128
#define int64x2_t msvc_rules::Vector128
#define poly64x2_t msvc_rules::Vector128
#define poly64x1_t msvc_rules::Vector64
#define poly64_t unsigned long long
#define poly128_t msvc_has_no_poly128_t

#define vreinterpretq_u8_p128(a) (a)
#define vreinterpretq_p64_u8(a) (a)
#define vreinterpretq_u8_u32(a) (a)
#define vreinterpretq_u32_u8(a) (a)
#define vreinterpretq_u8_u64(a) (a)
#define vreinterpretq_u64_u8(a) (a)
#define vreinterpretq_u8_s64(a) (a)
#define vreinterpretq_s64_u8(a) (a)

#define CNGAES_U8(name, ...) msvc_rules::pack((name)(__VA_ARGS__))
#define vld1q_u8(p) CNGAES_U8(vld1q_u8, p)
#define vst1q_u8(p, a) ((vst1q_u8)(p, msvc_rules::u8(a)))
#define vdupq_n_u8(x) CNGAES_U8(vdupq_n_u8, x)
#define veorq_u8(a, b) CNGAES_U8(veorq_u8, msvc_rules::u8(a), msvc_rules::u8(b))
#define vandq_u8(a, b) CNGAES_U8(vandq_u8, msvc_rules::u8(a), msvc_rules::u8(b))
#define vextq_u8(a, b, n) CNGAES_U8(vextq_u8, msvc_rules::u8(a), msvc_rules::u8(b), n)
#define vrev32q_u8(a) CNGAES_U8(vrev32q_u8, msvc_rules::u8(a))
#define vrev64q_u8(a) CNGAES_U8(vrev64q_u8, msvc_rules::u8(a))
#define vaeseq_u8(a, b) CNGAES_U8(vaeseq_u8, msvc_rules::u8(a), msvc_rules::u8(b))
#define vaesdq_u8(a, b) CNGAES_U8(vaesdq_u8, msvc_rules::u8(a), msvc_rules::u8(b))
#define vaesmcq_u8(a) CNGAES_U8(vaesmcq_u8, msvc_rules::u8(a))
#define vaesimcq_u8(a) CNGAES_U8(vaesimcq_u8, msvc_rules::u8(a))

#define vld1q_u32(p) CNGAES_U8(vld1q_u32, p)
#define vst1q_u32(p, a) ((vst1q_u32)(p, msvc_rules::u32(a)))
#define vdupq_n_u32(x) CNGAES_U8(vdupq_n_u32, x)
#define vsetq_lane_u32(x, a, n) CNGAES_U8(vsetq_lane_u32, x, msvc_rules::u32(a), n)
#define vgetq_lane_u32(a, n) ((vgetq_lane_u32)(msvc_rules::u32(a), n))
#define vaddq_u32(a, b) CNGAES_U8(vaddq_u32, msvc_rules::u32(a), msvc_rules::u32(b))
#define CNGAES_SHA(name, a, b, c) \
  CNGAES_U8(name, msvc_rules::u32(a), msvc_rules::u32(b), msvc_rules::u32(c))
#define vsha256hq_u32(a, b, c) CNGAES_SHA(vsha256hq_u32, a, b, c)
#define vsha256h2q_u32(a, b, c) CNGAES_SHA(vsha256h2q_u32, a, b, c)
#define vsha256su0q_u32(a, b) CNGAES_U8(vsha256su0q_u32, msvc_rules::u32(a), msvc_rules::u32(b))
#define vsha256su1q_u32(a, b, c) CNGAES_SHA(vsha256su1q_u32, a, b, c)

#define vdupq_n_u64(x) CNGAES_U8(vdupq_n_u64, x)
#define vsetq_lane_u64(x, a, n) CNGAES_U8(vsetq_lane_u64, x, msvc_rules::u64(a), n)
#define vaddq_u64(a, b) CNGAES_U8(vaddq_u64, msvc_rules::u64(a), msvc_rules::u64(b))
#define vshrq_n_u64(a, n) CNGAES_U8(vshrq_n_u64, msvc_rules::u64(a), n)
#define vshrq_n_s64(a, n) CNGAES_U8(vshrq_n_s64, msvc_rules::s64(a), n)
#define vzip1q_u64(a, b) CNGAES_U8(vzip1q_u64, msvc_rules::u64(a), msvc_rules::u64(b))
#define vzip2q_u64(a, b) CNGAES_U8(vzip2q_u64, msvc_rules::u64(a), msvc_rules::u64(b))
#define vget_low_p64(a) msvc_rules::half(a, 0)
#define vmull_p64(a, b) msvc_rules::multiply(a, b)
#define vmull_high_p64(a, b) msvc_rules::multiply(msvc_rules::half(a, 1), msvc_rules::half(b, 1))
