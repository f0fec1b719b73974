// SPDX-License-Identifier: Apache-2.0
// Floats to int8 on a Cortex-M4, whose FPU rounds to even and limits in one instruction. On other cores that takes more
// time than a sum with 1.5 * 2^23.
#ifndef RL_KERNELS_DSP_QUANTIZE_FOURS_H
#define RL_KERNELS_DSP_QUANTIZE_FOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa.h"

#if RL_HAS_DSP && RL_HAS_FPU && !RL_DUAL_ISSUE && !RL_PAIRED_BRANCHES

enum { RL_HAS_QUANTIZE_FOURS = !RL_SMALL };

// Converts 4 * `fours` floats, at least 4. False if one of them is NaN, or beyond 2^31: for these the FPU sets a flag
// that stays, and output holds anything. The flag is as before behind it, if it was set.
static inline bool rl_quantize_fours(const float *from, uint32_t fours, float inverse, int32_t zero_point, int8_t *to)
{
    uint32_t fpscr, a, b, c, d;
    __asm__ volatile("vmrs %[fpscr], fpscr\n"
                     "bic %[a], %[fpscr], #1\n"
                     "vmsr fpscr, %[a]\n"
                     ".balign 4\n"
                     "1: vldmia %[from]!, {s0-s3}\n"
                     "vmul.f32 s0, s0, %[inverse]\n"
                     "vmul.f32 s1, s1, %[inverse]\n"
                     "vmul.f32 s2, s2, %[inverse]\n"
                     "vmul.f32 s3, s3, %[inverse]\n"
                     "vcvtr.s32.f32 s0, s0\n"
                     "vcvtr.s32.f32 s1, s1\n"
                     "vcvtr.s32.f32 s2, s2\n"
                     "vcvtr.s32.f32 s3, s3\n"
                     "vmov %[a], s0\n"
                     "vmov %[b], s1\n"
                     "vmov %[c], s2\n"
                     "vmov %[d], s3\n"
                     "qadd %[a], %[a], %[zero_point]\n"
                     "qadd %[b], %[b], %[zero_point]\n"
                     "qadd %[c], %[c], %[zero_point]\n"
                     "qadd %[d], %[d], %[zero_point]\n"
                     "ssat %[a], #8, %[a]\n"
                     "ssat %[b], #8, %[b]\n"
                     "ssat %[c], #8, %[c]\n"
                     "ssat %[d], #8, %[d]\n"
                     "strb %[a], [%[to], #0]\n"
                     "strb %[b], [%[to], #1]\n"
                     "strb %[c], [%[to], #2]\n"
                     "strb %[d], [%[to], #3]\n"
                     "adds %[to], %[to], #4\n"
                     "subs %[fours], %[fours], #1\n"
                     "bne 1b\n"
                     "vmrs %[a], fpscr\n"
                     "and %[b], %[fpscr], #1\n"
                     "orr %[b], %[a], %[b]\n"
                     "vmsr fpscr, %[b]\n"
                     : [from] "+r"(from), [to] "+r"(to), [fours] "+r"(fours), [fpscr] "=&r"(fpscr), [a] "=&r"(a),
                       [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
                     : [inverse] "t"(inverse), [zero_point] "r"(zero_point)
                     : "s0", "s1", "s2", "s3", "cc", "memory");
    return (a & 1) == 0;
}

#else

enum { RL_HAS_QUANTIZE_FOURS = 0 };

static inline bool rl_quantize_fours(const float *from, uint32_t fours, float inverse, int32_t zero_point, int8_t *to)
{
    (void)from, (void)fours, (void)inverse, (void)zero_point, (void)to;
    return false;
}

#endif

#endif
