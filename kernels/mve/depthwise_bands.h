// SPDX-License-Identifier: Apache-2.0
// The outputs of eight channels along a line, two at a time, each from a run of taps. In assembler because compilers
// spill the vectors and let products wait for each other. depthwise_bands_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DEPTHWISE_BANDS_H
#define RL_KERNELS_MVE_DEPTHWISE_BANDS_H

#include <arm_mve.h>

#include "mve/depthwise_bands_plain.h"
#include "mve/dot_rows.h"

__extension__ _Static_assert(sizeof(struct rl_band) == 40 && offsetof(struct rl_band, scale) == 12 &&
                                 offsetof(struct rl_band, weights) == 28 && offsetof(struct rl_band, jump) == 32 &&
                                 offsetof(struct rl_plane_scale, multiplier) == 32 &&
                                 offsetof(struct rl_plane_scale, shift) == 64 &&
                                 offsetof(struct rl_plane_scale, offset) == 96 &&
                                 offsetof(struct rl_plane_scale, low) == 112 &&
                                 offsetof(struct rl_plane_scale, high) == 128,
                             "the assembler uses these offsets");

// r0 and r1 read two windows, r2 the weights, r4 is the next window, r7 is 1, r12 the windows left on its line. q0 and
// q1 are the sums of the first window, q2 and q3 those of the second; the inner loop makes the loads of the next tap. A
// last window without a neighbour is computed twice. VQDMLAH by 1 adds the sign of a value: see requantize_mve.h.
static __attribute__((naked, noinline)) void rl_band_run(__attribute__((unused)) const void *band)
{
    __asm__("push {r7, lr}\n"
            "ldrd r1, r12, [r0, #32]\n"
            "push {r1, r12}\n"
            "ldm r0, {r3-r6, r8-r11}\n"
            "movs r7, #1\n"
            "1:\n"
            "mov r0, r4\n"
            "add r4, r4, r8\n"
            "subs r12, r12, #1\n"
            "beq 5f\n"
            "3:\n"
            "cmp r5, #1\n"
            "itt eq\n"
            "moveq r4, r0\n"
            "moveq r10, #0\n"
            "mov r1, r4\n"
            "add r4, r4, r8\n"
            "subs r12, r12, #1\n"
            "beq 6f\n"
            "4:\n"
            "mov r2, r11\n"
            "dls lr, r9\n"
            "vldrw.s32 q0, [r6]\n"
            "vldrw.s32 q1, [r6, #16]\n"
            "vmov q2, q0\n"
            "vldrb.s16 q4, [r0], #16\n"
            "vmov q3, q1\n"
            "vldrb.s16 q5, [r2], #16\n"
            "2:\n"
            "vmullb.s16 q7, q4, q5\n"
            "vldrb.s16 q6, [r1], #16\n"
            "vmullt.s16 q4, q4, q5\n"
            "vadd.i32 q0, q0, q7\n"
            "vmullb.s16 q7, q6, q5\n"
            "vadd.i32 q1, q1, q4\n"
            "vmullt.s16 q6, q6, q5\n"
            "vldrb.s16 q4, [r0], #16\n"
            "vadd.i32 q2, q2, q7\n"
            "vldrb.s16 q5, [r2], #16\n"
            "vadd.i32 q3, q3, q6\n"
            "le lr, 2b\n"
            "ldrsh lr, [r6, #96]\n"
            "vldrw.s32 q4, [r6, #32]\n"
            "vqrdmulh.s32 q5, q0, q4\n"
            "vldrw.s32 q7, [r6, #48]\n"
            "vqrdmulh.s32 q6, q2, q4\n"
            "vldrw.s32 q4, [r6, #64]\n"
            "vqdmlah.s32 q5, q0, r7\n"
            "vqdmlah.s32 q6, q2, r7\n"
            "vrshl.s32 q5, q5, q4\n"
            "vqrdmulh.s32 q0, q1, q7\n"
            "vrshl.s32 q6, q6, q4\n"
            "vqrdmulh.s32 q2, q3, q7\n"
            "vqmovnb.s32 q5, q5\n"
            "vldrw.s32 q4, [r6, #80]\n"
            "vqdmlah.s32 q0, q1, r7\n"
            "vqmovnb.s32 q6, q6\n"
            "vqdmlah.s32 q2, q3, r7\n"
            "vrshl.s32 q0, q0, q4\n"
            "vldrh.s16 q1, [r6, #112]\n"
            "vrshl.s32 q2, q2, q4\n"
            "vqmovnt.s32 q5, q0\n"
            "vldrh.s16 q3, [r6, #128]\n"
            "vqmovnt.s32 q6, q2\n"
            "vqadd.s16 q5, q5, lr\n"
            "vqadd.s16 q6, q6, lr\n"
            "vmax.s16 q5, q5, q1\n"
            "vmin.s16 q5, q5, q3\n"
            "vmax.s16 q6, q6, q1\n"
            "vstrb.16 q5, [r3]\n"
            "vmin.s16 q6, q6, q3\n"
            "add r3, r3, r10\n"
            "subs r5, r5, #2\n"
            "vstrb.16 q6, [r3]\n"
            "add r3, r3, r10\n"
            "bgt 1b\n"
            "pop {r0, r1, r7, pc}\n"
            "5:\n" // to the next line
            "ldrd r1, r12, [sp]\n"
            "add r4, r4, r1\n"
            "b 3b\n"
            "6:\n"
            "ldrd r2, r12, [sp]\n"
            "add r4, r4, r2\n"
            "b 4b\n");
}

#endif
