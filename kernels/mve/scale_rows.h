// SPDX-License-Identifier: Apache-2.0
// Scales the sums of three rows and stores their outputs, in the short form of requantize_mve.h. In assembler because
// gcc makes no loop that ends in a partial vector from intrinsics; scale_rows_plain.h is the same in C. Of the values
// behind `channels` only sums are read.
#ifndef RL_KERNELS_MVE_SCALE_ROWS_H
#define RL_KERNELS_MVE_SCALE_ROWS_H

#include "mve/dot_rows.h"
#include "mve/scale_rows_plain.h"

// q0 to q3 hold the rows of four channels, q4 the multipliers, q6 and q7 the limits. VQDMLAH by 1 adds the sign of a
// value to its product, so that the multiplier takes what the adder has no time for; VMLA by 1 adds the bias.
static __attribute__((naked, noinline)) void rl_scale_rows(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldr r11, [r0, #4]\n"
            "add r0, r0, #16\n"
            "ldm r0, {r4-r7}\n"
            "add r0, r11, #8\n"
            "ldr r11, [r11, #32]\n"
            "ldm r0, {r1-r3, r8-r10}\n"
            "vdup.32 q6, r9\n"
            "vdup.32 q7, r10\n"
            "mov r9, #1\n"
            "dlstp.32 lr, r1\n"
            "1:\n"
            "vldrw.s32 q3, [r11], #16\n"
            "vldrw.s32 q0, [r4], #16\n"
            "vadd.i32 q0, q0, q3\n"
            "vldrw.s32 q4, [r2], #16\n"
            "vqrdmulh.s32 q5, q0, q4\n"
            "vldrw.s32 q1, [r4, #112]\n"
            "vqdmlah.s32 q5, q0, r9\n"
            "vldrw.s32 q2, [r4, #240]\n"
            "vadd.i32 q1, q1, q3\n"
            "vldrw.s32 q0, [r3], #16\n"
            "vrshl.s32 q5, q5, q0\n"
            "vmla.s32 q2, q3, r9\n"
            "vadd.i32 q5, q5, r8\n"
            "vqrdmulh.s32 q3, q1, q4\n"
            "vmax.s32 q5, q5, q6\n"
            "vqdmlah.s32 q3, q1, r9\n"
            "vmin.s32 q5, q5, q7\n"
            "vqrdmulh.s32 q1, q2, q4\n"
            "vrshl.s32 q3, q3, q0\n"
            "vstrb.32 q5, [r5], #4\n"
            "vadd.i32 q3, q3, r8\n"
            "vqdmlah.s32 q1, q2, r9\n"
            "vmax.s32 q3, q3, q6\n"
            "vrshl.s32 q1, q1, q0\n"
            "vmin.s32 q3, q3, q7\n"
            "vadd.i32 q1, q1, r8\n"
            "vstrb.32 q3, [r6], #4\n"
            "vmax.s32 q1, q1, q6\n"
            "vmin.s32 q1, q1, q7\n"
            "vstrb.32 q1, [r7], #4\n"
            "letp lr, 1b\n"
            "pop {r7, pc}\n");
}

#endif
