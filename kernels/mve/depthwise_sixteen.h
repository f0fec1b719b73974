// SPDX-License-Identifier: Apache-2.0
// All channels of one output of a depthwise convolution, 16 at a time, whose scales shift right. In assembler because
// four sums and their operands take all vectors, and because compilers wait for products. depthwise_sixteen_plain.h is
// the same in C.
#ifndef RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_H
#define RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_H

#include "mve/depthwise_sixteen_plain.h"
#include "mve/dot_rows.h"

__extension__ _Static_assert(offsetof(struct rl_sixteen, groups) == 24 && offsetof(struct rl_sixteen, taps) == 28 &&
                                 offsetof(struct rl_sixteen, input_offset) == 36 &&
                                 offsetof(struct rl_sixteen, output_offset) == 40 &&
                                 offsetof(struct rl_sixteen, limits) == 44,
                             "the assembler below uses these offsets");

// clang-format off
// r1 to r3 are bias, multiplier and shift, r4 and r5 the input and the weights of a tap, r6 the output, r7 the groups
// that are left, r8 the distances of the next tap, r9 and r10 the places from which they count. q0 to q3 are the sums
// of the even and of the odd channels of eight, and of the next eight.
static __attribute__((naked, noinline)) void
rl_depthwise_sixteen(__attribute__((unused)) const void *sixteen)
{
    __asm__("push {r7, lr}\n"
            "ldm r0, {r1-r7}\n"
            "push {r6, r7}\n"
            "mov r9, r4\n"
            "mov r10, r5\n"
            "ldr r11, [r0, #36]\n"
            ".p2align 2\n"
            "1:\n"
            "ldrd r8, lr, [r0, #28]\n"
            "vld20.32 {q0, q1}, [r1]\n"
            "ldrd r4, r5, [r8], #8\n"
            "vld21.32 {q0, q1}, [r1]!\n"
            "add r4, r4, r9\n"
            "vld20.32 {q2, q3}, [r1]\n"
            "add r5, r5, r10\n"
            "vld21.32 {q2, q3}, [r1]!\n"
            "ldrd r12, r7, [r8], #8\n"
            "vmov.i32 q6, #0\n"
            "vmov.i32 q7, #0\n"
            "wls lr, lr, 3f\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.s16 q4, [r4]\n"
            "vadd.i16 q4, q4, r11\n"
            "vldrb.s16 q5, [r5]\n"
            "vadd.i32 q2, q2, q6\n"
            "vmullb.s16 q6, q4, q5\n"
            "vadd.i32 q3, q3, q7\n"
            "vmullt.s16 q4, q4, q5\n"
            "vadd.i32 q0, q0, q6\n"
            "vldrb.s16 q7, [r4, #8]\n"
            "vadd.i16 q7, q7, r11\n"
            "vldrb.s16 q5, [r5, #8]\n"
            "vmullb.s16 q6, q7, q5\n"
            "vadd.i32 q1, q1, q4\n"
            "vmullt.s16 q7, q7, q5\n"
            "add r4, r12, r9\n"
            "add r5, r7, r10\n"
            "ldrd r12, r7, [r8], #8\n"
            "le lr, 2b\n"
            "3:\n"
            "vadd.i32 q2, q2, q6\n"
            "mov r12, #1\n"
            "vadd.i32 q3, q3, q7\n"
            "ldr r7, [sp, #4]\n"
            "vld20.32 {q4, q5}, [r2]\n"
            "ldr r4, [r0, #40]\n"
            "vld21.32 {q4, q5}, [r2]!\n"
            "add r5, r0, #44\n"
            "vqrdmulh.s32 q6, q0, q4\n"
            "add r9, r9, #16\n"
            "vqrdmulh.s32 q7, q1, q5\n"
            "vld20.32 {q4, q5}, [r3]\n"
            "vqdmlah.s32 q6, q0, r12\n"
            "vld21.32 {q4, q5}, [r3]!\n"
            "vqdmlah.s32 q7, q1, r12\n"
            "vrshl.s32 q6, q6, q4\n"
            "vld20.32 {q0, q1}, [r2]\n"
            "vrshl.s32 q7, q7, q5\n"
            "vld21.32 {q0, q1}, [r2]!\n"
            "vqmovnb.s32 q4, q6\n"
            "vqrdmulh.s32 q6, q2, q0\n"
            "vqmovnt.s32 q4, q7\n"
            "vqrdmulh.s32 q7, q3, q1\n"
            "vld20.32 {q0, q1}, [r3]\n"
            "vqdmlah.s32 q6, q2, r12\n"
            "vld21.32 {q0, q1}, [r3]!\n"
            "vqadd.s16 q4, q4, r4\n"
            "vqdmlah.s32 q7, q3, r12\n"
            "vldrh.u16 q2, [r5]\n"
            "vrshl.s32 q6, q6, q0\n"
            "vldrh.u16 q3, [r5, #16]\n"
            "vrshl.s32 q7, q7, q1\n"
            "add r10, r10, #16\n"
            "vmax.s16 q4, q4, q2\n"
            "vqmovnb.s32 q5, q6\n"
            "vmin.s16 q4, q4, q3\n"
            "vqmovnt.s32 q5, q7\n"
            "vstrb.16 q4, [r6], #8\n"
            "vqadd.s16 q5, q5, r4\n"
            "subs r7, r7, #1\n"
            "str r7, [sp, #4]\n"
            "vmax.s16 q5, q5, q2\n"
            "vmin.s16 q5, q5, q3\n"
            "vstrb.16 q5, [r6], #8\n"
            "bne 1b\n"
            "add sp, sp, #8\n"
            "pop {r7, pc}\n");
}
// clang-format on

#endif
