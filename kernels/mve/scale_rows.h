// SPDX-License-Identifier: Apache-2.0
// From the sums of three rows to their outputs, in assembler, because gcc makes no loops that end in a
// partial vector. What it computes, in C:
//
//     for (i = 0; i < channels; i++) {
//         for (r = 0; r < 3; r++) {
//             value = sums[r * RL_CHANNEL_BLOCK + i] + bias[i];
//             output_r[i] = clamp(rl_requantize(value, multiplier[i], shift[i]) + output_offset);
//         }
//     }
//
// for shifts of -1 or less, as rl_requantize_right_lanes_mve does. Nothing is read or written behind
// `channels`.
#ifndef RL_KERNELS_MVE_SCALE_ROWS_H
#define RL_KERNELS_MVE_SCALE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "convolution/matmul.h"

// The assembler knows the order of the fields: it loads all of them at once.
struct rl_scale_rows {
    const int32_t *multiplier;
    const int32_t *shift;
    const int32_t *bias;
    const int32_t *sums;
    int8_t *output_0;
    int8_t *output_1;
    int8_t *output_2;
    int32_t channels; // at least 1
    int32_t output_offset;
    int32_t output_min;
    int32_t output_max;
};

_Static_assert(sizeof(struct rl_scale_rows) == 44 && RL_CHANNEL_BLOCK == 64,
               "the assembler below uses these offsets");

// q0 to q2 three rows of four channels, q3 what is per channel, q4 and q5 the signs of the values, q6 and q7
// the limits.
static __attribute__((naked, noinline)) void rl_scale_rows_run(__attribute__((unused))
                                                               const struct rl_scale_rows *job)
{
    __asm__("push {r4-r11, lr}\n"
            "vpush {d8-d15}\n"
            "ldm r0, {r1-r11}\n"
            "vdup.32 q6, r10\n"
            "vdup.32 q7, r11\n"
            "dlstp.32 lr, r8\n"
            "1:\n"
            "vldrw.s32 q0, [r4], #16\n"
            "vldrw.s32 q3, [r3], #16\n"
            "vadd.i32 q0, q0, q3\n"
            "vldrw.s32 q1, [r4, #240]\n"
            "vadd.i32 q1, q1, q3\n"
            "vldrw.s32 q2, [r4, #496]\n"
            "vadd.i32 q2, q2, q3\n"
            "vldrw.s32 q3, [r1], #16\n"
            "vshr.s32 q4, q0, #31\n"
            "vqrdmulh.s32 q0, q0, q3\n"
            "vshr.s32 q5, q1, #31\n"
            "vqrdmulh.s32 q1, q1, q3\n"
            "vadd.i32 q0, q0, q4\n"
            "vshr.s32 q4, q2, #31\n"
            "vqrdmulh.s32 q2, q2, q3\n"
            "vadd.i32 q1, q1, q5\n"
            "vldrw.s32 q3, [r2], #16\n"
            "vrshl.s32 q0, q0, q3\n"
            "vadd.i32 q0, q0, r9\n"
            "vrshl.s32 q1, q1, q3\n"
            "vadd.i32 q1, q1, r9\n"
            "vadd.i32 q2, q2, q4\n"
            "vrshl.s32 q2, q2, q3\n"
            "vadd.i32 q2, q2, r9\n"
            "vmax.s32 q0, q0, q6\n"
            "vmin.s32 q0, q0, q7\n"
            "vstrb.32 q0, [r5], #4\n"
            "vmax.s32 q1, q1, q6\n"
            "vmin.s32 q1, q1, q7\n"
            "vstrb.32 q1, [r6], #4\n"
            "vmax.s32 q2, q2, q6\n"
            "vmin.s32 q2, q2, q7\n"
            "vstrb.32 q2, [r7], #4\n"
            "letp lr, 1b\n"
            "vpop {d8-d15}\n"
            "pop {r4-r11, pc}\n");
}

// The empty statements tell the compiler that memory behind `job` is read and written, which it cannot see in
// the assembler.
static inline void rl_scale_rows(const struct rl_scale_rows *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_scale_rows_run(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
