// SPDX-License-Identifier: Apache-2.0
// Depthwise blocks with Helium: eight int8 channels side by side, minus the input offset as padding; the
// offset itself is in the bias. Values and weights are widened by their loads to int16, products as they are
// made to int32, even and odd channels apart. See scalar/plane_nest.h for the contract.
#ifndef RL_KERNELS_MVE_PLANE_TILE_H
#define RL_KERNELS_MVE_PLANE_TILE_H

#include <arm_mve.h>

#include "depthwise/planes.h"
#include "mve/memory_tile.h"
#include "mve/requantize_mve.h"

enum {
    RL_PLANE_CHANNELS = 8,
    RL_PLANE_TAPS = 64, // of a filter, at most
    RL_PLANE_PIXEL_BYTES = 8,
    RL_PLANE_PIXELS = 256, // of a block
    RL_PLANE_OUTPUTS = 4,  // a block has room for the inputs of this many side by side
    RL_PLANE_TILE = 24,    // outputs side by side in a block, at most
    RL_PLANE_SLACK = 2,    // pixels that the tile may read after those that the last output needs
};

// A block of the input.
struct rl_plane_block {
    int32_t columns; // outputs along a line, at most
    int32_t rows;    // outputs across, at most
    int32_t pitch;   // pixels per line, even
    int32_t lines;
    _Alignas(8) int8_t bytes[RL_PLANE_PIXELS * RL_PLANE_PIXEL_BYTES];
};

// Eight channels, even and odd ones apart.
struct rl_plane_group {
    bool simple; // shifts to the right only, and limits of int8
    int16_t output_offset;
    int32x4x2_t bias; // with the input offset folded in
    int32x4x2_t multiplier;
    int32x4x2_t shift;
    int8_t weights[RL_PLANE_TAPS * RL_PLANE_CHANNELS]; // [tap][channel]
};

static inline bool rl_plane_fits(const struct rl_plane_axes *axes)
{
    return axes->across.taps * axes->along.taps <= RL_PLANE_TAPS;
}

static inline void rl_plane_prepare(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                                    int32_t first, struct rl_plane_group *g)
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
    const cmsis_nn_activation *limits = &d->params->activation;
    g->simple = vmaxvq_s32(vmaxvq_s32(INT32_MIN, g->shift.val[0]), g->shift.val[1]) < 0 &&
                limits->min <= INT8_MIN && limits->max >= INT8_MAX;
    g->output_offset = (int16_t)d->params->output_offset;
    int8_t *to = g->weights;
    for (int32_t row = 0; row < axes->across.taps; row++) {
        const int8_t *filter = d->filter + first + row * axes->across.filter_step;
        for (int32_t i = axes->along.taps; i > 0;
             i--, filter += axes->along.filter_step, to += RL_PLANE_CHANNELS) {
            const int16x8_t weights = vldrbq_s16(filter);
            vstrbq_s16(to, weights);
            g->bias.val[0] = vaddq_s32(g->bias.val[0], vmullbq_int_s16(weights, offset));
            g->bias.val[1] = vaddq_s32(g->bias.val[1], vmulltq_int_s16(weights, offset));
        }
    }
}

static inline void rl_plane_clear(struct rl_plane_block *b, const struct rl_depthwise *d)
{
    rl_fill_s8(b->bytes, (int8_t)-d->params->input_offset, b->lines * b->pitch * RL_PLANE_PIXEL_BYTES);
}

static inline void rl_plane_expand(struct rl_plane_block *b, const struct rl_depthwise *d,
                                   const struct rl_plane_axes *axes, const int8_t *pixels, int32_t line,
                                   int32_t left, int32_t count)
{
    (void)d;
    const ptrdiff_t step = axes->along.input_step;
    int8_t *to = b->bytes + (line * b->pitch + left) * RL_PLANE_PIXEL_BYTES;
    for (; count > 0; count--, pixels += step, to += RL_PLANE_PIXEL_BYTES) {
        vstrbq_s16(to, vldrbq_s16(pixels));
    }
}

// Scales the sums of the even and odd channels and stores all eight. `simple` is a constant where this is
// inlined.
static inline __attribute__((always_inline)) void rl_plane_store(const struct rl_depthwise *d,
                                                                 const struct rl_plane_group *g,
                                                                 int32x4_t even, int32x4_t odd, bool simple,
                                                                 int8_t *output)
{
    const int32x4x2_t sums = {{even, odd}};
    int16x8_t value = rl_requantize_eight_mve(sums, &g->multiplier, &g->shift, simple, g->output_offset);
    if (simple) {
        value = vreinterpretq_s16_s8(vqmovnbq_s16(vuninitializedq_s8(), value));
    } else {
        value = vmaxq_s16(value, vdupq_n_s16((int16_t)d->params->activation.min));
        value = vminq_s16(value, vdupq_n_s16((int16_t)d->params->activation.max));
    }
    vstrbq_s16(output, value);
}

// Sums of two positions side by side, even and odd channels.
struct rl_plane_sums {
    int32x4_t even_0;
    int32x4_t odd_0;
    int32x4_t even_1;
    int32x4_t odd_1;
};

// Keeps an addition, and the loads after it, where they are written: moved, they would need more than the
// eight vector registers, and products would no longer overlap with the rest.
#define RL_PLANE_KEEP(sum) __asm__ volatile("" : "+w"(sum) : : "memory")

// One tap of the first position, and of the second.
static inline __attribute__((always_inline)) void rl_plane_tap_0(struct rl_plane_sums *s, int16x8_t x,
                                                                 int16x8_t w)
{
    s->even_0 = vaddq_s32(s->even_0, vmullbq_int_s16(x, w));
    RL_PLANE_KEEP(s->even_0);
    s->odd_0 = vaddq_s32(s->odd_0, vmulltq_int_s16(x, w));
    RL_PLANE_KEEP(s->odd_0);
}

static inline __attribute__((always_inline)) void rl_plane_tap_1(struct rl_plane_sums *s, int16x8_t x,
                                                                 int16x8_t w)
{
    s->even_1 = vaddq_s32(s->even_1, vmullbq_int_s16(x, w));
    RL_PLANE_KEEP(s->even_1);
    s->odd_1 = vaddq_s32(s->odd_1, vmulltq_int_s16(x, w));
    RL_PLANE_KEEP(s->odd_1);
}

// One tap of both positions. With stride 1 the pixel of the second is the next one of the first, `x`.
static inline __attribute__((always_inline)) int16x8_t rl_plane_tap(struct rl_plane_sums *s,
                                                                    const int8_t *weights,
                                                                    const int8_t *pixels, int32_t stride,
                                                                    int16x8_t x)
{
    const int16x8_t w = vldrbq_s16(weights);
    if (stride != 1) {
        x = vldrbq_s16(pixels);
    }
    rl_plane_tap_0(s, x, w);
    x = vldrbq_s16(pixels + stride * 8);
    rl_plane_tap_1(s, x, w);
    return x;
}

// One filter row; `columns` and `stride` are constants where this is inlined for the common shapes.
static inline __attribute__((always_inline)) void rl_plane_filter_row(struct rl_plane_sums *s,
                                                                      const int8_t *pixels,
                                                                      const int8_t *weights, int32_t columns,
                                                                      int32_t stride)
{
    int16x8_t x = vldrbq_s16(pixels);
    if (columns == 3 || columns == 5) {
        x = rl_plane_tap(s, weights, pixels, stride, x);
        x = rl_plane_tap(s, weights + 8, pixels + 8, stride, x);
        x = rl_plane_tap(s, weights + 16, pixels + 16, stride, x);
        if (columns == 5) {
            x = rl_plane_tap(s, weights + 24, pixels + 24, stride, x);
            rl_plane_tap(s, weights + 32, pixels + 32, stride, x);
        }
        return;
    }
    for (int32_t column = columns; column > 0; column--, pixels += 8, weights += 8) {
        x = rl_plane_tap(s, weights, pixels, stride, x);
    }
}

static inline __attribute__((always_inline)) void
rl_plane_run_of(const struct rl_plane_block *b, const struct rl_depthwise *d,
                const struct rl_plane_axes *axes, const struct rl_plane_group *g, int32_t rows,
                int32_t columns, int32_t filter_columns, int32_t stride, bool simple, int8_t *output)
{
    const ptrdiff_t line_bytes = b->pitch * RL_PLANE_PIXEL_BYTES;
    const ptrdiff_t row_bytes = axes->across.stride * line_bytes;
    const ptrdiff_t step = axes->along.output_step;
    const ptrdiff_t output_row = axes->across.output_step;
    const int32_t filter_rows = axes->across.taps;
    const int8_t *first = b->bytes;
    for (; rows > 0; rows--, output += output_row, first += row_bytes) {
        const int8_t *pixels = first;
        int8_t *out = output;
        for (int32_t left = columns; left > 0; left -= 2, out += 2 * step) {
            struct rl_plane_sums s = {g->bias.val[0], g->bias.val[1], g->bias.val[0], g->bias.val[1]};
            const int8_t *line = pixels;
            const int8_t *weights = g->weights;
            for (int32_t row = filter_rows; row > 0; row--) {
                rl_plane_filter_row(&s, line, weights, filter_columns, stride);
                line += line_bytes;
                weights += filter_columns * RL_PLANE_CHANNELS;
            }
            // A second position that is missing is stored first, under the other.
            rl_plane_store(d, g, s.even_1, s.odd_1, simple, left > 1 ? out + step : out);
            rl_plane_store(d, g, s.even_0, s.odd_0, simple, out);
            pixels += 2 * stride * RL_PLANE_PIXEL_BYTES;
        }
    }
}

static inline void rl_plane_run(const struct rl_plane_block *b, const struct rl_depthwise *d,
                                const struct rl_plane_axes *axes, const struct rl_plane_group *g,
                                int32_t rows, int32_t columns, int8_t *output)
{
    const int32_t stride = axes->along.stride;
    const int32_t taps = axes->along.taps;
    if (!g->simple) {
        rl_plane_run_of(b, d, axes, g, rows, columns, taps, stride, false, output);
    } else if (taps == 3 && stride == 1) {
        rl_plane_run_of(b, d, axes, g, rows, columns, 3, 1, true, output);
    } else if (taps == 3) {
        rl_plane_run_of(b, d, axes, g, rows, columns, 3, 2, true, output);
    } else if (taps == 5 && stride == 1) {
        rl_plane_run_of(b, d, axes, g, rows, columns, 5, 1, true, output);
    } else {
        rl_plane_run_of(b, d, axes, g, rows, columns, taps, stride, true, output);
    }
}

#endif
