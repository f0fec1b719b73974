// SPDX-License-Identifier: Apache-2.0
// Two output positions of an int16 depthwise convolution, eight channels at a time, from the taps to the outputs in
// registers. In assembler because the order of instructions decides; depthwise_s16_pair_plain.h is the same in C.
//
// A tap of both positions takes one load of weights, two of values, and four products and sums of half the channels:
// loads, products and sums alternate, because they have pipes of their own.
#ifndef RL_KERNELS_MVE_DEPTHWISE_S16_PAIR_H
#define RL_KERNELS_MVE_DEPTHWISE_S16_PAIR_H

#include "mve/depthwise_s16_pair_plain.h"

__extension__ _Static_assert(offsetof(struct rl_depthwise_s16_pair, output) == 40 &&
                                 offsetof(struct rl_depthwise_s16_pair, groups) == 56 &&
                                 sizeof(struct rl_depthwise_s16_eight) == 96,
                             "the assembler below uses these offsets");

// clang-format off
// r0 and r11 are the inputs, r1 the weights, r2 and r3 the steps of columns, r5 counts rows, r6 are the columns, r7 and
// r8 the steps of rows, r9 the scales, r10 the output, r12 the job; q4 and q5 the sums of even and odd channels of the
// first position, q6 and q7 of the second.
static __attribute__((naked, noinline)) void
rl_depthwise_s16_pair_run(__attribute__((unused)) struct rl_depthwise_s16_pair *job)
{
    __asm__("push {r4-r11, lr}\n"
            "vpush {d8-d15}\n"
            "mov r12, r0\n"
            // Eight channels.
            "1:\n"
            "ldm r12, {r0-r10}\n"
            "vldrw.32 q4, [r9]\n"
            "vldrw.32 q5, [r9, #16]\n"
            "add r11, r0, r4\n"
            "vmov.i32 q3, #0\n"
            "vmov q6, q4\n"
            "vmov q7, q5\n"
            "cmp r5, #0\n"
            "beq 4f\n"
            "2:\n"
            "dls lr, r6\n"
            ".p2align 2\n"
            "3:\n"
            "vldrh.u16 q0, [r0]\n"
            "vadd.i32 q7, q7, q3\n"
            "vldrb.s16 q1, [r1]\n"
            "vldrh.u16 q3, [r11]\n"
            "vmullb.s16 q2, q0, q1\n"
            "add r0, r2\n"
            "add r1, r3\n"
            "add r11, r2\n"
            "vmullt.s16 q0, q0, q1\n"
            "vadd.i32 q4, q4, q2\n"
            "vmullb.s16 q2, q3, q1\n"
            "vadd.i32 q5, q5, q0\n"
            "vmullt.s16 q3, q3, q1\n"
            "vadd.i32 q6, q6, q2\n"
            "le lr, 3b\n"
            "add r0, r7\n"
            "add r1, r8\n"
            "add r11, r7\n"
            "subs r5, #1\n"
            "bne 2b\n"
            // Scales. r5 and r6 are the limits, r4 is the distance of outputs.
            "4:\n"
            "vldrw.32 q0, [r9, #32]\n"
            "vadd.i32 q7, q7, q3\n"
            "vldrw.32 q1, [r9, #48]\n"
            "vmulh.s32 q4, q4, q0\n"
            "vldrw.32 q2, [r9, #64]\n"
            "vmulh.s32 q5, q5, q1\n"
            "vldrw.32 q3, [r9, #80]\n"
            "vmulh.s32 q6, q6, q0\n"
            "vrshl.s32 q4, q4, q2\n"
            "vmulh.s32 q7, q7, q1\n"
            "vrshl.s32 q5, q5, q3\n"
            "ldr r4, [r12, #44]\n"
            "ldrd r5, r6, [r12, #48]\n"
            "vrshl.s32 q6, q6, q2\n"
            "vrshl.s32 q7, q7, q3\n"
            "vqmovnb.s32 q4, q4\n"
            "vdup.16 q0, r5\n"
            "vqmovnb.s32 q6, q6\n"
            "vdup.16 q1, r6\n"
            "vqmovnt.s32 q4, q5\n"
            "vqmovnt.s32 q6, q7\n"
            "add r5, r10, r4\n"
            "vmax.s16 q4, q4, q0\n"
            "vmax.s16 q6, q6, q0\n"
            "vmin.s16 q4, q4, q1\n"
            "vmin.s16 q6, q6, q1\n"
            "ldrd r0, r1, [r12]\n"
            "ldr r6, [r12, #56]\n"
            "adds r9, r9, #96\n"
            "adds r0, r0, #16\n"
            "adds r1, r1, #8\n"
            "vstrh.16 q6, [r5]\n"
            "vstrh.16 q4, [r10], #16\n"
            "strd r0, r1, [r12]\n"
            "strd r9, r10, [r12, #36]\n"
            "subs r6, r6, #1\n"
            "str r6, [r12, #56]\n"
            "bne 1b\n"
            "vpop {d8-d15}\n"
            "pop {r4-r11, pc}\n");
}
// clang-format on

// See rl_depthwise_s16_pair_plain. The empty statements tell the compiler that the assembler uses memory through `job`.
static inline void rl_depthwise_s16_pair(struct rl_depthwise_s16_pair *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_depthwise_s16_pair_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
