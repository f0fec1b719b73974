// SPDX-License-Identifier: Apache-2.0
// rl_sum_words in assembler, the same for a Cortex-M0 and a Cortex-M3. Included by scalar/sum_words.h.
#ifndef RL_KERNELS_SCALAR_SUM_WORDS_THUMB_H
#define RL_KERNELS_SCALAR_SUM_WORDS_THUMB_H

#if RL_SMALL
#include "scalar/sum_words_plain.h"
#else

enum { RL_HAS_SUM_WORDS = 1 };

// clang-format off
// A word in `word`, whose values are plus 128. r2 sums whole words modulo 2^32, r3 their second and fourth values.
#define RL_SUM_WORD(word) \
    "adds r2, r2, " word "\n" \
    "lsrs " word ", " word ", #8\n" \
    "ands " word ", r7\n" \
    "adds r3, r3, " word "\n"
#define RL_SUM_PAIR \
    "ldm r0!, {r4, r5}\n" \
    "eors r4, r6\n" \
    RL_SUM_WORD("r4") \
    "eors r5, r6\n" \
    RL_SUM_WORD("r5")

// The sum of the values: of the first word without the bytes before the first value, of one word where the number of
// whole ones is odd, then of two at a time, and of the word with the last values. r0 is the address of the next word,
// r1 where pairs end, lr the end of the values; the top of the stack holds `count`. What r2 has more than 2^8 times r3
// are the first and third values.
static __attribute__((naked, noinline)) int32_t rl_sum_words_run(__attribute__((unused)) const int8_t *values,
                                                                 __attribute__((unused)) int32_t count)
{
    __asm__(".syntax unified\n"
            "push {r1, r4-r7, lr}\n"
            "ldr r6, 8f\n"
            "ldr r7, 9f\n"
            "adds r1, r0, r1\n"
            "mov lr, r1\n"
            "movs r5, #3\n"
            "ands r5, r0\n"
            "subs r0, r0, r5\n"
            "lsls r5, r5, #3\n"
            "ldm r0!, {r2}\n"
            "eors r2, r6\n"
            "lsrs r2, r5\n"
            "lsls r2, r5\n"
            "lsrs r3, r2, #8\n"
            "ands r3, r7\n"
            "subs r1, r1, r0\n"
            "lsrs r1, r1, #3\n"
            "bcc 1f\n"
            "ldm r0!, {r4}\n"
            "eors r4, r6\n"
            RL_SUM_WORD("r4")
            "1:\n"
            "lsls r5, r1, #31\n"
            "lsls r1, r1, #3\n"
            "beq 4f\n"
            "adds r1, r1, r0\n"
            "cmp r5, #0\n"
            "bne 3f\n"
            "2:\n"
            RL_SUM_PAIR
            "3:\n"
            RL_SUM_PAIR
            "cmp r0, r1\n"
            "bne 2b\n"
            "4:\n"
            "mov r1, lr\n"
            "lsls r1, r1, #30\n"
            "beq 5f\n"
            "lsrs r1, r1, #27\n"
            "movs r5, #32\n"
            "subs r5, r5, r1\n"
            "ldr r4, [r0]\n"
            "eors r4, r6\n"
            "lsls r4, r5\n"
            "lsrs r4, r5\n"
            RL_SUM_WORD("r4")
            "5:\n"
            "lsls r4, r3, #8\n"
            "subs r2, r2, r4\n"
            "uxth r0, r2\n"
            "lsrs r2, r2, #16\n"
            "adds r0, r0, r2\n"
            "uxth r1, r3\n"
            "adds r0, r0, r1\n"
            "lsrs r3, r3, #16\n"
            "adds r0, r0, r3\n"
            "ldr r1, [sp]\n"
            "lsls r1, r1, #7\n"
            "subs r0, r0, r1\n"
            "pop {r1, r4-r7, pc}\n"
            ".balign 4\n"
            "8: .word 0x80808080\n"
            "9: .word 0x00ff00ff\n");
}
// clang-format on

// The empty statement tells the compiler that the assembler reads memory.
static inline int32_t rl_sum_words(const int8_t *values, int32_t count)
{
    __asm__ volatile("" : : "r"(values) : "memory");
    return rl_sum_words_run(values, count);
}

#endif

#endif
