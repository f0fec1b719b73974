// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD. See convolution/matmul.h for the contract.
//
// Two rows times two channels, four values at a time: four loads and eight SXTB16 feed eight SMLAD of two
// products. Expanding at each use costs no more than reading int16 copies would, and needs no scratch.
#ifndef RL_KERNELS_DSP_MATMUL_TILE_H
#define RL_KERNELS_DSP_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "dsp/simd.h"

enum { RL_MATMUL_ROWS = 4 };

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    const int16x2_t ones = 0x00010001;
    int32_t sum = 0;
    for (; count >= 4; count -= 4, values += 4) {
        const uint32_t word = rl_load_s8x4(values);
        sum = __smlad(rl_even_s16(word), ones, sum);
        sum = __smlad(rl_odd_s16(word), ones, sum);
    }
    for (; count > 0; count--) {
        sum += *values++;
    }
    return sum;
}

static inline int32_t rl_dot_s8(const int8_t *a, const int8_t *b, int32_t count)
{
    int32_t sum = 0;
    for (; count >= 4; count -= 4, a += 4, b += 4) {
        const uint32_t x = rl_load_s8x4(a);
        const uint32_t w = rl_load_s8x4(b);
        sum = __smlad(rl_even_s16(x), rl_even_s16(w), sum);
        sum = __smlad(rl_odd_s16(x), rl_odd_s16(w), sum);
    }
    for (; count > 0; count--) {
        sum += *a++ * *b++;
    }
    return sum;
}

// sums[2 * row + channel] of two rows and two filters of `depth` values.
static inline void rl_dot_2x2_s8(const int8_t *row_0, const int8_t *row_1, const int8_t *filter_0,
                                 int32_t depth, int32_t sums[4])
{
    const int8_t *filter_1 = filter_0 + depth;
    int32_t sum_00 = 0;
    int32_t sum_01 = 0;
    int32_t sum_10 = 0;
    int32_t sum_11 = 0;
    const int8_t *end = row_0 + (depth & ~3);
    while (row_0 != end) {
        const uint32_t w_0 = rl_load_s8x4(filter_0);
        const uint32_t w_1 = rl_load_s8x4(filter_1);
        const uint32_t x_0 = rl_load_s8x4(row_0);
        const uint32_t x_1 = rl_load_s8x4(row_1);
        const int16x2_t w_0_even = rl_even_s16(w_0);
        const int16x2_t w_0_odd = rl_odd_s16(w_0);
        const int16x2_t w_1_even = rl_even_s16(w_1);
        const int16x2_t w_1_odd = rl_odd_s16(w_1);
        sum_00 = __smlad(rl_even_s16(x_0), w_0_even, sum_00);
        sum_00 = __smlad(rl_odd_s16(x_0), w_0_odd, sum_00);
        sum_01 = __smlad(rl_even_s16(x_0), w_1_even, sum_01);
        sum_01 = __smlad(rl_odd_s16(x_0), w_1_odd, sum_01);
        sum_10 = __smlad(rl_even_s16(x_1), w_0_even, sum_10);
        sum_10 = __smlad(rl_odd_s16(x_1), w_0_odd, sum_10);
        sum_11 = __smlad(rl_even_s16(x_1), w_1_even, sum_11);
        sum_11 = __smlad(rl_odd_s16(x_1), w_1_odd, sum_11);
        filter_0 += 4;
        filter_1 += 4;
        row_0 += 4;
        row_1 += 4;
    }
    for (int32_t i = depth & 3; i > 0; i--) {
        const int32_t w_0 = *filter_0++;
        const int32_t w_1 = *filter_1++;
        const int32_t x_0 = *row_0++;
        const int32_t x_1 = *row_1++;
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
            int32_t sums[4];
            rl_dot_2x2_s8(row, row + row_stride, filter, m->depth, sums);
            out[0] = rl_matmul_output(m, channel, sums[0]);
            out[1] = rl_matmul_output(m, channel + 1, sums[1]);
            out[output_stride] = rl_matmul_output(m, channel, sums[2]);
            out[output_stride + 1] = rl_matmul_output(m, channel + 1, sums[3]);
        }
        for (; r > 0; r--, row += row_stride, out += output_stride) {
            out[0] = rl_matmul_output(m, channel, rl_dot_s8(row, filter, m->depth));
            if (pair) {
                out[1] = rl_matmul_output(m, channel + 1, rl_dot_s8(row, filter + m->depth, m->depth));
            }
        }
    }
}

#endif
