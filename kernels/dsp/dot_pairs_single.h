// SPDX-License-Identifier: Apache-2.0
// The steps of dot_pairs.h for cores that issue one instruction at a time. Registers are those of dot_pairs.h.
//
// Three loads are side by side for a Cortex-M4, and no result is used by the next instruction for a Cortex-M33.
#ifndef RL_KERNELS_DSP_DOT_PAIRS_SINGLE_H
#define RL_KERNELS_DSP_DOT_PAIRS_SINGLE_H

// clang-format off
#define RL_DOT_PAIR_STEP(count) \
    "ldr r11, [r8], #4\n" \
    "ldr r7, [r1], #4\n" \
    "ldr r9, [r2], #4\n" \
    "sxtab16 r12, r6, r7\n" \
    "sxtb16 lr, r9\n" \
    "sxtab16 r7, r6, r7, ror #8\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r4, r12, lr, r4\n" \
    "sxtb16 lr, r11\n" \
    "smlad r4, r7, r9, r4\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r5, r12, lr, r5\n" \
    count \
    "smlad r5, r7, r11, r5\n"

#define RL_DOT_PAIR_SIXTEEN \
    RL_DOT_PAIR_STEP("") RL_DOT_PAIR_STEP("") RL_DOT_PAIR_STEP("") RL_DOT_PAIR_STEP("subs r10, r10, #1\n")

#define RL_DOT_PAIR_FOUR RL_DOT_PAIR_STEP("subs r3, r3, #4\n")
// clang-format on

#endif
