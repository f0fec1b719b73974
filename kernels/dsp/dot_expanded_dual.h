// SPDX-License-Identifier: Apache-2.0
// The step of dot_expanded.h for a Cortex-M7, in an order that was searched for with the cycle model. Registers are
// those of dot_expanded.h.
#ifndef RL_KERNELS_DSP_DOT_EXPANDED_DUAL_H
#define RL_KERNELS_DSP_DOT_EXPANDED_DUAL_H

// clang-format off
// What a step finds loaded: its values.
#define RL_DOT_EXPANDED_FIRST \
    "ldr r8, [r0, #4]\n" \
    "ldr r7, [r0], #8\n"

// Multiplies four values, which are loaded, and loads the next four: 68 bytes of code.
#define RL_DOT_EXPANDED_STEP \
    "ldr r10, [r1, r2]\n" \
    "sxtb16 lr, r10, ror #8\n" \
    "ldr r11, [r1, r2, lsl #1]\n" \
    "sxtb16 r12, r11, ror #8\n" \
    "smlad r5, r8, lr, r5\n" \
    "sxtb16 r11, r11\n" \
    "smlad r6, r8, r12, r6\n" \
    "sxtb16 r10, r10\n" \
    "ldr r9, [r1], #4\n" \
    "sxtb16 r12, r9, ror #8\n" \
    "smlad r5, r7, r10, r5\n" \
    "sxtb16 r9, r9\n" \
    "smlad r4, r8, r12, r4\n" \
    "smlad r6, r7, r11, r6\n" \
    "ldr.w r8, [r0, #4]\n" \
    "smlad r4, r7, r9, r4\n" \
    "ldr.w r7, [r0], #8\n"
// clang-format on

#endif
