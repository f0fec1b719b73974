// SPDX-License-Identifier: Apache-2.0
// The step of dot_3x2.h for a Cortex-M7.
//
// Registers are those of dot_3x2.h: r3, r10 and r11 values, r12 and lr weights. Weights are loaded twice, once for the
// even and once for the odd ones, so that there are registers for all three values; the first two of a step are loaded
// during the step before, two words behind the last value included. So most multiplications go along with a load or
// an extension: 14 cycles for 24 products, in an order that was searched for with the cycle model.
#ifndef RL_KERNELS_DSP_DOT_3X2_DUAL_H
#define RL_KERNELS_DSP_DOT_3X2_DUAL_H

#define RL_DOT_3X2_BYTES "104" // of code, for four values
#define RL_DOT_3X2_STEPS "4"   // of a round

// clang-format off
// What a step finds loaded: the first two values. lr is the address of the job.
#define RL_DOT_3X2_FIRST \
    "ldr r3, [lr, #64]\n" \
    "ldr.w r10, [r3, #4]\n" \
    "ldr r3, [r3]\n"

#define RL_DOT_3X2_FOUR(at) \
    "ldr.w lr, [r2]\n" \
    "sxtb16 lr, lr\n" \
    "ldr.w r12, [r1]\n" \
    "ldr.w r11, [r0, #" #at " + 12]\n" \
    "smlad r7, r3, lr, r7\n" \
    "sxtb16 r12, r12\n" \
    "smlad r8, r10, lr, r8\n" \
    "smlad r5, r10, r12, r5\n" \
    "ldr.w r10, [r0, #" #at " + 20]\n" \
    "smlad r4, r3, r12, r4\n" \
    "ldr.w r3, [r0, #" #at " + 16]\n" \
    "smlad r6, r11, r12, r6\n" \
    "ldr r12, [r1], #4\n" \
    "sxtb16 r12, r12, ror #8\n" \
    "smlad r9, r11, lr, r9\n" \
    "smlad r5, r10, r12, r5\n" \
    "ldr lr, [r2], #4\n" \
    "sxtb16 lr, lr, ror #8\n" \
    "smlad r4, r3, r12, r4\n" \
    "ldr.w r11, [r0, #" #at " + 24]\n" \
    "smlad r8, r10, lr, r8\n" \
    "smlad r7, r3, lr, r7\n" \
    "ldr.w r3, [r0, #" #at " + 28]\n" \
    "ldr.w r10, [r0, #" #at " + 32]\n" \
    "smlad r9, r11, lr, r9\n" \
    "smlad r6, r11, r12, r6\n"

// Two or four steps, then the comparison of the address with the end.
#define RL_DOT_3X2_SMALL_ROUND RL_DOT_3X2_FOUR(0) RL_DOT_3X2_FOUR(24)
#define RL_DOT_3X2_ROUND RL_DOT_3X2_FOUR(0) RL_DOT_3X2_FOUR(24) RL_DOT_3X2_FOUR(48) RL_DOT_3X2_FOUR(72)
#define RL_DOT_3X2_SMALL_COMPARE \
    "adds r0, r0, #48\n" \
    "ldr.w r12, [sp, #4]\n" \
    "cmp r0, r12\n"
#define RL_DOT_3X2_COMPARE \
    "adds r0, r0, #96\n" \
    "ldr.w r12, [sp, #4]\n" \
    "cmp r0, r12\n"
// clang-format on

#endif
