// SPDX-License-Identifier: Apache-2.0
// The step of dot_1x3.h for a Cortex-M7, in an order that was searched for with the cycle model. Registers are those of
// dot_1x3.h.
#ifndef RL_KERNELS_DSP_DOT_1X3_DUAL_H
#define RL_KERNELS_DSP_DOT_1X3_DUAL_H

// clang-format off
// Multiplies eight values, of which the first four are loaded, and loads the next four: 136 bytes of code.
#define RL_DOT_1X3_STEP \
    "ldr r9, [r1], #4\n" \
    "ldr r10, [r2], #4\n" \
    "sxtb16 lr, r10, ror #8\n" \
    "ldr r11, [r3], #4\n" \
    "sxtb16 r10, r10\n" \
    "smlad r5, r8, lr, r5\n" \
    "sxtb16 r12, r9, ror #8\n" \
    "smlad r5, r7, r10, r5\n" \
    "sxtb16 r9, r9\n" \
    "smlad r4, r8, r12, r4\n" \
    "sxtb16 r12, r11, ror #8\n" \
    "smlad r4, r7, r9, r4\n" \
    "smlad r6, r8, r12, r6\n" \
    "ldr r9, [r1], #4\n" \
    "sxtb16 r11, r11\n" \
    "ldr r10, [r2], #4\n" \
    "sxtb16 lr, r10, ror #8\n" \
    "smlad r6, r7, r11, r6\n" \
    "sxtb16 r12, r9, ror #8\n" \
    "ldr.w r8, [r0, #4]\n" \
    "sxtb16 r9, r9\n" \
    "ldr r11, [r3], #4\n" \
    "smlad r4, r8, r12, r4\n" \
    "ldr.w r7, [r0], #8\n" \
    "sxtb16 r10, r10\n" \
    "smlad r5, r8, lr, r5\n" \
    "sxtb16 r12, r11, ror #8\n" \
    "smlad r4, r7, r9, r4\n" \
    "sxtb16 r11, r11\n" \
    "smlad r6, r8, r12, r6\n" \
    "smlad r5, r7, r10, r5\n" \
    "ldr.w r8, [r0, #4]\n" \
    "smlad r6, r7, r11, r6\n" \
    "ldr.w r7, [r0], #8\n"
// clang-format on

#endif
