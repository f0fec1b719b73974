// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution along int16 planes in portable C. See scalar/plane_nest.h for the contract.
#ifndef RL_KERNELS_SCALAR_PLANE_TILE_H
#define RL_KERNELS_SCALAR_PLANE_TILE_H

#include <string.h>

#include "scalar/plane_channels.h"

// Words that the weights of one filter row take: one each.
static inline int32_t rl_plane_words(int32_t columns)
{
    return columns;
}

static inline void rl_plane_weights(const int8_t *filter, const struct rl_plane_axes *axes, uint32_t *weights)
{
    for (int32_t row = 0; row < axes->across.taps; row++) {
        const int8_t *from = filter + row * axes->across.filter_step;
        for (int32_t column = axes->along.taps; column > 0; column--, from += axes->along.filter_step) {
            *weights++ = (uint32_t)(int32_t)*from;
        }
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

// One tap of four outputs `stride` values apart.
static inline __attribute__((always_inline)) void rl_plane_tap(const int16_t *x, int32_t weight,
                                                               int32_t stride, int32_t sums[RL_PLANE_OUTPUTS])
{
    sums[0] += x[0] * weight;
    sums[1] += x[stride] * weight;
    sums[2] += x[2 * stride] * weight;
    sums[3] += x[3 * stride] * weight;
}

// Four sums from `x` on; `columns` and `stride` are constants where this is inlined for the common shapes.
static inline __attribute__((always_inline)) void rl_plane_four(const struct rl_plane_outputs *p,
                                                                const int16_t *x, int32_t columns,
                                                                int32_t stride,
                                                                int32_t sums[RL_PLANE_OUTPUTS])
{
    const int32_t *weights = (const int32_t *)p->weights;
    const int32_t pitch = p->pitch;
    const int32_t bias = p->bias;
    int32_t four[RL_PLANE_OUTPUTS] = {bias, bias, bias, bias};
    for (int32_t rows = p->filter_rows; rows > 0; rows--, x += pitch, weights += columns) {
        if (columns == 3) {
            rl_plane_tap(x, weights[0], stride, four);
            rl_plane_tap(x + 1, weights[1], stride, four);
            rl_plane_tap(x + 2, weights[2], stride, four);
            continue;
        }
        for (int32_t column = 0; column < columns; column++) {
            rl_plane_tap(x + column, weights[column], stride, four);
        }
    }
    sums[0] = four[0];
    sums[1] = four[1];
    sums[2] = four[2];
    sums[3] = four[3];
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
            if (left >= RL_PLANE_OUTPUTS) {
                out[0] = (int8_t)rl_saturate_s8(rl_rescale(scale, sums[0] * 2));
                out[step] = (int8_t)rl_saturate_s8(rl_rescale(scale, sums[1] * 2));
                out[2 * step] = (int8_t)rl_saturate_s8(rl_rescale(scale, sums[2] * 2));
                out[3 * step] = (int8_t)rl_saturate_s8(rl_rescale(scale, sums[3] * 2));
                out += RL_PLANE_OUTPUTS * step;
                continue;
            }
            for (int32_t i = 0; i < left; i++, out += step) {
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
