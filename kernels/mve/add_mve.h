// SPDX-License-Identifier: Apache-2.0
// The additions of elementwise/elementwise.h, four at a time. The caller clamps the results.
#ifndef RL_KERNELS_MVE_ADD_MVE_H
#define RL_KERNELS_MVE_ADD_MVE_H

#include <stdbool.h>
#include <stddef.h>

#include "elementwise/elementwise.h"
#include "mve/requantize_mve.h"

// Takes any shifts.
static inline int32x4_t rl_add_any_mve(const struct rl_add *add, int32x4_t a, int32x4_t b)
{
    const int32x4_t left = vdupq_n_s32(add->left_shift);
    const struct rl_addend *in = add->input;
    a = vshlq_s32(vaddq_n_s32(a, in[0].offset), left);
    b = vshlq_s32(vaddq_n_s32(b, in[1].offset), left);
    const int32x4_t sum = vaddq_s32(rl_requantize_mve(a, in[0].scale.multiplier, in[0].scale.shift),
                                    rl_requantize_mve(b, in[1].scale.multiplier, in[1].scale.shift));
    const int32x4_t scaled = rl_requantize_mve(sum, add->scale.multiplier, add->scale.shift);
    return vaddq_n_s32(scaled, add->output_offset);
}

// Whether neither input shifts left and the output shifts right, as in all but contrived layers.
static inline bool rl_add_shifts_right(const struct rl_add *add)
{
    const int32_t first = add->input[0].scale.shift - 1, second = add->input[1].scale.shift - 1;
    return (first & second & add->scale.shift & (add->left_shift - 31)) < 0; // one branch instead of four
}

__extension__ _Static_assert(offsetof(struct rl_add, left_shift) == 24 &&
                                 offsetof(struct rl_add, output_offset) == 28 && offsetof(struct rl_add, scale) == 32 &&
                                 offsetof(struct rl_add, range) == 40 && offsetof(struct rl_add, count) == 48,
                             "the assembler below uses these offsets");

// clang-format off
// A function (add, a, b, output) that adds all elements, four at a time, for the shifts of rl_add_shifts_right. In
// assembler because gcc makes no loop that ends in a partial vector from intrinsics, and prepares a second one for the
// rest. `load`, `store` and `step` are those of four elements; `constant` and `offset` make and add the output offset.
//
// r4 to r9 are offset, multiplier and shift of the inputs, the offsets shifted to the left; r10 and r11 are the sum's
// scale. r0 and r12 are 1 where the sign of a term takes part in its rounding: VQDMLAH by 1 adds it. They are 0 where
// nothing is shifted out. q3 and q4 are the limits, q5 is 2^left_shift, q6 the output offset.
#define RL_ADD_FOURS(load, store, step, constant, offset) \
    "push {r4-r11, lr}\n" \
    "vpush {d8-d13}\n" \
    "ldr r12, [r0, #24]\n" \
    "ldr lr, [r0, #48]\n" \
    "movs r4, #1\n" \
    "lsl r12, r4, r12\n" \
    "ldrd r10, r11, [r0, #40]\n" \
    "vdup.32 q5, r12\n" \
    "vdup.32 q3, r10\n" \
    constant \
    "vdup.32 q4, r11\n" \
    "ldrd r10, r11, [r0, #32]\n" \
    "ldm r0, {r4-r9}\n" \
    "mul r4, r4, r12\n" \
    "mul r7, r7, r12\n" \
    "cmp r6, #0\n" \
    "cset r0, ne\n" \
    "cmp r9, #0\n" \
    "cset r12, ne\n" \
    "wlstp.32 lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    load " q0, [r1], #" step "\n" \
    "vmlas.s32 q0, q5, r4\n" \
    load " q1, [r2], #" step "\n" \
    "vqrdmulh.s32 q2, q0, r5\n" \
    "vmlas.s32 q1, q5, r7\n" \
    "vqdmlah.s32 q2, q0, r0\n" \
    "vqrdmulh.s32 q0, q1, r8\n" \
    "vrshl.s32 q2, r6\n" \
    "vqdmlah.s32 q0, q1, r12\n" \
    "vrshl.s32 q0, r9\n" \
    "vadd.i32 q0, q0, q2\n" \
    "vshr.s32 q1, q0, #31\n" \
    "vqrdmlah.s32 q1, q0, r10\n" \
    "vrshl.s32 q1, r11\n" \
    offset \
    "vmax.s32 q1, q1, q3\n" \
    "vmin.s32 q1, q1, q4\n" \
    store " q1, [r3], #" step "\n" \
    "letp lr, 1b\n" \
    "2:\n" \
    "vpop {d8-d13}\n" \
    "pop {r4-r11, pc}\n"
// clang-format on

#endif
