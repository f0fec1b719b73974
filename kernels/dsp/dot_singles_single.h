// SPDX-License-Identifier: Apache-2.0
// The products of dot_singles.h for cores that issue one instruction at a time. Registers are those
// of dot_singles.h; WEIGHTS extends two weights, and `spare` is a free register.
//
// Three loads are side by side for a Cortex-M4, and no result is used by the next instruction for a Cortex-M33.
#ifndef RL_KERNELS_DSP_DOT_SINGLES_SINGLE_H
#define RL_KERNELS_DSP_DOT_SINGLES_SINGLE_H

// clang-format off
#define RL_DOT_SINGLE_EIGHT(WEIGHTS, spare) \
    "ldr r5, [r1], #4\n" \
    "ldr r6, [r2], #4\n" \
    "ldr " spare ", [r1], #4\n" \
    "sxtab16 r8, r3, r5\n" \
    WEIGHTS("r10", "r6") \
    "sxtab16 r5, r3, r5, ror #8\n" \
    WEIGHTS("r6", "r6, ror #8") \
    "smlad r4, r8, r10, r4\n" \
    "smlad r4, r5, r6, r4\n" \
    "ldr r6, [r2], #4\n" \
    "sxtab16 r8, r3, " spare "\n" \
    WEIGHTS("r10", "r6") \
    "sxtab16 " spare ", r3, " spare ", ror #8\n" \
    WEIGHTS("r6", "r6, ror #8") \
    "smlad r4, r8, r10, r4\n" \
    "subs r9, r9, #8\n" \
    "smlad r4, " spare ", r6, r4\n"

#define RL_DOT_SINGLE_FOUR(WEIGHTS) \
    "ldr r5, [r1], #4\n" \
    "ldr r6, [r2], #4\n" \
    "subs r9, r9, #4\n" \
    "sxtab16 r8, r3, r5\n" \
    WEIGHTS("r10", "r6") \
    "sxtab16 r5, r3, r5, ror #8\n" \
    WEIGHTS("r6", "r6, ror #8") \
    "smlad r4, r8, r10, r4\n" \
    "smlad r4, r5, r6, r4\n"
// clang-format on

#endif
