// SPDX-License-Identifier: Apache-2.0
// rl_copy_lines_s8 in assembler for Cortex-M3 and later: lines of 32 bytes by multiple transfers, which are faster than
// single ones on all of these cores, where both addresses are multiples of four. copy_lines_plain.h is the same in C.
// Included by scalar/copy_lines.h.
#ifndef RL_KERNELS_SCALAR_COPY_LINES_THUMB_H
#define RL_KERNELS_SCALAR_COPY_LINES_THUMB_H

#if RL_HAS_THUMB2_LOOP

// clang-format off
#define RL_COPY_TWO_LINES \
    "ldmia.w r1!, {r3-r10}\n" "stmia.w r0!, {r3-r10}\n" "ldmia.w r1!, {r3-r10}\n" "stmia.w r0!, {r3-r10}\n"
#define RL_COPY_FOUR_WORDS(at_0, at_1, at_2, at_3) \
    "ldr r3, [r1, #" at_0 "]\n" \
    "ldr r4, [r1, #" at_1 "]\n" \
    "ldr r5, [r1, #" at_2 "]\n" \
    "ldr.w r12, [r1, #" at_3 "]\n" \
    "stmia.w r0!, {r3-r5, r12}\n"
#define RL_COPY_EIGHT_LINES RL_COPY_TWO_LINES RL_COPY_TWO_LINES RL_COPY_TWO_LINES RL_COPY_TWO_LINES

static __attribute__((naked, noinline)) void rl_copy_lines_run(__attribute__((unused)) int8_t *to,
                                                               __attribute__((unused)) const int8_t *from,
                                                               __attribute__((unused)) int32_t count)
{
    __asm__("orr r3, r0, r1\n"
            "subs r2, r2, #32\n"
            "blt 5f\n"
            "lsls r3, r3, #30\n"
            "bne 8f\n"
            "11:\n"
            "push {r4-r10}\n"
            "subs r2, r2, #224\n"
            "blt 2f\n"
            ".balign 4\n"
            "1:\n" RL_COPY_EIGHT_LINES
            "subs r2, r2, #256\n"
            "bge 1b\n"
            "2:\n"
            "add r12, r2, #256\n"
            "lsrs r12, r12, #5\n"
            "beq 4f\n"
            "rsb r12, r12, #8\n"
            "adr r3, 3f\n"
            "add r3, r3, r12, lsl #3\n"
            "mov pc, r3\n"
            ".balign 4\n"
            "3:\n" RL_COPY_EIGHT_LINES
            RL_SIZE_CHECK("3b", "64")
            "4:\n"
            "pop {r4-r10}\n"
            // The last bits of the count are those of the rest.
            "5:\n"
            "lsls r12, r2, #28\n"
            "bcc 6f\n"
            "ldr r3, [r1]\n"
            "ldr r12, [r1, #4]\n"
            "str r3, [r0]\n"
            "str r12, [r0, #4]\n"
            "ldr r3, [r1, #8]\n"
            "ldr r12, [r1, #12]\n"
            "add.w r1, r1, #16\n"
            "str r3, [r0, #8]\n"
            "str r12, [r0, #12]\n"
            "add.w r0, r0, #16\n"
            "6:\n"
            "bpl 7f\n"
            "ldr r3, [r1]\n"
            "ldr r12, [r1, #4]\n"
            "add.w r1, r1, #8\n"
            "str r3, [r0]\n"
            "str r12, [r0, #4]\n"
            "add.w r0, r0, #8\n"
            "7:\n"
            "lsls r12, r2, #30\n"
            "itt cs\n"
            "ldrcs r3, [r1], #4\n"
            "strcs r3, [r0], #4\n"
            "itt mi\n"
            "ldrhmi r3, [r1], #2\n"
            "strhmi r3, [r0], #2\n"
            "lsls r2, r2, #31\n"
            "itt mi\n"
            "ldrbmi r3, [r1]\n"
            "strbmi r3, [r0]\n"
            "bx lr\n"
            // Other addresses, in words: a first one up to where stores are aligned, which saves a cycle each, and three
            // on a Cortex-M7.
            "8:\n"
            "ands r3, r0, #3\n"
            "beq 10f\n"
            "rsb r3, r3, #4\n"
            "ldr r12, [r1]\n"
            "str r12, [r0]\n"
            "add r0, r0, r3\n"
            "add r1, r1, r3\n"
            "subs r2, r2, r3\n"
            "blt 5b\n"
            "lsls r3, r1, #30\n"
            "beq 11b\n"
            "10:\n"
            "push {r4, r5}\n"
            "subs r2, r2, #32\n"
            "blt 12f\n"
            ".balign 4\n"
            "9:\n" RL_COPY_FOUR_WORDS("0", "4", "8", "12") RL_COPY_FOUR_WORDS("16", "20", "24", "28")
            RL_COPY_FOUR_WORDS("32", "36", "40", "44") RL_COPY_FOUR_WORDS("48", "52", "56", "60")
            "subs r2, r2, #64\n"
            "add.w r1, r1, #64\n"
            "bge 9b\n"
            "12:\n"
            "adds r2, r2, #32\n"
            "blt 13f\n" RL_COPY_FOUR_WORDS("0", "4", "8", "12") RL_COPY_FOUR_WORDS("16", "20", "24", "28")
            "subs r2, r2, #32\n"
            "add.w r1, r1, #32\n"
            "13:\n"
            "pop {r4, r5}\n"
            "b 5b\n");
}

// clang-format on

// The last statement of a function that is not inlined. Nothing follows, so that the call can be a jump; the empty
// statement tells the compiler that the function reads and writes memory.
static inline void rl_copy_lines_last(int8_t *to, const int8_t *from, int32_t count)
{
    __asm__ volatile("" : : : "memory");
    rl_copy_lines_run(to, from, count);
}

// The empty statements tell the compiler that the assembler reads and writes memory.
static inline void rl_copy_lines_s8(int8_t *to, const int8_t *from, int32_t count)
{
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    rl_copy_lines_run(to, from, count);
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
}

#else
#include "scalar/copy_lines_plain.h"
#endif

#endif
