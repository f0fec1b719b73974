// SPDX-License-Identifier: Apache-2.0
// The steps of dot_pairs.h for a Cortex-M7, in orders that were searched for with the cycle model. Registers are those
// of dot_pairs.h.
#ifndef RL_KERNELS_DSP_DOT_PAIRS_DUAL_H
#define RL_KERNELS_DSP_DOT_PAIRS_DUAL_H

// clang-format off
#define RL_DOT_PAIR_SIXTEEN \
    "ldr r7, [r8], #4\n" \
    "ldr r9, [r1], #4\n" \
    "sxtb16 r3, r7, ror #8\n" \
    "ldr r11, [r2], #4\n" \
    "sxtb16 r0, r11, ror #8\n" \
    "sxtab16 lr, r6, r9\n" \
    "ldr r12, [r1], #4\n" \
    "sxtb16 r11, r11\n" \
    "sxtb16 r7, r7\n" \
    "smlad r4, lr, r11, r4\n" \
    "sxtab16 r9, r6, r9, ror #8\n" \
    "ldr r11, [r2], #4\n" \
    "smlad r5, lr, r7, r5\n" \
    "ldr lr, [r8], #4\n" \
    "sxtb16 r7, r11, ror #8\n" \
    "smlad r4, r9, r0, r4\n" \
    "sxtab16 r0, r6, r12, ror #8\n" \
    "smlad r5, r9, r3, r5\n" \
    "sxtab16 r12, r6, r12\n" \
    "ldr r9, [r1], #4\n" \
    "sxtb16 r3, lr, ror #8\n" \
    "smlad r4, r0, r7, r4\n" \
    "sxtb16 lr, lr\n" \
    "smlad r5, r0, r3, r5\n" \
    "sxtab16 r0, r6, r9\n" \
    "smlad r5, r12, lr, r5\n" \
    "ldr r7, [r8], #4\n" \
    "sxtb16 r11, r11\n" \
    "ldr r3, [r2], #4\n" \
    "sxtb16 lr, r3\n" \
    "smlad r4, r12, r11, r4\n" \
    "sxtab16 r9, r6, r9, ror #8\n" \
    "smlad r4, r0, lr, r4\n" \
    "sxtb16 lr, r7, ror #8\n" \
    "ldr r12, [r2], #4\n" \
    "sxtb16 r3, r3, ror #8\n" \
    "smlad r5, r9, lr, r5\n" \
    "sxtb16 lr, r12, ror #8\n" \
    "smlad r4, r9, r3, r4\n" \
    "sxtb16 r7, r7\n" \
    "ldr r11, [r1], #4\n" \
    "sxtb16 r12, r12\n" \
    "ldr r9, [r8], #4\n" \
    "sxtab16 r3, r6, r11\n" \
    "smlad r5, r0, r7, r5\n" \
    "sxtb16 r0, r9\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r5, r3, r0, r5\n" \
    "sxtab16 r11, r6, r11, ror #8\n" \
    "smlad r4, r3, r12, r4\n" \
    "subs r10, r10, #1\n" \
    "smlad r5, r11, r9, r5\n" \
    "smlad r4, r11, lr, r4\n"

#define RL_DOT_PAIR_FOUR \
    "ldr r9, [r2], #4\n" \
    "ldr r7, [r1], #4\n" \
    "sxtb16 lr, r9\n" \
    "ldr r11, [r8], #4\n" \
    "sxtab16 r12, r6, r7\n" \
    "subs r3, r3, #4\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r4, r12, lr, r4\n" \
    "sxtab16 r7, r6, r7, ror #8\n" \
    "sxtb16 lr, r11\n" \
    "smlad r4, r7, r9, r4\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r5, r12, lr, r5\n" \
    "smlad r5, r7, r11, r5\n"
// clang-format on

#endif
