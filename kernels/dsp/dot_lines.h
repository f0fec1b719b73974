// SPDX-License-Identifier: Apache-2.0
// Windows of an input times three expanded filters, with int16 outputs. The loop is that of dot_3x2.h, whose schedules
// it has: values are filters, and two windows are multiplied where they lie. It goes on from one row of the filters to
// the next, and scales the sums in their registers. dot_lines_plain.h is the same in C.
#ifndef RL_KERNELS_DSP_DOT_LINES_H
#define RL_KERNELS_DSP_DOT_LINES_H

#include "dsp/dot_3x2.h"
#include "dsp/dot_lines_plain.h"

__extension__ _Static_assert(offsetof(struct rl_dot_lines, scales) == 44 &&
                                 offsetof(struct rl_dot_lines, output) == 80 &&
                                 offsetof(struct rl_dot_lines, is_limited) == 104 && sizeof(struct rl_rescale) == 12,
                             "the assembler below uses these offsets");

// clang-format off
// Registers are those of dot_3x2.h.
#define RL_DOT_LINES_RESCALE(sum) \
    "qadd " sum ", " sum ", " sum "\n" \
    "smmlar r0, " sum ", r10, r11\n" \
    "add " sum ", r0, " sum ", asr #31\n" \
    "asr " sum ", " sum ", r12\n" \
    "ssat " sum ", #16, " sum "\n"

// Clamps two outputs to the limits in r10 and r11.
#define RL_DOT_LINES_LIMIT(first, second) \
    "pkhbt " first ", " first ", " second ", lsl #16\n" \
    "ssub16 r12, " first ", r10\n" \
    "sel " first ", " first ", r10\n" \
    "ssub16 r12, r11, " first "\n" \
    "sel " first ", " first ", r11\n" \
    "lsr " second ", " first ", #16\n"

// Enters the loop for a row whose values r0 is four bytes before. Some schedules find the first two values loaded.
// lr is the job.
#define RL_DOT_LINES_ROW \
    "ldr r3, [lr, #16]\n" \
    "ldr r11, [sp, #16]\n" \
    "ldr r12, [sp, #12]\n" \
    "add r3, r3, r3, lsl #1\n" \
    "add r3, r0, r3, lsl #3\n" \
    "str r3, [sp, #4]\n" \
    "ldr r3, [r0, #4]\n" \
    "ldr r10, [r0, #8]\n" \
    "subs r0, r0, r11\n" \
    "bx r12\n"

static __attribute__((naked, noinline)) void rl_dot_lines_run(__attribute__((unused)) struct rl_dot_lines *job)
{
    // On the stack: 0 the job, 4 the end of the row's values in groups of four, less four bytes, 8 rows left, 12 the
    // entry of the loop, 16 the bytes of values that it skips in the first round.
    __asm__("push {r4-r11, lr}\n"
            "sub sp, sp, #20\n"
            "mov lr, r0\n"
            "str lr, [sp]\n"
            "ldr r1, [lr, #16]\n"
            "rsbs r3, r1, #0\n"
            "and r10, r3, #(" RL_DOT_3X2_STEPS " - 1)\n"
            "add r3, r10, r10, lsl #1\n"
            "lsls r3, r3, #3\n"
            "str r3, [sp, #16]\n"
            "movs r2, #" RL_DOT_3X2_BYTES "\n"
            "adr.w r3, 3f\n"
            "mla r2, r2, r10, r3\n"
            "orr r2, r2, #1\n"
            "str r2, [sp, #12]\n"
            // A pair of outputs.
            "1:\n"
            "ldr r1, [lr]\n"
            "ldr r2, [lr, #4]\n"
            "ldr r0, [lr, #12]\n"
            "ldr r3, [lr, #24]\n"
            "add r12, lr, #32\n"
            "ldm r12, {r4-r6}\n"
            "add r10, r1, r2, lsl #1\n"
            "adds r2, r1, r2\n"
            "subs r0, r0, #4\n"
            "str r10, [lr]\n"
            "str r3, [sp, #8]\n"
            "mov r7, r4\n"
            "mov r8, r5\n"
            "mov r9, r6\n"
            RL_DOT_LINES_ROW
            ".p2align 2\n"
            "3:\n"
            RL_DOT_3X2_ROUND
            RL_SIZE_CHECK("3b", RL_DOT_3X2_BYTES " * " RL_DOT_3X2_STEPS)
            RL_DOT_3X2_COMPARE
            "bne 3b\n"
            "ldr lr, [sp]\n"
            "ldr r3, [lr, #20]\n"
            "cbz r3, 9f\n"
            RL_DOT_3X2_LAST
            "9:\n"
            "ldr r3, [sp, #8]\n"
            "ldr r12, [lr, #8]\n"
            "subs r3, r3, #1\n"
            "beq 5f\n"
            "str r3, [sp, #8]\n"
            "add r1, r1, r12\n"
            "add r2, r2, r12\n"
            RL_DOT_LINES_ROW
            // Scaled outputs.
            "5:\n"
            "add r3, lr, #44\n"
            "ldm r3!, {r10-r12}\n"
            RL_DOT_LINES_RESCALE("r4") RL_DOT_LINES_RESCALE("r7")
            "ldm r3!, {r10-r12}\n"
            RL_DOT_LINES_RESCALE("r5") RL_DOT_LINES_RESCALE("r8")
            "ldm r3!, {r10-r12}\n"
            RL_DOT_LINES_RESCALE("r6") RL_DOT_LINES_RESCALE("r9")
            "ldr r3, [lr, #104]\n"
            "cbnz r3, 6f\n"
            "7:\n"
            "ldr r3, [lr, #92]\n"
            "add r12, lr, #80\n"
            "ldm r12, {r0-r2}\n"
            "strh r6, [r2]\n"
            "strh r9, [r2, r3]\n"
            "strh r5, [r1]\n"
            "strh r8, [r1, r3]\n"
            "strh r4, [r0]\n"
            "strh r7, [r0, r3]\n"
            "add r0, r0, r3, lsl #1\n"
            "add r1, r1, r3, lsl #1\n"
            "add r2, r2, r3, lsl #1\n"
            "ldr r3, [lr, #28]\n"
            "stm r12, {r0-r2}\n"
            "subs r3, r3, #1\n"
            "str r3, [lr, #28]\n"
            "bne 1b\n"
            "add sp, sp, #20\n"
            "pop {r4-r11, pc}\n"
            "6:\n"
            "ldr r10, [lr, #96]\n"
            "ldr r11, [lr, #100]\n"
            RL_DOT_LINES_LIMIT("r4", "r7") RL_DOT_LINES_LIMIT("r5", "r8") RL_DOT_LINES_LIMIT("r6", "r9")
            "b 7b\n");
}
// clang-format on

// See rl_dot_lines_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_dot_lines(struct rl_dot_lines *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_lines_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
