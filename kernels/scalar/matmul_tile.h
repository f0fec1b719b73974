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

// Scales the sums of four rows, limits and stores them. Takes only scales of struct rl_rescale. `open`, a constant,
// tells whether the limits are those of int8.
static inline __attribute__((always_inline)) void rl_packed_store_scaled(const struct rl_matmul *m,
                                                                         const struct rl_packed_sums *sums,
                                                                         const ptrdiff_t offsets[RL_PACKED_ROWS],
                                                                         int8_t *output, bool open)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const struct rl_rescale *scale = m->scale;
    const ptrdiff_t row_1 = offsets[1], row_2 = offsets[2], row_3 = offsets[3];
    for (int32_t channels = m->channels; channels > 0; channels--, sums++, scale++, output++) {
        const struct rl_rescale s = *scale;
        output[0] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 0) * 2), limits, open);
        output[row_1] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 0) * 2), limits, open);
        output[row_2] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 1) * 2), limits, open);
        output[row_3] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 1) * 2), limits, open);
    }
}

// Not inlined, because with limits there are more live values than registers.
static __attribute__((noinline)) void rl_packed_store_limited(const struct rl_matmul *m,
                                                              const struct rl_packed_sums *sums,
                                                              const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    rl_packed_store_scaled(m, sums, offsets, output, false);
}

static __attribute__((noinline)) void rl_packed_clamp(const struct rl_matmul *m,
                                                      const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    const int32_t low = m->output_min, high = m->output_max, channels = m->channels;
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        int8_t *to = output + offsets[row];
        int8_t *const end = to + channels;
        for (; to != end; to++) {
            *to = (int8_t)rl_clamp_s32(*to, low, high);
        }
    }
}

static inline void rl_packed_store(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                   const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    const bool open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    if (m->simple && !open && RL_HAS_THUMB2_LOOP && !RL_SMALL) {
        rl_packed_store_limited(m, sums, offsets, output);
        return;
    }
    if (m->simple && (open || !RL_SMALL)) {
        rl_packed_store_scaled(m, sums, offsets, output, true);
        if (!open) {
            rl_packed_clamp(m, offsets, output);
        }
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
