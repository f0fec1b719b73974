// SPDX-License-Identifier: Apache-2.0
// The step of dot_winograd.h for a Cortex-M7, which issues a load beside each product if the load is two cycles ahead
// of its use: 8 cycles for 16 products. Two words behind the last values are read, but no weight: the last step of a
// round loads one only for another round.
#ifndef RL_KERNELS_DSP_DOT_WINOGRAD_DUAL_H
#define RL_KERNELS_DSP_DOT_WINOGRAD_DUAL_H

// clang-format off
// What a round finds loaded.
#define RL_DOT_WINOGRAD_FIRST \
    "ldr.w r2, [r0, #4]\n" \
    "ldr.w r3, [r0, #8]\n" \
    "ldr.w r12, [r1, #4]\n"

// A step but for its last products.
#define RL_DOT_WINOGRAD_MOST(weight) \
    "ldr.w lr, [r1, #8 + " #weight "]\n" \
    "smlad r4, r2, r12, r4\n" \
    "smlad r5, r3, r12, r5\n" \
    "ldr.w r12, [r1, #12 + " #weight "]\n" \
    "smlad r6, r2, lr, r6\n" \
    "smlad r7, r3, lr, r7\n" \
    "ldr.w lr, [r1, #16 + " #weight "]\n" \
    "smlad r8, r2, r12, r8\n" \
    "smlad r9, r3, r12, r9\n"

#define RL_DOT_WINOGRAD_STEP(value, weight) \
    RL_DOT_WINOGRAD_MOST(weight) \
    "ldr.w r12, [r1, #20 + " #weight "]\n" \
    "smlad r10, r2, lr, r10\n" \
    "ldr.w r2, [r0, #12 + " #value "]\n" \
    "smlad r11, r3, lr, r11\n" \
    "ldr.w r3, [r0, #16 + " #value "]\n"

// Four steps, then the comparison of the address with the end.
#define RL_DOT_WINOGRAD_ROUND \
    RL_DOT_WINOGRAD_STEP(0, 0) \
    RL_DOT_WINOGRAD_STEP(8, 16) \
    RL_DOT_WINOGRAD_STEP(16, 32) \
    RL_DOT_WINOGRAD_MOST(48) \
    "adds r0, r0, #32\n" \
    "smlad r10, r2, lr, r10\n" \
    "ldr r2, [sp, #4]\n" \
    "smlad r11, r3, lr, r11\n" \
    "adds r1, r1, #64\n" \
    "cmp r0, r2\n" \
    "ldr.w r2, [r0, #4]\n" \
    "ldr.w r3, [r0, #8]\n" \
    "it ne\n" \
    "ldrne.w r12, [r1, #4]\n"
// clang-format on

#endif
