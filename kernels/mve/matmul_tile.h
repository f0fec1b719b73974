// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with Helium. See convolution/matmul.h for the contract.
//
// Two channels times three rows: five loads feed six VMLADAV of 16 products each. Sums go to a small array,
// channels side by side, where four channels at a time are scaled with vectors.
#ifndef RL_KERNELS_MVE_MATMUL_TILE_H
#define RL_KERNELS_MVE_MATMUL_TILE_H

#include <arm_mve.h>

#include "convolution/matmul.h"
#include "mve/dot_rows.h"
#include "mve/requantize_mve.h"
#include "mve/scale_rows.h"

enum { RL_MATMUL_ROWS = 3 };

// Sum of `count` >= 0 int8 values. The loop ends in a partial vector, which gcc does not make of intrinsics.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    __asm__("wlstp.8 lr, %[count], 2f\n"
            "1: vldrb.8 q0, [%[values]], #16\n"
            "vaddva.s8 %[sum], q0\n"
            "letp lr, 1b\n"
            "2:"
            : [sum] "+Te"(sum), [values] "+r"(values)
            : [count] "r"(count)
            : "q0", "lr", "memory");
    return sum;
}

// Scales and stores the sums of three rows whatever the shifts are.
static __attribute__((noinline)) void rl_scale_rows_both_ways(const struct rl_matmul *m,
                                                              const struct rl_three_rows *rows)
{
    const int32x4_t low = vdupq_n_s32(m->output_min);
    const int32x4_t high = vdupq_n_s32(m->output_max);
    int8_t *const outputs[RL_MATMUL_ROWS] = {rows->output_0, rows->output_1, rows->output_2};
    for (int32_t channel = 0; channel < m->channels; channel += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(m->channels - channel));
        const int32x4_t bias = vldrwq_s32(m->bias + channel);
        const int32x4_t multiplier = vldrwq_z_s32(m->multiplier + channel, active);
        const int32x4_t shift = vldrwq_z_s32(m->shift + channel, active);
        const int32_t *sums = rows->sums + channel;
        for (int32_t row = 0; row < RL_MATMUL_ROWS; row++, sums += RL_CHANNEL_BLOCK) {
            int32x4_t value = vaddq_s32(vldrwq_s32(sums), bias);
            value = vaddq_n_s32(rl_requantize_lanes_mve(value, multiplier, shift), m->output_offset);
            value = vminq_s32(vmaxq_s32(value, low), high);
            vstrbq_p_s32(outputs[row] + channel, value, active);
        }
    }
}

// From the sums of three rows to their outputs.
static inline void rl_matmul_scale(const struct rl_matmul *m, const struct rl_three_rows *rows)
{
    if (m->right_shifts_only) {
        rl_scale_rows(rows);
    } else {
        rl_scale_rows_both_ways(m, rows);
    }
}

static inline void rl_matmul_three(const struct rl_matmul *m, const struct rl_three_rows *rows)
{
    rl_dot_rows_s8(rows, m->depth);
    rl_matmul_scale(m, rows);
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    int32_t sums[RL_MATMUL_ROWS * RL_CHANNEL_BLOCK];
    struct rl_three_rows three;
    three.filters = m;
    three.sums = sums;
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        three.row_0 = rows;
        three.row_1 = rows + row_stride;
        three.row_2 = rows + 2 * row_stride;
        three.output_0 = output;
        three.output_1 = output + output_stride;
        three.output_2 = output + 2 * output_stride;
        if (row_count < RL_MATMUL_ROWS) {
            // A row that is missing repeats the first one, and writes its outputs once more.
            three.row_2 = rows;
            three.output_2 = output;
            three.row_1 = row_count > 1 ? three.row_1 : rows;
            three.output_1 = row_count > 1 ? three.output_1 : output;
        }
        rl_matmul_three(m, &three);
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
