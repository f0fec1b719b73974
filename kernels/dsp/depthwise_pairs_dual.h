// SPDX-License-Identifier: Apache-2.0
// A row of taps of depthwise_pairs.h for a Cortex-M7. Registers are those of depthwise_pairs.h. Products go along with
// loads and extensions.
#ifndef RL_KERNELS_DSP_DEPTHWISE_PAIRS_DUAL_H
#define RL_KERNELS_DSP_DEPTHWISE_PAIRS_DUAL_H

// clang-format off
// `turn` is ", ror #8" for channels 1 and 3; `at` is the offset of the weights.
#define RL_PAIRS_ROW(turn, at) \
    "ldr.w r11, [r0]\n" \
    "ldr.w r8, [r1, #" at "]\n" \
    "ldr.w r12, [r0, r2]\n" \
    "ldr.w r9, [r1, #" at " + 4]\n" \
    "sxtab16 r11, r3, r11" turn "\n" \
    "ldr.w lr, [r0, r2, lsl #1]\n" \
    "sxtab16 r12, r3, r12" turn "\n" \
    "ldr.w r10, [r1, #" at " + 8]\n" \
    "smlabb r4, r11, r8, r4\n" \
    "add.w r0, r0, r2, lsl #1\n" \
    "sxtab16 lr, r3, lr" turn "\n" \
    "smlatt r5, r11, r8, r5\n" \
    "ldr.w r11, [r0, r2]\n" \
    "smlabb r4, r12, r9, r4\n" \
    "smlatt r5, r12, r9, r5\n" \
    "ldr.w r12, [r0, r2, lsl #1]\n" \
    "smlabb r6, lr, r8, r6\n" \
    "sxtab16 r11, r3, r11" turn "\n" \
    "smlatt r7, lr, r8, r7\n" \
    "ldr.w r8, [sp]\n" \
    "smlabb r4, lr, r10, r4\n" \
    "sxtab16 r12, r3, r12" turn "\n" \
    "smlatt r5, lr, r10, r5\n" \
    "smlabb r6, r11, r9, r6\n" \
    "add.w r0, r0, r8\n" \
    "smlatt r7, r11, r9, r7\n" \
    "smlabb r6, r12, r10, r6\n" \
    "smlatt r7, r12, r10, r7\n"
// clang-format on

#endif
