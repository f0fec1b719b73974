// SPDX-License-Identifier: Apache-2.0
// A row of int16 times groups of three int8 filters. In assembler for the same reason as dot_3x2.h; dot_1x3_plain.h is
// the same in C and describes the form of the row.
//
// Three filters and eight values at a time take all registers: 24 products in 28 instructions and 38 cycles on a
// Cortex-M4, most of them the 12 SXTB16 and 12 SMLAD. Four filters would need one more register, or smaller steps and
// therefore more loads.
#ifndef RL_KERNELS_DSP_DOT_1X3_H
#define RL_KERNELS_DSP_DOT_1X3_H

#include "dsp/dot_1x3_plain.h"
#include "isa.h"

__extension__ _Static_assert(offsetof(struct rl_dot_1x3, sums) == 32, "the assembler below uses these offsets");

// clang-format off
// r0 is the row, r1-r3 the filters, r4-r6 the sums, r7-r10 values, r11, r12 and lr weights.
#define RL_DOT_1X3_FILTER(load, sum) \
    load \
    "sxtb16 lr, r11, ror #8\n" \
    "sxtb16 r11, r11\n" \
    "smlad " sum ", r8, lr, " sum "\n" \
    "sxtb16 lr, r12, ror #8\n" \
    "smlad " sum ", r7, r11, " sum "\n" \
    "sxtb16 r12, r12\n" \
    "smlad " sum ", r10, lr, " sum "\n" \
    "smlad " sum ", r9, r12, " sum "\n"

// Multiplies eight values and loads the next eight: 112 bytes of code.
#define RL_DOT_1X3_STEP \
    RL_DOT_1X3_FILTER("ldrd r11, r12, [r1], #8\n", "r4") \
    RL_DOT_1X3_FILTER("ldrd r11, r12, [r2], #8\n", "r5") \
    RL_DOT_1X3_FILTER("ldrd r11, r12, [r3], #8\n", "r6") \
    "ldm r0!, {r7-r10}\n"

// The same for filters at any address.
#define RL_DOT_1X3_UNALIGNED_STEP \
    RL_DOT_1X3_FILTER("ldr r11, [r1], #4\n" "ldr r12, [r1], #4\n", "r4") \
    RL_DOT_1X3_FILTER("ldr r11, [r2], #4\n" "ldr r12, [r2], #4\n", "r5") \
    RL_DOT_1X3_FILTER("ldr r11, [r3], #4\n" "ldr r12, [r3], #4\n", "r6") \
    "ldm r0!, {r7-r10}\n"

static __attribute__((naked, noinline)) void rl_dot_1x3_run(__attribute__((unused)) const struct rl_dot_1x3 *job)
{
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #28\n"
            "ldm r0!, {r4-r11}\n"
            // On the stack: row, depth, the entry of the loop, start, end, gap, the distance from start to sums.
            "mov r1, r9\n"
            "mov r12, r7\n"
            "mov r9, r10\n"
            "ldr r10, [r0]\n"
            "sub r10, r10, r7\n"
            ".if " RL_SMALL_TEXT "\n"
            "adr.w r6, 4f\n"
            ".else\n"
            "adr r0, 2f\n"
            "rsb r6, r6, r6, lsl #3\n"
            "add r6, r0, r6, lsl #4\n"
            "cmp r11, #0\n"
            "it eq\n"
            "adreq.w r6, 4f\n"
            ".endif\n"
            "stm sp, {r4-r10}\n"
            // A group.
            "1:\n"
            "ldm sp, {r0, r7, r11}\n"
            "ldm r12, {r4-r6}\n"
            "add r2, r1, r7\n"
            "add r3, r2, r7\n"
            "str r12, [sp, #12]\n"
            "ldm r0!, {r7-r10}\n"
            "mov pc, r11\n"
            ".if !" RL_SMALL_TEXT "\n"
            ".balign 4\n"
            "2:\n" RL_DOT_1X3_STEP RL_DOT_1X3_STEP RL_DOT_1X3_STEP RL_DOT_1X3_STEP
            RL_SIZE_CHECK("2b", "4 * 112")
            "cmp.w r7, #0x80000000\n"
            "bne 2b\n"
            ".endif\n"
            "3:\n"
            "add r0, sp, #12\n"
            "ldm r0, {r0, r7-r9}\n"
            "add r9, r9, r0\n"
            "add r12, r0, #12\n"
            "stm r9, {r4-r6}\n"
            "add r1, r3, r8\n"
            "cmp r12, r7\n"
            "bne 1b\n"
            "add sp, sp, #28\n"
            "pop {r4-r11, pc}\n"
            ".balign 4\n"
            "4:\n" RL_DOT_1X3_UNALIGNED_STEP
            "cmp.w r7, #0x80000000\n"
            "bne 4b\n"
            "b 3b\n");
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
