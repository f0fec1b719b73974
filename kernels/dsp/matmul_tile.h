// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD. See convolution/matmul.h for the contract.
//
// Three rows at a time are expanded to int16 on the stack, once for all channels; weights are expanded where
// they are used, once for the three rows: see dot_3x2.h.
#ifndef RL_KERNELS_DSP_MATMUL_TILE_H
#define RL_KERNELS_DSP_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "dsp/dot_3x2.h"
#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/simd.h"
#include "elementwise/rescale.h"

enum {
    RL_MATMUL_ROWS = 3,
    RL_EXPANDED_DEPTH = 256, // values of each row that are expanded at a time
};

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

// One of three rows in the order that dot_3x2.h describes: every third word.
static inline void rl_expand_row(const int8_t *row, int32_t count, uint32_t *values)
{
    for (int32_t fours = count >> 2; fours > 0; fours--, row += 4, values += 6) {
        const uint32_t word = rl_load_s8x4(row);
        values[0] = (uint32_t)rl_even_s16(word);
        values[3] = (uint32_t)rl_odd_s16(word);
    }
    for (int32_t rest = count & 3; rest > 0; rest--, values += 3) {
        values[0] = (uint32_t)*row++;
    }
}

// Adds the products of `count` values to the sums of all channels: six for each pair. `job` has everything
// but the pairs and, where its sums are NULL, stores outputs for whole pairs.
static inline void rl_matmul_part(const struct rl_matmul *m, struct rl_dot_3x2 *job, int32_t *sums)
{
    const int32_t last = m->channels & ~1;
    job->start = sums;
    job->pairs = last / 2;
    if (last > 0) {
        rl_dot_3x2(job);
    }
    if (last < m->channels) {
        // Twice the same channel.
        const int32_t bias[2] = {m->bias[last], m->bias[last]};
        job->bias = job->bias != NULL ? bias : NULL;
        job->filter_step = 0;
        job->start = sums + 3 * last;
        job->sums = sums + 3 * last;
        job->pairs = 1;
        rl_dot_3x2(job);
    }
}

static inline void rl_clamp_row(int8_t *row, int32_t count, int32_t low, int32_t high)
{
    const uint32_t lows = rl_repeat_s8x4(low);
    const uint32_t highs = rl_repeat_s8x4(high);
    for (; count >= 4; count -= 4, row += 4) {
        rl_store_s8x4(row, rl_maximum_s8x4(rl_minimum_s8x4(rl_load_s8x4(row), highs), lows));
    }
    for (; count > 0; count--, row++) {
        *row = (int8_t)rl_clamp_s32(*row, low, high);
    }
}

// Three rows times all channels. Rows, and their outputs, may be the same.
static __attribute__((noinline)) void rl_matmul_three_rows(const struct rl_matmul *m,
                                                           const int8_t *const rows[RL_MATMUL_ROWS],
                                                           int8_t *const outputs[RL_MATMUL_ROWS])
{
    // The most words are needed for one value less: three of them take a word each, not two together.
    uint32_t values[(RL_EXPANDED_DEPTH / 2 + 1) * RL_MATMUL_ROWS];
    int32_t sums[RL_CHANNEL_BLOCK * RL_MATMUL_ROWS];
    const int32_t parts = (m->depth + RL_EXPANDED_DEPTH - 1) / RL_EXPANDED_DEPTH;
    const int32_t part = ((m->depth + parts - 1) / parts + 15) & ~15;
    for (int32_t at = 0; at < m->depth; at += part) {
        const int32_t count = rl_min_s32(part, m->depth - at);
        for (int32_t row = 0; row < RL_MATMUL_ROWS; row++) {
            rl_expand_row(rows[row] + at, count, values + row);
        }
        struct rl_dot_3x2 job = {.values = values,
                                 .filter_step = m->depth,
                                 .filter = m->filter + at,
                                 .bias = at == 0 ? m->bias : NULL,
                                 .scale = m->scale,
                                 .output = {outputs[0], outputs[1], outputs[2]},
                                 .sums = m->simple && at + count == m->depth ? NULL : sums,
                                 .fours = count >> 2,
                                 .rest = count & 3};
        rl_matmul_part(m, &job, sums);
    }
    const int32_t done = m->simple ? m->channels & ~1 : 0;
    const bool open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    for (int32_t row = 0; row < RL_MATMUL_ROWS; row++) {
        if (!open) {
            rl_clamp_row(outputs[row], done, m->output_min, m->output_max);
        }
        for (int32_t channel = done; channel < m->channels; channel++) {
            const int32_t sum = sums[(channel / 2) * 6 + (channel & 1) * 3 + row];
            outputs[row][channel] = rl_matmul_output(m, channel, sum);
        }
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        // A row that is missing repeats the one before.
        const int32_t second = row_count > 1 ? 1 : 0;
        const int32_t third = row_count > 2 ? 2 : second;
        const int8_t *const three_rows[] = {rows, rows + second * row_stride, rows + third * row_stride};
        int8_t *const outputs[] = {output, output + second * output_stride, output + third * output_stride};
        rl_matmul_three_rows(m, three_rows, outputs);
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
