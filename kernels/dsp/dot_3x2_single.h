// SPDX-License-Identifier: Apache-2.0
// The step of dot_3x2.h for cores that issue one instruction at a time.
//
// Registers are those of dot_3x2.h: r3 values, r10 and r11 odd weights, r12 and lr even ones. Where registers allow it,
// loads are adjacent for a Cortex-M4. Only the last load of a round advances the address of values, because a Cortex-M4
// takes a cycle more for each of some in a row that do.
#ifndef RL_KERNELS_DSP_DOT_3X2_SINGLE_H
#define RL_KERNELS_DSP_DOT_3X2_SINGLE_H

#define RL_DOT_3X2_BYTES "96" // of code, for four values
#define RL_DOT_3X2_STEPS "8"  // of a round

// What a step finds loaded: nothing.
#define RL_DOT_3X2_FIRST ""

// clang-format off
#define RL_DOT_3X2_FOUR(at, advance) \
    "ldr r10, [r1], #4\n" \
    "ldr r11, [r2], #4\n" \
    "ldr.w r3, [r0, #" #at " + 4]\n" \
    "sxtb16 r12, r10\n" \
    "sxtb16 lr, r11\n" \
    "smlad r4, r3, r12, r4\n" \
    "smlad r7, r3, lr, r7\n" \
    "ldr.w r3, [r0, #" #at " + 8]\n" \
    "sxtb16 r10, r10, ror #8\n" \
    "smlad r5, r3, r12, r5\n" \
    "smlad r8, r3, lr, r8\n" \
    "ldr.w r3, [r0, #" #at " + 12]\n" \
    "sxtb16 r11, r11, ror #8\n" \
    "smlad r6, r3, r12, r6\n" \
    "smlad r9, r3, lr, r9\n" \
    "ldr.w r12, [r0, #" #at " + 16]\n" \
    "ldr.w lr, [r0, #" #at " + 20]\n" \
    "ldr.w r3, [r0, #" #at " + 24]" advance "\n" \
    "smlad r4, r12, r10, r4\n" \
    "smlad r7, r12, r11, r7\n" \
    "smlad r5, lr, r10, r5\n" \
    "smlad r8, lr, r11, r8\n" \
    "smlad r6, r3, r10, r6\n" \
    "smlad r9, r3, r11, r9\n"

// Two or eight steps, then the comparison of the address with the end.
#define RL_DOT_3X2_SMALL_ROUND RL_DOT_3X2_FOUR(0, "") RL_DOT_3X2_FOUR(24, "!")
#define RL_DOT_3X2_ROUND \
    RL_DOT_3X2_FOUR(0, "") RL_DOT_3X2_FOUR(24, "") RL_DOT_3X2_FOUR(48, "") RL_DOT_3X2_FOUR(72, "") \
    RL_DOT_3X2_FOUR(96, "") RL_DOT_3X2_FOUR(120, "") RL_DOT_3X2_FOUR(144, "") RL_DOT_3X2_FOUR(168, "!")
#define RL_DOT_3X2_SMALL_COMPARE RL_DOT_3X2_COMPARE
#define RL_DOT_3X2_COMPARE \
    "ldr r3, [sp, #4]\n" \
    "cmp r0, r3\n"
// clang-format on

#endif
