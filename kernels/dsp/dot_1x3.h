// SPDX-License-Identifier: Apache-2.0
// A row of int16 times groups of three int8 filters. In assembler for the same reason as dot_3x2.h; dot_1x3_plain.h is
// the same in C and describes the form of the row.
//
// Three filters take turns, so that there are registers for four values, a word of each filter, and two extended words:
// 24 products in 34 instructions and 36 cycles on a Cortex-M4, most of them the 12 SXTB16 and 12 SMLAD. Four filters
// would need more registers, or more loads.
#ifndef RL_KERNELS_DSP_DOT_1X3_H
#define RL_KERNELS_DSP_DOT_1X3_H

#include "dsp/dot_1x3_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_1x3)

__extension__ _Static_assert(offsetof(struct rl_dot_1x3, sums) == 28, "the assembler below uses these offsets");

// clang-format off
// r0 is the row, r1-r3 the filters, r4-r6 the sums, r7 and r8 values, r9-r12 and lr weights. All instructions of a step
// have four bytes, because the loop is entered in its middle.
static __attribute__((naked, noinline)) void rl_dot_1x3_run(__attribute__((unused)) const struct rl_dot_1x3 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #28\n"
            "ldm r0!, {r4-r10}\n"
            // On the stack: row, depth, the entry of the loop, start, end, gap, the distance from start to sums.
            "mov r1, r9\n"
            "mov r12, r7\n"
            "mov r9, r10\n"
            "ldr r10, [r0]\n"
            "sub r10, r10, r7\n"
            "adr r0, 2f\n"
            ".if " RL_SMALL_TEXT "\n"
            "mov r6, r0\n"
            ".else\n"
            "add r6, r6, r6, lsl #4\n"
            "add r6, r0, r6, lsl #3\n"
            ".endif\n"
            "stm sp, {r4-r10}\n"
            // A group.
            "1:\n"
            "ldm sp, {r0, r7, r11}\n"
            "ldm r12, {r4-r6}\n"
            "add r2, r1, r7\n"
            "add r3, r2, r7\n"
            "str r12, [sp, #12]\n"
            "ldr r8, [r0, #4]\n"
            "ldr r7, [r0], #8\n"
            "mov pc, r11\n"
            ".balign 4\n"
            "2:\n" RL_DOT_1X3_STEP
            ".if !" RL_SMALL_TEXT "\n"
            RL_DOT_1X3_STEP RL_DOT_1X3_STEP RL_DOT_1X3_STEP
            ".endif\n"
            RL_SIZE_CHECK("2b", "136 * (4 - 3 * " RL_SMALL_TEXT ")")
            "cmp.w r7, #0x80000000\n"
            "bne 2b\n"
            "add r0, sp, #12\n"
            "ldm r0, {r0, r7-r9}\n"
            "add r9, r9, r0\n"
            "add r12, r0, #12\n"
            "stm r9, {r4-r6}\n"
            "add r1, r3, r8\n"
            "cmp r12, r7\n"
            "bne 1b\n"
            "add sp, sp, #28\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_dot_1x3(const struct rl_dot_1x3 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_1x3_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
