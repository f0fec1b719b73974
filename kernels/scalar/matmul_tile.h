// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters: the inner tile of convolution. See convolution/matmul.h for the contract.
//
// A few rows at a time are packed into words, once for all channels: see scalar/packed_rows.h. Or a few filters are,
// once for all rows: see scalar/packed_filters.h.
#ifndef RL_KERNELS_SCALAR_MATMUL_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "scalar/dot_1x4.h"
#include "scalar/packed_filters.h"
#include "scalar/packed_rows.h"
#include "scalar/sum_words.h"

#include RL_HOST_LOOP(matmul)
#include RL_TILE(packed_s8_tile.h)
#include RL_TILE(rescale_tile.h)

enum { RL_MATMUL_ROWS = RL_PACKED_ROWS, RL_MATMUL_SCALE_BYTES = (int32_t)sizeof(struct rl_rescale) };

// The bytes of the sums of a row of outputs and of the packed values.
static inline int32_t rl_matmul_tile_bytes(int32_t depth, int32_t channels)
{
    return rl_packed_work_bytes(depth, channels);
}

static inline int32_t rl_matmul_begin_rows(struct rl_matmul *m, int32_t rows, int32_t input_offset)
{
    m->rows.part = (uint8_t)rl_packed_part(m->filter, m->depth, m->channels, rows);
    return input_offset;
}

// The sum of more int8 values than rl_sum_words takes. Not inlined, because fewer would save registers for it.
static __attribute__((noinline)) int32_t rl_sum_parts_s8(const int8_t *values, int32_t count)
{
    int32_t sum = 0;
    for (int32_t part; count > 0; count -= part, values += part) {
        part = count <= RL_SUM_WORDS_MOST ? count : RL_SUM_WORDS_MOST - RL_SUM_WORDS_LEAST; // leaves enough
        sum += rl_sum_words(values, part);
    }
    return sum;
}

// The sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    if (RL_HAS_SUM_WORDS && count >= RL_SUM_WORDS_LEAST) {
        return count <= RL_SUM_WORDS_MOST ? rl_sum_words(values, count) : rl_sum_parts_s8(values, count);
    }
    int32_t sum = 0;
    for (; count >= 4; count -= 4, values += 4) {
        sum += values[0] + values[1] + values[2] + values[3];
    }
    for (; count > 0; count--) {
        sum += *values++;
    }
    return sum;
}

#include RL_LOOP(packed_store)

// Scales, limits and stores the sums of `channels` channels from number `first` on.
static inline void rl_packed_store(const struct rl_matmul *m, int32_t first, int32_t channels,
                                   const struct rl_row_sums *sums, const struct rl_packed_rows *rows, int8_t *output)
{
    if (m->simple && rl_packed_store_simple(m, first, channels, sums, rows, output)) {
        return;
    }
    for (int32_t channel = first; channel < first + channels; channel++, sums++, output++) {
        for (int32_t row = 0; row < rows->count; row++) {
            output[rows->output[row]] = rl_matmul_output(m, channel, rl_row_sum(sums, row));
        }
    }
}

// Multiplies a row by all channels, four at a time: packed, it would take as long as four rows.
static __attribute__((noinline)) void rl_matmul_single_row(const struct rl_matmul *m, const int8_t *row, int8_t *output)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const int8_t *filter = m->filter;
    struct rl_dot_1x4 job; // the other fields are set for each four channels
    job.row = row;
    job.depth = m->depth;
    job.offset = 0;
    for (int32_t first = 0; first < m->channels; first += 4, filter += 4 * (ptrdiff_t)m->depth) {
        const int32_t count = rl_min_s32(m->channels - first, 4);
        rl_dot_few_filters(&job, filter, count, 0);
        for (int32_t i = 0; i < count; i++) {
            const int32_t channel = first + i, sum = job.sums[i] + m->bias[channel];
            output[channel] = m->simple ? rl_limit_s8(rl_rescale(m->scale[channel], sum * 2), limits, false)
                                        : rl_matmul_output(m, channel, sum);
        }
    }
}

// Multiplies up to RL_PACKED_ROWS rows by all channels.
static inline void rl_matmul_packed_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows, int8_t *output)
{
    if (rl_host_four_rows(m, rows, output)) {
        return;
    }
    if (RL_HAS_THUMB2_LOOP && !RL_SMALL && rows->count == 1) {
        rl_matmul_single_row(m, rows->row[0], output);
        return;
    }
    struct rl_row_sums *sums = m->work;
    const int32_t most = rl_packed_channels(m->rows.part, m->depth, m->channels);
    if (rl_packed_rows_outputs(m, rows, (uint32_t *)(sums + most), output)) {
        return;
    }
    for (int32_t first = 0; first < m->channels; first += most) {
        const int32_t channels = rl_min_s32(m->channels - first, most);
        const int32_t *bias = m->bias + first;
        if (!RL_PACKED_STARTS_SUMS) {
            rl_row_sums_begin(sums, bias, channels, m->depth);
            bias = NULL;
        }
        const int8_t *filter = m->filter + (ptrdiff_t)first * m->depth;
        rl_packed_rows_multiply(rows, m->rows.part, filter, m->depth, bias, sums, channels, (uint32_t *)(sums + most),
                                first == 0);
        rl_packed_store(m, first, channels, sums, rows, output + first);
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    if (rl_filters_run(m, rows, row_stride, row_count, output, output_stride)) {
        return;
    }
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        struct rl_packed_rows packed;
        rl_packed_rows_start(&packed, rows, row_stride, row_count, output_stride);
        rl_matmul_packed_rows(m, &packed, output);
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
