// SPDX-License-Identifier: Apache-2.0
// The step of dot_expanded.h for cores that issue one instruction at a time. Registers are those of dot_expanded.h.
//
// Five loads are side by side for a Cortex-M4, and no result is used by the next instruction for a Cortex-M33.
#ifndef RL_KERNELS_DSP_DOT_EXPANDED_SINGLE_H
#define RL_KERNELS_DSP_DOT_EXPANDED_SINGLE_H

// What a step finds loaded: nothing.
#define RL_DOT_EXPANDED_FIRST ""

// clang-format off
// Multiplies four values: 68 bytes of code.
#define RL_DOT_EXPANDED_STEP \
    "ldr.w r8, [r0, #4]\n" \
    "ldr.w r7, [r0], #8\n" \
    "ldr r10, [r1, r2]\n" \
    "ldr r11, [r1, r2, lsl #1]\n" \
    "ldr r9, [r1], #4\n" \
    "sxtb16 r12, r10\n" \
    "sxtb16 r10, r10, ror #8\n" \
    "smlad r5, r7, r12, r5\n" \
    "sxtb16 r12, r11\n" \
    "smlad r5, r8, r10, r5\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r6, r7, r12, r6\n" \
    "sxtb16 r12, r9\n" \
    "smlad r6, r8, r11, r6\n" \
    "sxtb16 r9, r9, ror #8\n" \
    "smlad r4, r7, r12, r4\n" \
    "smlad r4, r8, r9, r4\n"
// clang-format on

#endif
