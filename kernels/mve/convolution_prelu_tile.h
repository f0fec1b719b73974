// SPDX-License-Identifier: Apache-2.0
// Convolutions with a PReLU behind: the loops of others with a function for scales of its own.
#ifndef RL_KERNELS_MVE_CONVOLUTION_PRELU_TILE_H
#define RL_KERNELS_MVE_CONVOLUTION_PRELU_TILE_H

#include <arm_mve.h>

#include "convolution/convolution.h"
#include "convolution/prepacked.h"
#include "mve/dot_rows_plain.h"

__extension__ _Static_assert(offsetof(struct rl_filters, eights.multiplier) == 56,
                             "the assembler below uses this offset");

enum { RL_PRELU_SPREAD = RL_CONVOLUTION_PRELU_DEPTH }; // bytes of prepacked weights that are spread at a time

// Scales and stores the sums of three rows, four channels at a time, where limits are those of int8. VRMULH rounds a
// product as the definition does, and VRSHL by a negative number what it shifts out. In assembler for the same reason
// as scale_rows.h. r2 points to the multipliers of sums that are not negative, r12 to the others, r3 to the shifts, r4
// to the sums, r5 to r7 to the outputs, r11 to the biases. q7, q0 and q1 become the outputs of the rows.
// clang-format off
static __attribute__((naked, noinline)) void rl_scale_rows_prelu(__attribute__((unused)) const void *rows)
{
    __asm__("push {r7, lr}\n"
            "ldr r9, [r0, #4]\n"
            "add r0, r0, #16\n"
            "ldm r0, {r4-r7}\n"
            "add r0, r9, #8\n"
            "ldm r0, {r1-r3, r8}\n"
            "ldr r11, [r9, #32]\n"
            "ldr r12, [r9, #56]\n"
            "mov r9, #1\n"
            "dlstp.32 lr, r1\n"
            ".p2align 2\n"
            "1:\n"
            "vldrw.s32 q3, [r11], #16\n"
            "vldrw.s32 q0, [r4], #16\n"
            "vadd.i32 q0, q0, q3\n"
            "vldrw.s32 q4, [r2], #16\n"
            "vrmulh.s32 q7, q0, q4\n"
            "vldrw.s32 q5, [r12], #16\n"
            "vpt.s32 lt, q0, zr\n"
            "vrmulht.s32 q7, q0, q5\n"
            "vldrw.s32 q1, [r4, #240]\n"
            "vadd.i32 q1, q1, q3\n"
            "vldrw.s32 q6, [r3], #16\n"
            "vadd.i32 q6, q6, r9\n"
            "vldrw.s32 q2, [r4, #496]\n"
            "vrmulh.s32 q0, q1, q4\n"
            "vadd.i32 q2, q2, q3\n"
            "vpt.s32 lt, q1, zr\n"
            "vrmulht.s32 q0, q1, q5\n"
            "vrshl.s32 q7, q7, q6\n"
            "vrmulh.s32 q1, q2, q4\n"
            "vadd.i32 q7, q7, r8\n"
            "vpt.s32 lt, q2, zr\n"
            "vrmulht.s32 q1, q2, q5\n"
            "vrshl.s32 q0, q0, q6\n"
            "vqmovnb.s32 q7, q7\n"
            "vrshl.s32 q1, q1, q6\n"
            "vadd.i32 q0, q0, r8\n"
            "vqmovnb.s16 q7, q7\n"
            "vadd.i32 q1, q1, r8\n"
            "vqmovnb.s32 q0, q0\n"
            "vstrb.32 q7, [r5], #4\n"
            "vqmovnb.s32 q1, q1\n"
            "vqmovnb.s16 q0, q0\n"
            "vqmovnb.s16 q1, q1\n"
            "vstrb.32 q0, [r6], #4\n"
            "vstrb.32 q1, [r7], #4\n"
            "letp lr, 1b\n"
            "pop {r7, pc}\n");
}
// clang-format on

// The same with other limits.
static __attribute__((noinline)) void rl_scale_rows_prelu_limited(const void *argument)
{
    const struct rl_three_rows *rows = argument;
    const struct rl_filters *f = rows->filters;
    const int32x4_t low = vdupq_n_s32(f->output_min), high = vdupq_n_s32(f->output_max);
    int8_t *const outputs[3] = {rows->output_0, rows->output_1, rows->output_2};
    for (int32_t channel = 0; channel < f->channels; channel += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(f->channels - channel));
        const int32x4_t bias = vldrwq_z_s32(f->bias + channel, active);
        const int32x4_t positive = vldrwq_z_s32(f->multiplier + channel, active);
        const int32x4_t negative = vldrwq_z_s32(f->eights.multiplier + channel, active);
        const int32x4_t shift = vaddq_n_s32(vldrwq_z_s32(f->shift + channel, active), 1);
        const int32_t *sums = rows->sums + channel;
        for (int32_t row = 0; row < 3; row++, sums += RL_SUM_BLOCK) {
            const int32x4_t sum = vaddq_s32(vldrwq_s32(sums), bias);
            const int32x4_t multiplier = vpselq_s32(negative, positive, vcmpltq_n_s32(sum, 0));
            const int32x4_t value = vaddq_n_s32(vrshlq_s32(vrmulhq_s32(sum, multiplier), shift), f->output_offset);
            vstrbq_p_s32(outputs[row] + channel, vminq_s32(vmaxq_s32(value, low), high), active);
        }
    }
}

static inline void rl_prelu_run_block(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    struct rl_matmul *m = s->matmul;
    const bool is_open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    m->scale_rows = is_open ? rl_scale_rows_prelu : rl_scale_rows_prelu_limited;
    m->negative = m->multiplier + s->layer->output.c;
    rl_convolution_run_block(s, input, output);
}

static __attribute__((noinline)) void rl_prelu_plain(const struct rl_convolution *c, const int8_t *input,
                                                     int8_t *output, struct rl_scratch scratch)
{
    rl_convolution_run_blocks(c, input, output, scratch, rl_prelu_run_block);
}

static __attribute__((noinline)) void rl_prelu_prepacked(const struct rl_convolution *c, const int8_t *input,
                                                         int8_t *output, struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c);
    int8_t spread[RL_PRELU_SPREAD];
    struct rl_convolution_state s;
    uint64_t stack[rl_convolution_start(&s, c, scratch)];
    rl_convolution_take(&s, stack);
    s.spread = spread;
    s.block = rl_min_s32(s.block, RL_PRELU_SPREAD / depth);
    for (int32_t first = 0; first < c->output.c; first += s.block) {
        const int32_t count = rl_min_s32(s.block, c->output.c - first);
        rl_spread_prepacked(c->weights, depth, first * depth, count * depth, spread);
        (void)rl_convolution_channels(&s, first, c->output.c);
        rl_prelu_run_block(&s, input, output + first);
    }
}

#endif
