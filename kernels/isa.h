// SPDX-License-Identifier: Apache-2.0
// The one place that asks the compiler what the core can do. Other files include a tile by its plain name,
//     #include RL_TILE(matmul_tile.h)
// and get scalar/matmul_tile.h, dsp/matmul_tile.h or mve/matmul_tile.h, which define the same functions.
//
// Constants, for ordinary `if`s:
// - RL_HAS_DSP, RL_HAS_MVE: the core has the DSP extension, Helium. RL_ISA_HERE: the same as an enum rl_isa.
// - RL_HAS_UNALIGNED_WORDS: words may be loaded from and stored to any address.
// - RL_HAS_FPU: 0 where each float operation is a library call.
// - RL_HAS_LONG_MULTIPLY: 0 on ARMv6-M and ARMv8-M Baseline, where a 64-bit product is a library call.
// - RL_HAS_VECTORS: 1 on hosts whose compilers make vectors of loops over int16 products, and are asked for fast code.
// - RL_HAS_THUMB_LOOP: 1 where RL_LOOP has assembler.
// - RL_HAS_THUMB2_LOOP: 1 where RL_LOOP has the assembler for a Cortex-M3, and not for a Cortex-M0 or C.
// - RL_DUAL_ISSUE: 1 for a Cortex-M7, whose pipes take two instructions at a time. Compilers tell it from a Cortex-M4
//   only by an FPU for doubles; build with -DRL_DUAL_ISSUE=1 for one without. Results are the same with either value.
// - RL_LATE_RESULTS: 1 for a Cortex-M7 and M33 if independent work should lie between a product and its use.
// - RL_PAIRED_BRANCHES: 1 for a Cortex-M33, where a short jump goes along with a short instruction before it.
// - RL_SMALL: 1 when the compiler is asked for small code (-Os). Second, faster copies of loops are then left out.
//   RL_SMALL_TEXT is the same for .if in assembler.
//
// - RL_PLAIN_C: 1 when a build asks for it, with -DRL_PLAIN_C=1: no assembler, no intrinsics, no extensions of C,
//   whatever the core and the compiler. Results stay the same. Compilers without variable-length arrays, which C11 does
//   not demand, cannot build the kernels.
//
// What kernels want of a compiler beyond C11, and nothing in plain C:
// - RL_KEEP("+r"(value), ...): the values are in registers here, as if a statement had just changed them, so loads and
//   sums stay in the order in which they are written. RL_HIDE("+r"(value), ...): compilers do not know the values, but
//   may move the statement. RL_KEEP_LOOP(): all of memory may have changed, so that a loop does not become a call of
//   memcpy or memset.
// - RL_ALIGNED(pointer, bytes): the pointer, which is known to be aligned.
// - RL_LEADING_ZEROS(value): the zero bits above the highest one of a uint32_t that is not 0.
//
// Files:
// - RL_LOOP(name): an inner loop of scalar/, in assembler (name_thumb.h) for Cortex-M, else in C (name_plain.h).
// - RL_SCHEDULE(name): the instructions of a loop of dsp/ in the order that suits the core, dsp/name_dual.h for a
//   Cortex-M7, else dsp/name_single.h.
// - RL_HOST_LOOP(name): loops with AVX2 (host/name_avx2.h), for which a kernel asks the processor when it runs, where
//   processors may have that and fast code is wanted; else none (host/name_none.h). A build with RL_NO_HOST_LOOPS has
//   none either, so that tests on any host run the loops of hosts without AVX2.
// - RL_WORDS(words): rl_load_word and rl_store_word, with the instructions of the core where compilers do not use them.
// - RL_FLOAT_TILE(file): mve/file where Helium has floats, else scalar/file.
//
// RL_SIZE_CHECK(label, bytes) in assembler checks that so many bytes lie between the label and this place, for loops
// that are entered at a computed address. RL_HIGH_TO_LOW and RL_LOW_TO_HIGH copy r8 to r11 to r4 to r7 and back, for a
// Cortex-M0, which pushes and pops low registers only.
#ifndef RL_KERNELS_ISA_H
#define RL_KERNELS_ISA_H

// Not formatted: spaces around the slash would become part of the path.
// clang-format off
#define RL_TILE_STRING(path) #path
#define RL_TILE_PATH(isa, file) RL_TILE_STRING(isa/file)
// clang-format on

#if !defined(RL_PLAIN_C)
#define RL_PLAIN_C 0
#endif

// A loop in assembler is one string, longer than the 4095 characters that C99 promises. Of -Wpedantic clang minds that.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Woverlength-strings"
#endif

#if !RL_PLAIN_C && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#define RL_TILE(file)        RL_TILE_PATH(mve, file)
#define RL_ISA_HERE          RL_ISA_MVE
#define RL_HAS_DSP           1
#define RL_HAS_MVE           1
#define RL_HAS_LONG_MULTIPLY 1
#elif !RL_PLAIN_C && defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
#define RL_TILE(file)        RL_TILE_PATH(dsp, file)
#define RL_ISA_HERE          RL_ISA_DSP
#define RL_HAS_DSP           1
#define RL_HAS_MVE           0
#define RL_HAS_LONG_MULTIPLY 1
#elif defined(__ARM_ARCH_PROFILE) && !defined(__ARM_ARCH_ISA_ARM) && __ARM_ARCH_ISA_THUMB == 1
#define RL_TILE(file)        RL_TILE_PATH(scalar, file)
#define RL_ISA_HERE          RL_ISA_SCALAR
#define RL_HAS_DSP           0
#define RL_HAS_MVE           0
#define RL_HAS_LONG_MULTIPLY 0
#else
#define RL_TILE(file)        RL_TILE_PATH(scalar, file)
#define RL_ISA_HERE          RL_ISA_SCALAR
#define RL_HAS_DSP           0
#define RL_HAS_MVE           0
#define RL_HAS_LONG_MULTIPLY 1
#endif

#if !RL_PLAIN_C && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define RL_LOOP(name)      RL_TILE_PATH(scalar, name##_thumb.h)
#define RL_HAS_THUMB_LOOP  1
#define RL_HAS_THUMB2_LOOP RL_HAS_LONG_MULTIPLY
#else
#define RL_LOOP(name)      RL_TILE_PATH(scalar, name##_plain.h)
#define RL_HAS_THUMB_LOOP  0
#define RL_HAS_THUMB2_LOOP 0
#endif

#if !defined(RL_DUAL_ISSUE)
#if defined(__ARM_ARCH_7EM__) && defined(__ARM_FP) && (__ARM_FP & 8)
#define RL_DUAL_ISSUE 1
#else
#define RL_DUAL_ISSUE 0
#endif
#endif

#if defined(__ARM_ARCH_8M_MAIN__)
#define RL_PAIRED_BRANCHES 1
#else
#define RL_PAIRED_BRANCHES 0
#endif

#define RL_LATE_RESULTS (RL_DUAL_ISSUE || RL_PAIRED_BRANCHES)

#if RL_DUAL_ISSUE
#define RL_SCHEDULE(name) RL_TILE_PATH(dsp, name##_dual.h)
#else
#define RL_SCHEDULE(name) RL_TILE_PATH(dsp, name##_single.h)
#endif

#if !RL_PLAIN_C && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define RL_FLOAT_TILE(file) RL_TILE_PATH(mve, file)
#else
#define RL_FLOAT_TILE(file) RL_TILE_PATH(scalar, file)
#endif

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FP)
#define RL_HAS_FPU 0
#else
#define RL_HAS_FPU 1
#endif

#if defined(__OPTIMIZE_SIZE__)
#define RL_SMALL      1
#define RL_SMALL_TEXT "1"
#else
#define RL_SMALL      0
#define RL_SMALL_TEXT "0"
#endif

// .org cannot move backwards: the first line fails for too few bytes, the second for too many. clang does not accept
// .if here.
#define RL_SIZE_CHECK(label, bytes) ".org . + (. - " label ") - (" bytes ")\n.org " label " + " bytes "\n"

#define RL_HIGH_TO_LOW "mov r4, r8\nmov r5, r9\nmov r6, r10\nmov r7, r11\n"
#define RL_LOW_TO_HIGH "mov r8, r4\nmov r9, r5\nmov r10, r6\nmov r11, r7\n"

#if !RL_PLAIN_C && (defined(__SSE2__) || defined(__aarch64__)) && !defined(__OPTIMIZE_SIZE__)
#define RL_HAS_VECTORS 1
#else
#define RL_HAS_VECTORS 0
#endif

#if RL_HAS_VECTORS && (defined(__x86_64__) || defined(__i386__)) && !defined(RL_NO_HOST_LOOPS)
#define RL_HOST_LOOP(name) RL_TILE_PATH(host, name##_avx2.h)
#else
#define RL_HOST_LOOP(name) RL_TILE_PATH(host, name##_none.h)
#endif

#if defined(__ARM_FEATURE_UNALIGNED)
#define RL_HAS_UNALIGNED_WORDS 1
#define RL_WORDS(name)         RL_TILE_PATH(scalar, name##_plain.h)
#elif RL_HAS_THUMB2_LOOP
#define RL_HAS_UNALIGNED_WORDS 1
#define RL_WORDS(name)         RL_TILE_PATH(scalar, name##_direct.h)
#else
#define RL_HAS_UNALIGNED_WORDS 0
#define RL_WORDS(name)         RL_TILE_PATH(scalar, name##_plain.h)
#endif

#if RL_PLAIN_C
#define __attribute__(list)
#define __extension__
#define RL_KEEP(...)               ((void)0)
#define RL_HIDE(...)               ((void)0)
#define RL_KEEP_LOOP()             ((void)0)
#define RL_ALIGNED(pointer, bytes) (pointer)
#define RL_LEADING_ZEROS(value)    rl_leading_zeros_plain(value)
#else
#define RL_KEEP(...)               __asm__ volatile("" : __VA_ARGS__)
#define RL_HIDE(...)               __asm__("" : __VA_ARGS__)
#define RL_KEEP_LOOP()             __asm__ volatile("" ::: "memory")
#define RL_ALIGNED(pointer, bytes) __builtin_assume_aligned(pointer, bytes)
#define RL_LEADING_ZEROS(value)    __builtin_clz(value)
#endif

#endif
