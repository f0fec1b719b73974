// SPDX-License-Identifier: Apache-2.0
// The products of dot_singles.h for a Cortex-M7, where a load goes together with an extension that is before it.
// Registers are those of dot_singles.h.
#ifndef RL_KERNELS_DSP_DOT_SINGLES_DUAL_H
#define RL_KERNELS_DSP_DOT_SINGLES_DUAL_H

// clang-format off
#define RL_DOT_SINGLE_EIGHT \
    "ldr r5, [r1], #4\n" \
    "ldr r6, [r2], #4\n" \
    "subs r9, r9, #8\n" \
    "sxtab16 r8, r3, r5\n" \
    "ldr r0, [r1], #4\n" \
    "sxtab16 r10, lr, r6\n" \
    "ldr r12, [r2], #4\n" \
    "sxtab16 r5, r3, r5, ror #8\n" \
    "sxtab16 r6, lr, r6, ror #8\n" \
    "smlad r4, r8, r10, r4\n" \
    "sxtab16 r8, r3, r0\n" \
    "smlad r4, r5, r6, r4\n" \
    "sxtab16 r10, lr, r12\n" \
    "sxtab16 r0, r3, r0, ror #8\n" \
    "sxtab16 r12, lr, r12, ror #8\n" \
    "smlad r4, r8, r10, r4\n" \
    "smlad r4, r0, r12, r4\n"

#define RL_DOT_SINGLE_FOUR \
    "ldr r5, [r1], #4\n" \
    "ldr r6, [r2], #4\n" \
    "subs r9, r9, #4\n" \
    "sxtab16 r8, r3, r5\n" \
    "sxtab16 r5, r3, r5, ror #8\n" \
    "sxtab16 r10, lr, r6\n" \
    "sxtab16 r6, lr, r6, ror #8\n" \
    "smlad r4, r8, r10, r4\n" \
    "smlad r4, r5, r6, r4\n"
// clang-format on

#endif
