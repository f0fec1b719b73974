// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution along int16 planes with SMLAD, two taps at a time. See scalar/plane_nest.h for the
// contract.
//
// Values are read as aligned words. An output at an even position multiplies them with (w0, w1) (w2, w3) ...,
// one at an odd position with (0, w0) (w1, w2) ...: both are prepared, side by side.
#ifndef RL_KERNELS_DSP_PLANE_TILE_H
#define RL_KERNELS_DSP_PLANE_TILE_H

#include "dsp/plane_rows.h"
#include "dsp/rescale_tile.h"
#include "dsp/simd.h"
#include "scalar/plane_channels.h"

// Pairs of weights in a filter row, in the longer of the two forms.
static inline int32_t rl_plane_pairs(int32_t columns)
{
    return columns / 2 + 1;
}

static inline int32_t rl_plane_words(int32_t columns)
{
    return 2 * rl_plane_pairs(columns);
}

static inline void rl_plane_weights(const int8_t *filter, const struct rl_plane_axes *axes, uint32_t *weights)
{
    const int32_t columns = axes->along.taps;
    const ptrdiff_t step = axes->along.filter_step;
    const int32_t pairs = rl_plane_pairs(columns);
    for (int32_t row = 0; row < axes->across.taps; row++, filter += axes->across.filter_step) {
        int32_t before = 0;
        for (int32_t pair = 0; pair < pairs; pair++, weights += 2) {
            const int32_t column = 2 * pair;
            const int32_t first = column < columns ? filter[column * step] : 0;
            const int32_t second = column + 1 < columns ? filter[(column + 1) * step] : 0;
            weights[0] = (uint16_t)first | (uint32_t)second << 16;
            weights[1] = (uint16_t)before | (uint32_t)first << 16;
            before = second;
        }
    }
}

static inline void rl_plane_store_pair(int16_t *to, uint32_t pair)
{
    memcpy(__builtin_assume_aligned(to, 4), &pair, sizeof pair);
}

// One pixel; `plane` may be at either half of a word.
static inline void rl_plane_expand_one(const int8_t *pixel, int16x2_t offsets, int16_t *plane, int32_t pitch)
{
    const uint32_t values = rl_load_s8x4(pixel);
    const uint32_t even = (uint32_t)rl_even_s16_add(offsets, values);
    const uint32_t odd = (uint32_t)rl_odd_s16_add(offsets, values);
    plane[0] = (int16_t)even;
    plane[pitch] = (int16_t)odd;
    plane[2 * pitch] = (int16_t)(even >> 16);
    plane[3 * pitch] = (int16_t)(odd >> 16);
}

static inline void rl_plane_expand_values(const int8_t *pixels, ptrdiff_t step, int32_t count, int16_t offset,
                                          int16_t *plane, int32_t pitch)
{
    const int16x2_t offsets = (int16x2_t)((uint16_t)offset * UINT32_C(0x00010001));
    if (count > 0 && ((uintptr_t)plane & 2) != 0) {
        rl_plane_expand_one(pixels, offsets, plane, pitch);
        pixels += step;
        plane++;
        count--;
    }
    int16_t *upper = plane + 2 * pitch;
    for (; count > 1; count -= 2) {
        const uint32_t first = rl_load_s8x4(pixels);
        const uint32_t second = rl_load_s8x4(pixels + step);
        pixels += 2 * step;
        const uint32_t even_1 = (uint32_t)rl_even_s16_add(offsets, first);
        const uint32_t odd_1 = (uint32_t)rl_odd_s16_add(offsets, first);
        const uint32_t even_2 = (uint32_t)rl_even_s16_add(offsets, second);
        const uint32_t odd_2 = (uint32_t)rl_odd_s16_add(offsets, second);
        rl_plane_store_pair(plane, rl_pack_low(even_1, even_2));
        rl_plane_store_pair(plane + pitch, rl_pack_low(odd_1, odd_2));
        rl_plane_store_pair(upper, rl_pack_high(even_1, even_2));
        rl_plane_store_pair(upper + pitch, rl_pack_high(odd_1, odd_2));
        plane += 2;
        upper += 2;
    }
    if (count > 0) {
        rl_plane_expand_one(pixels, offsets, plane, pitch);
    }
}

static inline int16x2_t rl_plane_load(const int16_t *from)
{
    int16x2_t pair;
    memcpy(&pair, __builtin_assume_aligned(from, 4), sizeof pair);
    return pair;
}

// Four sums from `x` on; `pairs` and `stride` are constants where this is inlined for the common shapes.
static inline __attribute__((always_inline)) void rl_plane_four(const struct rl_plane_outputs *p,
                                                                const int16_t *x, int32_t pairs,
                                                                int32_t stride, int32_t sums[4])
{
    const uint32_t *weights = p->weights;
    const int32_t pitch = p->pitch;
    int32_t sum_0 = p->bias;
    int32_t sum_1 = sum_0;
    int32_t sum_2 = sum_0;
    int32_t sum_3 = sum_0;
    for (int32_t rows = p->filter_rows; rows > 0; rows--, x += pitch) {
        for (int32_t pair = 0; pair < pairs; pair++, weights += 2) {
            const int16_t *at = x + 2 * pair;
            const int16x2_t even = (int16x2_t)weights[0];
            const int16x2_t odd = (int16x2_t)weights[1];
            if (stride == 1) {
                sum_0 = __smlad(rl_plane_load(at), even, sum_0);
                sum_2 = __smlad(rl_plane_load(at + 2), even, sum_2);
                sum_1 = __smlad(rl_plane_load(at), odd, sum_1);
                sum_3 = __smlad(rl_plane_load(at + 2), odd, sum_3);
            } else {
                sum_0 = __smlad(rl_plane_load(at), even, sum_0);
                sum_1 = __smlad(rl_plane_load(at + 2), even, sum_1);
                sum_2 = __smlad(rl_plane_load(at + 4), even, sum_2);
                sum_3 = __smlad(rl_plane_load(at + 6), even, sum_3);
            }
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
    const int32_t pairs = rl_plane_pairs(p->filter_columns);
    const bool direct = p->sums == NULL;
    if (direct && pairs == 2 && p->filter_rows == 3) {
        rl_plane_3x3(p);
    } else if (direct && pairs == 3 && p->stride == 1) {
        rl_plane_wide(p);
    } else if (p->stride == 1) {
        rl_plane_rows_of(p, pairs, 1);
    } else {
        rl_plane_rows_of(p, pairs, 2);
    }
}

#endif
