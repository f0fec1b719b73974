// SPDX-License-Identifier: Apache-2.0
// A row times few or short filters, two at a time, with scaled outputs. In assembler because compilers neither keep the
// loads together nor the registers free. dot_pairs_plain.h is the same in C.
//
// Sixteen products take 30 cycles on a Cortex-M4, more than in dot_1x3.h, but no row is expanded.
#ifndef RL_KERNELS_DSP_DOT_PAIRS_H
#define RL_KERNELS_DSP_DOT_PAIRS_H

#include "dsp/dot_pairs_plain.h"
#include RL_SCHEDULE(dot_pairs)

__extension__ _Static_assert(offsetof(struct rl_dot_pairs, multiplier) == 28 &&
                                 offsetof(struct rl_dot_pairs, filter_step) == 64,
                             "the assembler below uses these offsets");

// clang-format off
#define RL_DOT_PAIR_SCALE(sum, multiplier, shift) \
    "mvn r11, " shift "\n" \
    "rsb " shift ", " shift ", #0\n" \
    "lsl r11, r12, r11\n" \
    "qadd " sum ", " sum ", " sum "\n" \
    "smmlar lr, " sum ", " multiplier ", r11\n" \
    "add " sum ", lr, " sum ", asr #31\n" \
    "asr " sum ", " sum ", " shift "\n" \
    "ssat " sum ", #8, " sum "\n"

// r1 is the row, r2 and r8 are filters, r4 and r5 sums, r6 offsets, r10 counts rounds and r3 the values behind them.
// RL_SCHEDULE has the steps, of which that of four values keeps r0.
static __attribute__((naked, noinline)) void rl_dot_pairs_run(__attribute__((unused)) struct rl_dot_pairs *job)
{
    __asm__("push {r0, r4-r11, lr}\n"
            // Two channels. A last single channel is computed as both.
            "1:\n"
            "ldm r0, {r1, r2, r3, r6, r7, r8, r9}\n"
            "ldr r10, [r0, #48]\n"
            "ldr r11, [r0, #64]\n"
            "add lr, r2, r11, lsl #1\n"
            "str lr, [r0, #4]\n"
            "cmp r10, #1\n"
            "itt eq\n"
            "moveq r8, #0\n"
            "moveq r11, #0\n"
            "ldr r4, [r7]\n"
            "ldr r5, [r7, r8]\n"
            "add r7, r7, r8, lsl #1\n"
            "add r8, r2, r11\n"
            "add r4, r4, r9\n"
            "add r5, r5, r9\n"
            "str r7, [r0, #16]\n"
            "lsrs r10, r3, #4\n"
            "beq 3f\n"
            "2:\n" RL_DOT_PAIR_SIXTEEN
            "bne 2b\n"
            "ldr r0, [sp]\n"
            "ldr r3, [r0, #8]\n"
            "3:\n"
            "and r3, r3, #15\n"
            "subs r3, r3, #4\n"
            "blt 7f\n"
            "4:\n" RL_DOT_PAIR_FOUR
            "bge 4b\n"
            "7:\n"
            "adds r3, r3, #4\n"
            "beq 6f\n"
            "5:\n"
            "ldrsb r7, [r1], #1\n"
            "ldrsb r9, [r2], #1\n"
            "ldrsb r11, [r8], #1\n"
            "sxtah r7, r7, r6\n"
            "subs r3, r3, #1\n"
            "mla r4, r7, r9, r4\n"
            "mla r5, r7, r11, r5\n"
            "bne 5b\n"
            "6:\n"
            "ldr r1, [r0, #28]\n"
            "ldr r2, [r0, #32]\n"
            "ldr r3, [r0, #36]\n"
            "ldr r10, [r0, #48]\n"
            "ldr r12, [r0, #52]\n"
            "cmp r10, #1\n"
            "it eq\n"
            "moveq r3, #0\n"
            "ldr r6, [r1]\n"
            "ldr r8, [r1, r3]\n"
            "ldr r7, [r2]\n"
            "ldr r9, [r2, r3]\n"
            "add r1, r1, r3, lsl #1\n"
            "add r2, r2, r3, lsl #1\n"
            "strd r1, r2, [r0, #28]\n"
            RL_DOT_PAIR_SCALE("r4", "r6", "r7")
            RL_DOT_PAIR_SCALE("r5", "r8", "r9")
            "ldr r1, [r0, #40]\n"
            "ldr r2, [r0, #44]\n"
            "ldr r6, [r0, #56]\n"
            "ldr r7, [r0, #60]\n"
            "bfi r4, r5, #8, #8\n"
            "ssub8 r5, r4, r6\n"
            "sel r4, r4, r6\n"
            "ssub8 r5, r7, r4\n"
            "sel r4, r4, r7\n"
            "subs r10, r10, #2\n"
            "strb r4, [r1]\n"
            "blt 8f\n"
            "lsr r4, r4, #8\n"
            "strb r4, [r1, r2]\n"
            "add r1, r1, r2, lsl #1\n"
            "str r1, [r0, #40]\n"
            "str r10, [r0, #48]\n"
            "bne 1b\n"
            "8:\n"
            "pop {r0, r4-r11, pc}\n");
}
// clang-format on

// The empty statements tell the compiler that the assembler reads and writes memory through `job`.
static inline void rl_dot_pairs(struct rl_dot_pairs *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_pairs_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
