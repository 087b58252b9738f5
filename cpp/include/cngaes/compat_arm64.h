// The one place for compiler differences on ARM64: intrinsics, inlining, unrolling, barriers.
//
// GCC, clang and clang-cl take the GNU branch; only cl.exe itself takes the other. Its NEON types
// are one union for all 128-bit vectors, so kernels write no operators on vectors, no brace lists
// of lanes and no overloads on vector types (tools/arm64/msvc_rules.h imposes that on GCC).
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define CNGAES_INLINE __forceinline
#define CNGAES_INLINE_LAMBDA
#define CNGAES_UNROLL
#define CNGAES_HIDE(pointer)
#define CNGAES_COPY(vector) static_cast<void>(0)
#define CNGAES_MSVC_NEON 1
#else
#define CNGAES_INLINE inline __attribute__((always_inline))
#define CNGAES_INLINE_LAMBDA __attribute__((always_inline))
// Makes the compiler forget what a pointer points to, so that loads through it stay loads: they
// run beside the vector units, the copies between registers that replace them do not.
#define CNGAES_HIDE(pointer) __asm__ volatile("" : "+r"(pointer))
// Makes a vector a copy of its own, in another register than what it was copied from.
#define CNGAES_COPY(vector) __asm__("" : "+w"(vector))
#ifndef CNGAES_MSVC_NEON
#define CNGAES_MSVC_NEON 0  // 1 in the check of MSVC's type rules
#endif
#if defined(__clang__)
#define CNGAES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CNGAES_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

// EOR3 in the arm64-eor3 file. Not seen in MSVC's header: there the file provides no kernel.
#if defined(__ARM_FEATURE_SHA3)
#define CNGAES_HAS_EOR3 1
#else
#define CNGAES_HAS_EOR3 0
#endif
