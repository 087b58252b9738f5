// The one place for compiler differences on x86: intrinsics, inlining, unrolling, barriers.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define CNGAES_INLINE __forceinline
#define CNGAES_INLINE_LAMBDA
#define CNGAES_UNROLL
#else
#define CNGAES_INLINE inline __attribute__((always_inline))
// Behind a lambda's parameters. Without it GCC 12 inlines too late to keep captures in registers:
// 7 % of AES-128-GCM with vaes256 on Zen 4.
#define CNGAES_INLINE_LAMBDA __attribute__((always_inline))
#if defined(__clang__)
#define CNGAES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CNGAES_UNROLL _Pragma("GCC unroll 16")
#endif
#endif
