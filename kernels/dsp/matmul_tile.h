// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD. See convolution/matmul.h for the contract.
//
// Two rows times two channels, four values at a time: four loads and eight SXTB16 feed eight SMLAD of two
// products. Expanding at each use costs no more than reading int16 copies would, and needs no scratch.
#ifndef RL_KERNELS_DSP_MATMUL_TILE_H
#define RL_KERNELS_DSP_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "dsp/dot_2x2.h"
#include "dsp/rescale_tile.h"
#include "dsp/simd.h"
#include "elementwise/rescale.h"

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

// Rows whose sums are kept at a time.
enum { RL_SUM_ROWS = 16 };

// Scales and stores the sums of one channel for `row_count` rows; each row has two sums.
static inline void rl_matmul_store(const struct rl_matmul *m, int32_t channel, const int32_t *sums,
                                   int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    const struct rl_rescale *scale = &m->scale[channel];
    for (; row_count > 0; row_count--, sums += 2, output += output_stride) {
        *output = m->simple
                      ? (int8_t)rl_clamp_s32(rl_rescale(*scale, *sums * 2), m->output_min, m->output_max)
                      : rl_matmul_output(m, channel, *sums);
    }
}

// The two channels from `channel` on, or the last one; `rows` in any number. Sums are kept, then stored by C.
static inline void rl_matmul_pair(const struct rl_matmul *m, int32_t channel, const int8_t *rows,
                                  ptrdiff_t row_stride, int32_t row_count, int8_t *output,
                                  ptrdiff_t output_stride)
{
    // A channel or row that is missing repeats the one before; its sums are not stored.
    const int32_t next = rl_min_s32(channel + 1, m->channels - 1);
    for (; row_count > 0; row_count -= RL_SUM_ROWS) {
        int32_t sums[2 * RL_SUM_ROWS];
        const int32_t count = rl_min_s32(row_count, RL_SUM_ROWS);
        struct rl_dot_2x2 job = {.row_0 = rows,
                                 .row_1 = rows + row_stride,
                                 .filter_0 = m->filter + (ptrdiff_t)channel * m->depth,
                                 .filter_1 = m->filter + (ptrdiff_t)next * m->depth,
                                 .bias = {m->bias[channel], m->bias[next]},
                                 .depth = m->depth,
                                 .row_gap = 2 * row_stride - m->depth,
                                 .sums = sums,
                                 .row_pairs = count / 2};
        if (count > 1) {
            rl_dot_2x2(&job);
        }
        if (count % 2 != 0) {
            job.row_1 = job.row_0;
            job.row_pairs = 1;
            rl_dot_2x2(&job);
        }
        rl_matmul_store(m, channel, sums, count, output, output_stride);
        if (next != channel) {
            rl_matmul_store(m, next, sums + 1, count, output + 1, output_stride);
        }
        rows += RL_SUM_ROWS * row_stride;
        output += RL_SUM_ROWS * output_stride;
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    // Most layers: pairs of rows and channels go from the sums to the output without leaving the registers.
    const bool direct = m->simple && m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    const int32_t direct_rows = direct ? row_count & ~1 : 0;
    const int32_t direct_channels = direct_rows > 0 ? m->channels & ~1 : 0;
    struct rl_dot_2x2 job = {
        .depth = m->depth, .row_gap = 2 * row_stride - m->depth, .output_stride = output_stride};
    job.filter_1 = m->filter;
    for (int32_t channel = 0; channel < direct_channels; channel += 2) {
        job.row_0 = rows;
        job.row_1 = rows + row_stride;
        job.row_pairs = direct_rows / 2;
        job.filter_0 = job.filter_1;
        job.filter_1 += m->depth;
        job.bias[0] = m->bias[channel];
        job.bias[1] = m->bias[channel + 1];
        job.scale = &m->scale[channel];
        job.output = output + channel;
        rl_dot_2x2(&job);
        job.filter_1 += m->depth;
    }
    for (int32_t channel = 0; channel < m->channels; channel += 2) {
        const int32_t done = channel < direct_channels ? direct_rows : 0;
        rl_matmul_pair(m, channel, rows + done * row_stride, row_stride, row_count - done,
                       output + channel + done * output_stride, output_stride);
    }
}

#endif
