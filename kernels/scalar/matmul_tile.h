// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters: the inner tile of convolution. See convolution/matmul.h for the contract.
//
// Four rows at a time are packed into words, two rows to a word, once for all channels: see scalar/packed_rows.h.
#ifndef RL_KERNELS_SCALAR_MATMUL_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "scalar/packed_rows.h"
#include "scalar/rescale_tile.h"

#include RL_HOST_LOOP(matmul)

enum { RL_MATMUL_ROWS = RL_PACKED_ROWS, RL_MATMUL_SCALE_BYTES = (int32_t)sizeof(struct rl_rescale) };

// The bytes of the sums of a row of outputs and of the packed values.
static inline int32_t rl_matmul_tile_bytes(int32_t depth, int32_t channels)
{
    return channels * (int32_t)sizeof(struct rl_packed_sums) + rl_packed_bytes(depth);
}

// The sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
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

static inline void rl_packed_store(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                   const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    if (m->simple && rl_packed_store_simple(m, sums, offsets, output)) {
        return;
    }
    for (int32_t channel = 0; channel < m->channels; channel++, sums++, output++) {
        for (int32_t word = 0; word < 2; word++) {
            output[offsets[2 * word]] = rl_matmul_output(m, channel, rl_packed_first(sums, word));
            output[offsets[2 * word + 1]] = rl_matmul_output(m, channel, rl_packed_second(sums, word));
        }
    }
}

// Multiplies up to four rows by all channels.
static inline void rl_matmul_four_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows, int8_t *output)
{
    if (rl_host_four_rows(m, rows, output)) {
        return;
    }
    struct rl_packed_sums *sums = m->work;
    for (int32_t channel = 0; channel < m->channels; channel++) {
        sums[channel] = rl_packed_start(m->bias[channel], (m->depth + 1) / 2);
    }
    rl_packed_rows_multiply(rows, m->filter, m->depth, sums, m->channels, (uint32_t *)(sums + m->channels));
    rl_packed_store(m, sums, rows->output, output);
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        struct rl_packed_rows four;
        rl_packed_rows_start(&four, rows, row_stride, row_count, output_stride);
        rl_matmul_four_rows(m, &four, output);
        rows += RL_MATMUL_ROWS * row_stride;
        output += RL_MATMUL_ROWS * output_stride;
    }
}

#endif
