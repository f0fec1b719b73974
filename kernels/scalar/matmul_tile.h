// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters: the inner tile of convolution. See convolution/matmul.h for the contract.
#ifndef RL_KERNELS_SCALAR_MATMUL_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_TILE_H

#include "convolution/matmul.h"

enum { RL_MATMUL_ROWS = 4 };

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

// Products of two int8 rows, added to `sum`.
static inline int32_t rl_dot_s8(int32_t sum, const int8_t *a, const int8_t *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Two rows times two channels: four products for four loads.
static inline void rl_dot_2x2_s8(const int8_t *row, ptrdiff_t row_stride, const int8_t *filter, int32_t depth,
                                 const int32_t bias[2], int32_t sums[4])
{
    const int8_t *row_1 = row + row_stride;
    const int8_t *filter_1 = filter + depth;
    int32_t sum_00 = bias[0];
    int32_t sum_01 = bias[1];
    int32_t sum_10 = bias[0];
    int32_t sum_11 = bias[1];
    for (int32_t i = 0; i < depth; i++) {
        const int32_t x_0 = row[i];
        const int32_t x_1 = row_1[i];
        const int32_t w_0 = filter[i];
        const int32_t w_1 = filter_1[i];
        sum_00 += x_0 * w_0;
        sum_01 += x_0 * w_1;
        sum_10 += x_1 * w_0;
        sum_11 += x_1 * w_1;
    }
    sums[0] = sum_00;
    sums[1] = sum_01;
    sums[2] = sum_10;
    sums[3] = sum_11;
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (int32_t channel = 0; channel < m->channels; channel += 2) {
        const int8_t *filter = m->filter + (ptrdiff_t)channel * m->depth;
        const int8_t *row = rows;
        int8_t *out = output + channel;
        const bool pair = channel + 1 < m->channels;
        int32_t r = row_count;
        for (; pair && r >= 2; r -= 2, row += 2 * row_stride, out += 2 * output_stride) {
            const int32_t bias[2] = {m->bias[channel], m->bias[channel + 1]};
            int32_t sums[4];
            rl_dot_2x2_s8(row, row_stride, filter, m->depth, bias, sums);
            out[0] = rl_matmul_output(m, channel, sums[0]);
            out[1] = rl_matmul_output(m, channel + 1, sums[1]);
            out[output_stride] = rl_matmul_output(m, channel, sums[2]);
            out[output_stride + 1] = rl_matmul_output(m, channel + 1, sums[3]);
        }
        for (; r > 0; r--, row += row_stride, out += output_stride) {
            out[0] = rl_matmul_output(m, channel, rl_dot_s8(m->bias[channel], row, filter, m->depth));
            if (pair) {
                out[1] = rl_matmul_output(m, channel + 1,
                                          rl_dot_s8(m->bias[channel + 1], row, filter + m->depth, m->depth));
            }
        }
    }
}

#endif
