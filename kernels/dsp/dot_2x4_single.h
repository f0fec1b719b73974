// SPDX-License-Identifier: Apache-2.0
// The step of dot_2x4.h for cores that issue one instruction at a time. Registers are those of dot_2x4.h.
#ifndef RL_KERNELS_DSP_DOT_2X4_SINGLE_H
#define RL_KERNELS_DSP_DOT_2X4_SINGLE_H

// What a step finds loaded: nothing.
#define RL_DOT_2X4_FIRST ""

// clang-format off
#define RL_DOT_2X4_MOST_PRODUCTS \
    "smlad r4, r2, r12, r4\n" \
    "smlad r5, r3, r12, r5\n" \
    "uxtb16 r12, r12\n" \
    "smlad r8, r2, lr, r8\n" \
    "smlad r9, r3, lr, r9\n" \
    "uxtb16 lr, lr\n" \
    "smlad r6, r2, r12, r6\n" \
    "smlad r7, r3, r12, r7\n" \
    "smlad r10, r2, lr, r10\n"

#define RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_MOST_PRODUCTS \
    "smlad r11, r3, lr, r11\n"

#define RL_DOT_2X4_FIRST_WORDS \
    "ldr r2, [r0], #16\n" \
    "ldr r12, [r1], #16\n" \
    "ldr r3, [r0, #-12]\n" \
    "ldr lr, [r1, #-12]\n"

#define RL_DOT_2X4_SECOND_WORDS \
    "ldr r2, [r0, #-8]\n" \
    "ldr r12, [r1, #-8]\n" \
    "ldr r3, [r0, #-4]\n" \
    "ldr lr, [r1, #-4]\n"

#define RL_DOT_2X4_FOUR \
    RL_DOT_2X4_FIRST_WORDS \
    RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_SECOND_WORDS \
    RL_DOT_2X4_PRODUCTS

// The last step of a round, then the comparison of the address with the end, which is loaded before the last product,
// because a Cortex-M33 waits for it.
#define RL_DOT_2X4_LAST \
    RL_DOT_2X4_FIRST_WORDS \
    RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_SECOND_WORDS \
    RL_DOT_2X4_MOST_PRODUCTS \
    "ldr r2, [sp, #4]\n" \
    "smlad r11, r3, lr, r11\n" \
    "cmp r0, r2\n"
// clang-format on

#endif
