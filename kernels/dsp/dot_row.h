// SPDX-License-Identifier: Apache-2.0
// A row of int16 times groups of four prepacked filters. In assembler so that all loads of a step are together;
// dot_row_plain.h is the same in C and describes the form of the row.
//
// Weights are used as in dot_2x4.h: 6 loads, 4 UXTB16 and 8 SMLAD compute 16 products in 19 cycles on a Cortex-M4.
// Nothing is read beyond the depth.
#ifndef RL_KERNELS_DSP_DOT_ROW_H
#define RL_KERNELS_DSP_DOT_ROW_H

#include "dsp/dot_row_plain.h"
#include "isa.h"

__extension__ _Static_assert(offsetof(struct rl_dot_row, rest) == 32, "the assembler below uses these offsets");

// clang-format off
// r0 is the address of the row, r1 that of weights; r5 and r7 are the sums of both filters, r4 and r6 those of the first
// of them; r8 and r9 values, r10-r12 and lr weights.
#define RL_DOT_ROW_VALUES \
    "ldr r8, [r0], #8\n" \
    "ldr r10, [r1], #16\n" \
    "ldr r9, [r0, #-4]\n" \
    "ldr r11, [r1, #-12]\n" \
    "ldr r12, [r1, #-8]\n" \
    "ldr lr, [r1, #-4]\n" \
    "smlad r5, r8, r10, r5\n" \
    "uxtb16 r10, r10\n" \
    "smlad r7, r8, r11, r7\n" \
    "uxtb16 r11, r11\n" \
    "smlad r5, r9, r12, r5\n" \
    "uxtb16 r12, r12\n" \
    "smlad r7, r9, lr, r7\n" \
    "uxtb16 lr, lr\n" \
    "smlad r4, r8, r10, r4\n" \
    "smlad r6, r8, r11, r6\n" \
    "smlad r4, r9, r12, r4\n" \
    "smlad r6, r9, lr, r6\n"

static __attribute__((naked, noinline)) void rl_dot_row_run(__attribute__((unused)) const struct rl_dot_row *job)
{
    // On the stack: 0 the job, 4 start, 8 sums, 12 the groups of four values after the loop of four of them.
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #20\n"
            "str r0, [sp]\n"
            "ldr r1, [r0, #8]\n"
            "str r1, [sp, #4]\n"
            "ldr r2, [r0, #16]\n"
            "str r2, [sp, #8]\n"
            "mov r3, r0\n"
            "ldr r1, [r3, #4]\n"
            // A group of filters.
            "1:\n"
            "ldr r0, [r3]\n"
            "ldr r2, [r3, #28]\n"
            "ldr r4, [r3, #20]\n"
            "mov r5, r4\n"
            "mov r6, r4\n"
            "mov r7, r4\n"
            "subs r2, r2, #4\n"
            ".if !" RL_SMALL_TEXT "\n"
            "blt 3f\n"
            "2:\n" RL_DOT_ROW_VALUES RL_DOT_ROW_VALUES RL_DOT_ROW_VALUES RL_DOT_ROW_VALUES
            "subs r2, r2, #4\n"
            "bge 2b\n"
            "3:\n"
            ".endif\n"
            "adds r2, r2, #4\n"
            "beq 5f\n"
            "4:\n" RL_DOT_ROW_VALUES
            "subs r2, r2, #1\n"
            "bne 4b\n"
            "5:\n"
            "ldr r2, [r3, #32]\n"
            "cmp r2, #0\n"
            "beq 7f\n"
            "6:\n"
            "ldr r8, [r0], #4\n"
            "ldr r10, [r1], #4\n"
            "subs r2, r2, #1\n"
            "uxtb16 r11, r10\n"
            "smlabb r5, r8, r10, r5\n"
            "smlabt r7, r8, r10, r7\n"
            "smlabb r4, r8, r11, r4\n"
            "smlabt r6, r8, r11, r6\n"
            "bne 6b\n"
            "7:\n"
            "ldr r0, [sp, #4]\n"
            "ldr r2, [r3, #24]\n"
            "ldr lr, [r3, #12]\n"
            "ldr r12, [sp, #8]\n"
            "ldm r0!, {r8-r11}\n"
            "str r0, [sp, #4]\n"
            "add r1, r1, r2\n"
            "sub r5, r5, r4\n"
            "sub r7, r7, r6\n"
            "add r4, r4, r8\n"
            "add r5, r9, r5, asr #8\n"
            "add r6, r6, r10\n"
            "add r7, r11, r7, asr #8\n"
            "stm r12!, {r4-r7}\n"
            "str r12, [sp, #8]\n"
            "cmp r0, lr\n"
            "bne 1b\n"
            "add sp, sp, #20\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_dot_row(const struct rl_dot_row *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_row_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
