// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution along int16 planes in portable C. See depthwise/planes.h for the contract.
#ifndef RL_KERNELS_SCALAR_PLANE_TILE_H
#define RL_KERNELS_SCALAR_PLANE_TILE_H

#include <string.h>

#include "scalar/plane_channels.h"

// Words that the weights of one filter row take: one each.
static inline int32_t rl_plane_words(int32_t columns)
{
    return columns;
}

static inline void rl_plane_weights(const int8_t *filter, ptrdiff_t step, int32_t rows, int32_t columns,
                                    uint32_t *weights)
{
    for (int32_t i = rows * columns; i > 0; i--, filter += step) {
        *weights++ = (uint32_t)(int32_t)*filter;
    }
}

static inline void rl_plane_expand_values(const int8_t *pixels, ptrdiff_t step, int32_t count, int16_t offset,
                                          int16_t *plane, int32_t pitch)
{
    for (; count > 0; count--, pixels += step, plane++) {
        plane[0] = (int16_t)(pixels[0] + offset);
        plane[pitch] = (int16_t)(pixels[1] + offset);
        plane[2 * pitch] = (int16_t)(pixels[2] + offset);
        plane[3 * pitch] = (int16_t)(pixels[3] + offset);
    }
}

// Four sums from `x` on; `columns` and `stride` are constants where this is inlined for the common shapes.
static inline __attribute__((always_inline)) void rl_plane_four(const struct rl_plane_outputs *p,
                                                                const int16_t *x, int32_t columns,
                                                                int32_t stride, int32_t sums[4])
{
    const uint32_t *weights = p->weights;
    const int32_t pitch = p->pitch;
    int32_t sum_0 = p->bias;
    int32_t sum_1 = sum_0;
    int32_t sum_2 = sum_0;
    int32_t sum_3 = sum_0;
    for (int32_t rows = p->filter_rows; rows > 0; rows--, x += pitch) {
        for (int32_t column = 0; column < columns; column++) {
            const int32_t weight = (int32_t)*weights++;
            sum_0 += x[column] * weight;
            sum_1 += x[column + stride] * weight;
            sum_2 += x[column + 2 * stride] * weight;
            sum_3 += x[column + 3 * stride] * weight;
        }
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

static inline __attribute__((always_inline)) void rl_plane_rows_of(const struct rl_plane_outputs *p,
                                                                   int32_t width, int32_t stride)
{
    const struct rl_rescale scale = p->scale;
    const ptrdiff_t step = p->output_step;
    const int16_t *line = p->plane;
    int8_t *out_row = p->output;
    for (int32_t rows = p->rows; rows > 0; rows--, line += p->row_step, out_row += p->output_row) {
        const int16_t *x = line;
        int8_t *out = out_row;
        for (int32_t left = p->columns; left > 0; left -= RL_PLANE_OUTPUTS, x += RL_PLANE_OUTPUTS * stride) {
            int32_t sums[RL_PLANE_OUTPUTS];
            rl_plane_four(p, x, width, stride, sums);
            if (p->sums != NULL) {
                memcpy(p->sums + (p->columns - left), sums, sizeof sums);
                continue;
            }
            for (int32_t i = 0; i < rl_min_s32(left, RL_PLANE_OUTPUTS); i++, out += step) {
                *out = (int8_t)rl_saturate_s8(rl_rescale(scale, sums[i] * 2));
            }
        }
    }
}

static inline void rl_plane_outputs(const struct rl_plane_outputs *p)
{
    if (p->filter_columns == 3 && p->stride == 1) {
        rl_plane_rows_of(p, 3, 1);
    } else if (p->filter_columns == 3) {
        rl_plane_rows_of(p, 3, 2);
    } else {
        rl_plane_rows_of(p, p->filter_columns, p->stride);
    }
}

#endif
