// SPDX-License-Identifier: Apache-2.0
// Depthwise blocks with Helium: eight int8 channels side by side, minus the input offset as padding; the
// offset itself is in the bias. Values and weights are widened by their loads to int16, products as they are
// made to int32, even and odd channels apart. See depthwise/planes.h for the contract.
#ifndef RL_KERNELS_MVE_PLANE_TILE_H
#define RL_KERNELS_MVE_PLANE_TILE_H

#include <arm_mve.h>

#include "depthwise/planes.h"
#include "mve/memory_tile.h"
#include "mve/requantize_mve.h"

enum {
    RL_PLANE_CHANNELS = 8,
    RL_PLANE_TAPS = 64, // of a filter, at most
};

// Eight channels, even and odd ones apart.
struct rl_plane_group {
    bool right_shifts_only;
    int32x4x2_t bias; // with the input offset folded in
    int32x4x2_t multiplier;
    int32x4x2_t shift;
    int8_t weights[RL_PLANE_TAPS * RL_PLANE_CHANNELS]; // [tap][channel]
};

static inline bool rl_plane_fits(const struct rl_depthwise *d)
{
    return d->filter_dims->h * d->filter_dims->w <= RL_PLANE_TAPS;
}

static inline void rl_plane_prepare(const struct rl_depthwise *d, int32_t first, struct rl_plane_group *g)
{
    const int32x4_t zero = vdupq_n_s32(0);
    const int16x8_t offset = vdupq_n_s16((int16_t)d->params->input_offset);
    g->bias.val[0] = zero;
    g->bias.val[1] = zero;
    if (d->bias != NULL) {
        g->bias = vld2q_s32(d->bias + first);
    }
    g->multiplier = vld2q_s32(d->quant->multiplier + first);
    g->shift = vld2q_s32(d->quant->shift + first);
    g->right_shifts_only = vmaxvq_s32(vmaxvq_s32(INT32_MIN, g->shift.val[0]), g->shift.val[1]) < 0;
    const int8_t *filter = d->filter + first;
    int8_t *to = g->weights;
    for (int32_t i = d->filter_dims->h * d->filter_dims->w; i > 0; i--, filter += d->channels, to += 8) {
        const int16x8_t weights = vldrbq_s16(filter);
        vstrbq_s16(to, weights);
        g->bias.val[0] = vaddq_s32(g->bias.val[0], vmullbq_int_s16(weights, offset));
        g->bias.val[1] = vaddq_s32(g->bias.val[1], vmulltq_int_s16(weights, offset));
    }
}

static inline void rl_plane_clear(struct rl_plane_block *b, const struct rl_depthwise *d)
{
    rl_fill_s8(b->bytes, (int8_t)-d->params->input_offset, b->lines * b->pitch * RL_PLANE_PIXEL_BYTES);
}

static inline void rl_plane_expand(struct rl_plane_block *b, const struct rl_depthwise *d,
                                   const int8_t *pixels, int32_t line, int32_t left, int32_t count)
{
    const ptrdiff_t step = d->input_dims->c;
    int8_t *to = b->bytes + (line * b->pitch + left) * RL_PLANE_PIXEL_BYTES;
    for (; count > 0; count--, pixels += step, to += RL_PLANE_PIXEL_BYTES) {
        vstrbq_s16(to, vldrbq_s16(pixels));
    }
}

// Scales the sums of the even and odd channels and stores all eight.
static inline __attribute__((always_inline)) void rl_plane_store(const struct rl_depthwise *d,
                                                                 const struct rl_plane_group *g,
                                                                 int32x4_t even, int32x4_t odd,
                                                                 bool right_shifts_only, int8_t *output)
{
    if (right_shifts_only) {
        even = rl_requantize_right_lanes_mve(even, g->multiplier.val[0], g->shift.val[0]);
        odd = rl_requantize_right_lanes_mve(odd, g->multiplier.val[1], g->shift.val[1]);
    } else {
        even = rl_requantize_lanes_mve(even, g->multiplier.val[0], g->shift.val[0]);
        odd = rl_requantize_lanes_mve(odd, g->multiplier.val[1], g->shift.val[1]);
    }
    int16x8_t value = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
    value = vqaddq_n_s16(value, (int16_t)d->params->output_offset);
    value = vmaxq_s16(value, vdupq_n_s16((int16_t)d->params->activation.min));
    value = vminq_s16(value, vdupq_n_s16((int16_t)d->params->activation.max));
    vstrbq_s16(output, value);
}

// Two positions side by side; `columns` and `stride` are constants where this is inlined for the common
// shapes.
static inline __attribute__((always_inline)) void
rl_plane_two(const struct rl_depthwise *d, const struct rl_plane_group *g, const int8_t *pixels,
             ptrdiff_t line_bytes, int32_t columns, int32_t stride, bool right_shifts_only, int8_t *output,
             int8_t *second)
{
    const int8_t *weights = g->weights;
    int32x4_t even_0 = g->bias.val[0];
    int32x4_t odd_0 = g->bias.val[1];
    int32x4_t even_1 = even_0;
    int32x4_t odd_1 = odd_0;
    for (int32_t row = d->filter_dims->h; row > 0; row--, pixels += line_bytes) {
        for (int32_t column = 0; column < columns; column++, weights += RL_PLANE_CHANNELS) {
            const int16x8_t w = vldrbq_s16(weights);
            const int16x8_t x_0 = vldrbq_s16(pixels + column * RL_PLANE_PIXEL_BYTES);
            even_0 = vaddq_s32(even_0, vmullbq_int_s16(x_0, w));
            odd_0 = vaddq_s32(odd_0, vmulltq_int_s16(x_0, w));
            const int16x8_t x_1 = vldrbq_s16(pixels + (column + stride) * RL_PLANE_PIXEL_BYTES);
            even_1 = vaddq_s32(even_1, vmullbq_int_s16(x_1, w));
            odd_1 = vaddq_s32(odd_1, vmulltq_int_s16(x_1, w));
        }
    }
    rl_plane_store(d, g, even_1, odd_1, right_shifts_only, second);
    rl_plane_store(d, g, even_0, odd_0, right_shifts_only, output);
}

static inline __attribute__((always_inline)) void
rl_plane_run_of(const struct rl_plane_block *b, const struct rl_depthwise *d, const struct rl_plane_group *g,
                int32_t rows, int32_t columns, int32_t filter_columns, int32_t stride, bool right_shifts_only,
                int8_t *output)
{
    const ptrdiff_t line_bytes = b->pitch * RL_PLANE_PIXEL_BYTES;
    const ptrdiff_t step = d->channels;
    for (int32_t row = 0; row < rows; row++, output += d->output_dims->w * step) {
        const int8_t *pixels = b->bytes + row * d->params->stride.h * line_bytes;
        int8_t *out = output;
        for (int32_t left = columns; left > 0; left -= 2, out += 2 * step) {
            // A position that is missing is stored first, under the other.
            int8_t *second = left > 1 ? out + step : out;
            rl_plane_two(d, g, pixels, line_bytes, filter_columns, stride, right_shifts_only, out, second);
            pixels += 2 * stride * RL_PLANE_PIXEL_BYTES;
        }
    }
}

static inline void rl_plane_run(const struct rl_plane_block *b, const struct rl_depthwise *d,
                                const struct rl_plane_group *g, int32_t rows, int32_t columns, int8_t *output)
{
    const int32_t stride = d->params->stride.w;
    const int32_t taps = d->filter_dims->w;
    if (!g->right_shifts_only) {
        rl_plane_run_of(b, d, g, rows, columns, taps, stride, false, output);
    } else if (taps == 3 && stride == 1) {
        rl_plane_run_of(b, d, g, rows, columns, 3, 1, true, output);
    } else if (taps == 3) {
        rl_plane_run_of(b, d, g, rows, columns, 3, 2, true, output);
    } else {
        rl_plane_run_of(b, d, g, rows, columns, taps, stride, true, output);
    }
}

#endif
