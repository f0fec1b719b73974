// SPDX-License-Identifier: Apache-2.0
// The step of dot_2x4.h for cores that issue one instruction at a time. Registers are those of dot_2x4.h.
#ifndef RL_KERNELS_DSP_DOT_2X4_SINGLE_H
#define RL_KERNELS_DSP_DOT_2X4_SINGLE_H

#include "isa.h"

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

// The last step of a round ends with the comparison of the address with the end, which is loaded before the last
// product, because a Cortex-M33 waits for it.
#define RL_DOT_2X4_COMPARE \
    RL_DOT_2X4_MOST_PRODUCTS \
    "ldr r2, [sp, #4]\n" \
    "smlad r11, r3, lr, r11\n" \
    "cmp r0, r2\n"

#if RL_PAIRED_BRANCHES

// A short jump goes along with a short instruction before it, and costs a cycle instead of three; but short conditional
// ones reach the exits only. So the load of the next step's first value lies between both. r0 is four bytes before the
// values, so that this load is short and the last one of a step advances it.
#define RL_DOT_2X4_FIRST_WORDS \
    "ldr r12, [r1], #16\n" \
    "ldr.w r3, [r0, #8]\n" \
    "ldr lr, [r1, #-12]\n"

#define RL_DOT_2X4_SECOND_WORDS \
    "ldr.w r2, [r0, #12]\n" \
    "ldr r12, [r1, #-8]\n" \
    "ldr r3, [r0, #16]!\n" \
    "ldr lr, [r1, #-4]\n"

#define RL_DOT_2X4_FOUR \
    RL_DOT_2X4_FIRST_WORDS \
    RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_SECOND_WORDS \
    RL_DOT_2X4_MOST_PRODUCTS \
    "ldr.w r2, [r0, #4]\n" \
    "smlad r11, r3, lr, r11\n"

#define RL_DOT_2X4_LAST \
    RL_DOT_2X4_FIRST_WORDS \
    RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_SECOND_WORDS \
    RL_DOT_2X4_COMPARE

#define RL_DOT_2X4_FIRST "ldr r2, [r0], #-4\n"

// A jump over the other one costs less than that.
#define RL_DOT_2X4_TO_WHOLE "cbz r3, 3f\n"
#define RL_DOT_2X4_GO       "bx r3\n"

#define RL_DOT_2X4_WHOLE \
    "cmp r3, #0\n" \
    "it eq\n" \
    "moveq r6, #0\n"

#define RL_DOT_2X4_END  "subs r3, r3, #4\n"
#define RL_DOT_2X4_REST "adds r0, r0, #4\n"

#define RL_DOT_2X4_NEXT_ROUND \
    "beq 13f\n" \
    "ldr r2, [r0, #4]\n" \
    "b 3b\n" \
    "13:\n"

#define RL_DOT_2X4_NEXT_GROUP \
    "bhs 14f\n" \
    "ldr r3, [sp, #16]\n" \
    "b 12b\n" \
    "14:\n"

#else

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

#define RL_DOT_2X4_LAST \
    RL_DOT_2X4_FIRST_WORDS \
    RL_DOT_2X4_PRODUCTS \
    RL_DOT_2X4_SECOND_WORDS \
    RL_DOT_2X4_COMPARE

// Loads what a step finds loaded, which is nothing, and goes to the step at r3.
#define RL_DOT_2X4_FIRST    ""
#define RL_DOT_2X4_TO_WHOLE ""
#define RL_DOT_2X4_GO       "bx r3\n"

// Changes what r6 has for job->begin where r3 steps are skipped.
#define RL_DOT_2X4_WHOLE ""

// Where the values end, from their end in r3; what turns it into the address of those behind.
#define RL_DOT_2X4_END  ""
#define RL_DOT_2X4_REST ""

// To another round, and to another group of filters, whose entry is loaded behind label 11.
#define RL_DOT_2X4_NEXT_ROUND "bne 3b\n"
#define RL_DOT_2X4_NEXT_GROUP "blo 11b\n"

#endif
// clang-format on

#endif
