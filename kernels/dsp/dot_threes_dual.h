// SPDX-License-Identifier: Apache-2.0
// The step of dot_threes.h for a Cortex-M7. Registers are those of dot_threes.h.
#ifndef RL_KERNELS_DSP_DOT_THREES_DUAL_H
#define RL_KERNELS_DSP_DOT_THREES_DUAL_H

// clang-format off
// Multiplies four values: 72 bytes of code.
#define RL_DOT_THREES_STEP \
    "ldr r8, [r1], #4\n" \
    "ldr r10, [r2, r3]\n" \
    "sxtab16 lr, r7, r8, ror #8\n" \
    "ldr r11, [r2, r3, lsl #1]\n" \
    "sxtab16 r8, r7, r8\n" \
    "ldr r9, [r2], #4\n" \
    "sxtb16 r12, r10\n" \
    "sxtb16 r10, r10, ror #8\n" \
    "smlad r5, r8, r12, r5\n" \
    "sxtb16 r12, r11\n" \
    "smlad r5, lr, r10, r5\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r6, r8, r12, r6\n" \
    "sxtb16 r12, r9\n" \
    "smlad r6, lr, r11, r6\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r4, r8, r12, r4\n" \
    "smlad r4, lr, r9, r4\n"
// clang-format on

#endif
