// SPDX-License-Identifier: Apache-2.0
// The step of dot_2x4.h for a Cortex-M7. Registers are those of dot_2x4.h.
//
// Both values and the first word of weights are loaded during the step before, so that each multiplication goes along
// with a load or an extension: 16 cycles for 32 products, in an order that was searched for with the cycle model. Two
// words behind the last value are read, but no weight: the last step of a round loads one only for another round.
#ifndef RL_KERNELS_DSP_DOT_2X4_DUAL_H
#define RL_KERNELS_DSP_DOT_2X4_DUAL_H

// clang-format off
// Loads what a step finds loaded, and goes to the step at r3.
#define RL_DOT_2X4_FIRST    ""
#define RL_DOT_2X4_TO_WHOLE ""
#define RL_DOT_2X4_GO \
    "mov lr, r3\n" \
    "ldrd r2, r3, [r0]\n" \
    "ldr.w r12, [r1]\n" \
    "bx lr\n"

// Changes what r6 has for job->begin where r3 steps are skipped.
#define RL_DOT_2X4_WHOLE ""

// Where the values end, from their end in r3; what turns it into the address of those behind.
#define RL_DOT_2X4_END  ""
#define RL_DOT_2X4_REST ""

// A step but for its last products.
#define RL_DOT_2X4_MOST \
    "ldr.w lr, [r1, #4]\n" \
    "smlad r4, r2, r12, r4\n" \
    "smlad r5, r3, r12, r5\n" \
    "smlad r9, r3, lr, r9\n" \
    "uxtb16 r12, r12\n" \
    "smlad r8, r2, lr, r8\n" \
    "uxtb16 lr, lr\n" \
    "smlad r6, r2, r12, r6\n" \
    "smlad r10, r2, lr, r10\n" \
    "ldr.w r2, [r0, #8]\n" \
    "smlad r7, r3, r12, r7\n" \
    "ldr.w r12, [r1, #8]\n" \
    "smlad r11, r3, lr, r11\n" \
    "ldr.w r3, [r0, #12]\n" \
    "smlad r4, r2, r12, r4\n" \
    "ldr.w lr, [r1, #12]\n" \
    "smlad r5, r3, r12, r5\n" \
    "smlad r9, r3, lr, r9\n" \
    "uxtb16 r12, r12\n" \
    "smlad r8, r2, lr, r8\n" \
    "uxtb16 lr, lr\n"

#define RL_DOT_2X4_FOUR \
    RL_DOT_2X4_MOST \
    "smlad r6, r2, r12, r6\n" \
    "smlad r7, r3, r12, r7\n" \
    "ldr r12, [r1, #16]!\n" \
    "smlad r10, r2, lr, r10\n" \
    "ldr r2, [r0, #16]!\n" \
    "smlad r11, r3, lr, r11\n" \
    "ldr.w r3, [r0, #4]\n"

// The last step of a round, then the comparison of the address with the end.
#define RL_DOT_2X4_LAST \
    RL_DOT_2X4_MOST \
    "smlad r6, r2, r12, r6\n" \
    "adds r0, r0, #16\n" \
    "smlad r10, r2, lr, r10\n" \
    "ldr r2, [sp, #4]\n" \
    "smlad r7, r3, r12, r7\n" \
    "adds r1, r1, #16\n" \
    "smlad r11, r3, lr, r11\n" \
    "cmp r0, r2\n" \
    "ldr r2, [r0]\n" \
    "ldr r3, [r0, #4]\n" \
    "it ne\n" \
    "ldrne.w r12, [r1]\n"

// To another round, and to another group of filters, whose entry is loaded behind label 11.
#define RL_DOT_2X4_NEXT_ROUND "bne 3b\n"
#define RL_DOT_2X4_NEXT_GROUP "blo 11b\n"
// clang-format on

#endif
