// SPDX-License-Identifier: Apache-2.0
// The step of dot_winograd.h for cores that issue one instruction at a time. Loads are side by side for a Cortex-M4.
#ifndef RL_KERNELS_DSP_DOT_WINOGRAD_SINGLE_H
#define RL_KERNELS_DSP_DOT_WINOGRAD_SINGLE_H

// What a round finds loaded: nothing.
#define RL_DOT_WINOGRAD_FIRST ""

// clang-format off
#define RL_DOT_WINOGRAD_STEP(value, weight, next_value, next_weight) \
    "ldr.w r2, [r0, #4 + " #value "]\n" \
    "ldr.w r3, [r0, #8 + " #value "]" next_value "\n" \
    "ldr.w r12, [r1, #4 + " #weight "]\n" \
    "ldr.w lr, [r1, #8 + " #weight "]\n" \
    "smlad r4, r2, r12, r4\n" \
    "smlad r5, r3, r12, r5\n" \
    "smlad r6, r2, lr, r6\n" \
    "smlad r7, r3, lr, r7\n" \
    "ldr.w r12, [r1, #12 + " #weight "]\n" \
    "ldr.w lr, [r1, #16 + " #weight "]" next_weight "\n" \
    "smlad r8, r2, r12, r8\n" \
    "smlad r9, r3, r12, r9\n" \
    "smlad r10, r2, lr, r10\n" \
    "smlad r11, r3, lr, r11\n"

// Four steps, then the comparison of the address with the end.
#define RL_DOT_WINOGRAD_ROUND \
    RL_DOT_WINOGRAD_STEP(0, 0, "", "") \
    RL_DOT_WINOGRAD_STEP(8, 16, "", "") \
    RL_DOT_WINOGRAD_STEP(16, 32, "", "") \
    RL_DOT_WINOGRAD_STEP(24, 48, "!", "!") \
    "ldr r2, [sp, #4]\n" \
    "cmp r0, r2\n"
// clang-format on

#endif
