// SPDX-License-Identifier: Apache-2.0
// Two transformed tiles times groups of four transformed filters. In assembler for the same reason as dot_3x2.h;
// dot_winograd_plain.h is the same in C.
//
// Weights and values are int16 already, so nothing is expanded: 6 loads and 8 SMLAD compute 16 products in 16 cycles on
// a Cortex-M4. They stand for 36 products of a plain convolution.
#ifndef RL_KERNELS_DSP_DOT_WINOGRAD_H
#define RL_KERNELS_DSP_DOT_WINOGRAD_H

#include "dsp/dot_winograd_plain.h"
#include "isa.h"

#include RL_SCHEDULE(dot_winograd)

__extension__ _Static_assert(offsetof(struct rl_dot_winograd, channels) == 12 && (int)RL_WINOGRAD_POSITIONS == 16,
                             "the assembler below uses these offsets");

// clang-format off
// r0 is the address of values and r1 that of weights, both less four bytes; r4-r11 are the sums; r2 and r3 are values,
// r12 and lr weights. RL_SCHEDULE has the steps.
static __attribute__((naked, noinline)) void rl_dot_winograd_run(__attribute__((unused)) struct rl_dot_winograd *job)
{
    // On the stack: 0 the place of the next sums; 4 the end of the position's values and 12 that of all, less four
    // bytes; 8 the bytes of a position's values; 16 the job.
    __asm__("push {r0, r4-r11, lr}\n"
            "sub sp, sp, #16\n"
            "ldm r0, {r0-r3}\n"
            "subs r0, r0, #4\n"
            "subs r1, r1, #4\n"
            "lsls r3, r3, #2\n"
            "add r4, r0, r3\n"
            "add r5, r0, r3, lsl #4\n"
            "strd r2, r4, [sp]\n"
            "strd r3, r5, [sp, #8]\n"
            "movs r4, #0\n"
            "movs r5, #0\n"
            "movs r6, #0\n"
            "movs r7, #0\n"
            "mov r8, r4\n"
            "mov r9, r4\n"
            "mov r10, r4\n"
            "mov r11, r4\n"
            "0:\n" RL_DOT_WINOGRAD_FIRST
            // Eight channels of a position.
            "1:\n"
            RL_DOT_WINOGRAD_ROUND
            "bne 1b\n"
            "ldm sp, {r2, r3, r12, lr}\n"
            "stm r2!, {r4-r11}\n"
            "add r3, r3, r12\n"
            "stm sp, {r2, r3}\n"
            "cmp r0, lr\n"
            "bne 0b\n"
            "add sp, sp, #16\n"
            "pop {r0}\n"
            "adds r1, r1, #4\n"
            "str r1, [r0, #4]\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// See rl_dot_winograd_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_dot_winograd(struct rl_dot_winograd *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_dot_winograd_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
