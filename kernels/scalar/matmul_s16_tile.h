// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters, with int16 results: the product of convolution/matmul.h, of which `output_offset`,
// `simple`, `scale` and what is for Helium are not read. `output_min` and `output_max` are limits of int16.
//
// Tile contract:
// - rl_matmul_outputs_s16(m, rows, count, output, output_stride): the outputs of 1 to RL_MATMUL_ROWS rows, whose
//   positions are `output_stride` elements apart. The first `count` rows are read, each `depth` bytes.
// - rl_matmul_sums(m, rows, count, output, output_stride, store): the same with another function that scales and stores
//   the sums of a channel. Not with Helium.
// - rl_matmul_s16_bytes(depth, channels): the bytes of the biases and, from rl_even(channels) of them on, of m->work.
//   The latter has room for a sum of each channel, too.
#ifndef RL_KERNELS_SCALAR_MATMUL_S16_TILE_H
#define RL_KERNELS_SCALAR_MATMUL_S16_TILE_H

#include "convolution/scale_s16.h"
#include "scalar/matmul_tile.h"

static inline int32_t rl_matmul_s16_bytes(int32_t depth, int32_t channels)
{
    return rl_even(channels) * (int32_t)sizeof(int32_t) + rl_matmul_tile_bytes(depth, channels);
}

static inline __attribute__((always_inline)) void rl_matmul_sums(const struct rl_matmul *m,
                                                                 const int8_t *const rows[RL_MATMUL_ROWS],
                                                                 int32_t count, void *output, ptrdiff_t output_stride,
                                                                 rl_store_sums *store)
{
    const int32_t most = rl_packed_channels(0, m->depth, m->channels);
    struct rl_packed_rows packed = {.count = count};
    struct rl_row_sums *sums = m->work;
    for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
        packed.row[i] = rows[rl_min_s32(i, count - 1)];
    }
    for (int32_t first = 0; first < m->channels; first += most) {
        const int32_t channels = rl_min_s32(m->channels - first, most);
        rl_packed_rows_multiply(&packed, 0, m->filter + (ptrdiff_t)first * m->depth, m->depth, m->bias + first, sums,
                                channels, (uint32_t *)(sums + most), first == 0);
        for (int32_t i = 0; i < channels; i++) {
            int32_t of_rows[RL_MATMUL_ROWS];
            for (int32_t row = 0; row < RL_MATMUL_ROWS; row++) {
                of_rows[row] = rl_row_sum(&sums[i], row);
            }
            store(m, first + i, of_rows, count, output, output_stride);
        }
    }
}

static inline void rl_matmul_outputs_s16(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS],
                                         int32_t count, int16_t *output, ptrdiff_t output_stride)
{
    rl_matmul_sums(m, rows, count, output, output_stride, rl_scale_sums_s16);
}

#endif
