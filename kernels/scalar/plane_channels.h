// SPDX-License-Identifier: Apache-2.0
// The form of depthwise blocks that scalar and DSP cores share: four int16 planes, one per channel, with the
// input offset added and zeros as padding. Each channel is done by itself. See scalar/plane_nest.h for the
// contract; the tile that includes this one provides
// - rl_plane_words(columns): words that the prepared weights of a filter row take.
// - rl_plane_weights(filter, step, rows, columns, weights): prepares the weights filter[(r * columns + c) *
// step].
// - rl_plane_expand_values(pixels, step, count, offset, plane, pitch): channels 0-3 of `count` pixels, `step`
// bytes
//   apart, to plane[c * pitch + i].
// - rl_plane_outputs(p): the outputs of struct rl_plane_outputs.
#ifndef RL_KERNELS_SCALAR_PLANE_CHANNELS_H
#define RL_KERNELS_SCALAR_PLANE_CHANNELS_H

#include "depthwise/planes.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(memory_tile.h)
#include RL_TILE(rescale_tile.h)

enum {
    RL_PLANE_CHANNELS = 4,
    RL_PLANE_PIXEL_BYTES = 8,
    RL_PLANE_PIXELS = 256, // of a block
    RL_PLANE_OUTPUTS = 4,  // a tile may compute this many side by side, and so read beyond the last
    RL_PLANE_TILE = 24,    // outputs side by side in a block, at most
    RL_PLANE_SLACK = 2,    // pixels that a tile may read after those that the last output needs
    RL_PLANE_WEIGHTS = 32, // words per channel
};

// A block of the input.
struct rl_plane_block {
    int32_t columns; // outputs along a line, at most
    int32_t rows;    // outputs across, at most
    int32_t pitch;   // pixels per line, even
    int32_t lines;
    _Alignas(8) int8_t bytes[RL_PLANE_PIXELS * RL_PLANE_PIXEL_BYTES];
};

// A block of outputs of one channel. Sums are scaled by `scale`, saturated to int8 and stored; or, if sums is
// not NULL, left there: a single row of at most RL_PLANE_TILE.
struct rl_plane_outputs {
    const int16_t *plane;    // first value under the filter; aligned to 4 bytes
    const uint32_t *weights; // as rl_plane_weights made them
    int32_t pitch;           // values from one row of the plane to the next, even
    int32_t row_step;        // values from one row of outputs to the next, even
    int32_t filter_rows;
    int32_t filter_columns;
    int32_t stride; // along the plane: 1 or 2
    int32_t rows;
    int32_t columns;
    int32_t bias;
    struct rl_rescale scale;
    int8_t *output;
    ptrdiff_t output_step; // bytes from one output to the next
    ptrdiff_t output_row;  // and from one row to the next
    int32_t *sums;
};

struct rl_plane_group {
    int32_t first; // channel
    int32_t bias[RL_PLANE_CHANNELS];
    struct rl_rescale scale[RL_PLANE_CHANNELS];
    bool simple; // `scale` holds all four
    uint32_t weights[RL_PLANE_CHANNELS][RL_PLANE_WEIGHTS];
};

static inline int32_t rl_plane_words(int32_t columns);
static inline void rl_plane_weights(const int8_t *filter, const struct rl_plane_axes *axes,
                                    uint32_t *weights);
static inline void rl_plane_expand_values(const int8_t *pixels, ptrdiff_t step, int32_t count, int16_t offset,
                                          int16_t *plane, int32_t pitch);
static inline void rl_plane_outputs(const struct rl_plane_outputs *p);

static inline bool rl_plane_fits(const struct rl_plane_axes *axes)
{
    return axes->across.taps * rl_plane_words(axes->along.taps) <= RL_PLANE_WEIGHTS;
}

static inline void rl_plane_prepare(const struct rl_depthwise *d, const struct rl_plane_axes *axes,
                                    int32_t first, struct rl_plane_group *g)
{
    const int32_t limit = INT32_C(1) << 28;
    g->first = first;
    g->simple = true;
    for (int32_t i = 0; i < RL_PLANE_CHANNELS; i++) {
        const int32_t channel = first + i;
        g->bias[i] = d->bias != NULL ? d->bias[channel] : 0;
        g->simple = g->simple && g->bias[i] >= -limit && g->bias[i] <= limit &&
                    rl_rescale_init(d->params->output_offset, d->quant->multiplier[channel],
                                    d->quant->shift[channel], &g->scale[i]);
        rl_plane_weights(d->filter + channel, axes, g->weights[i]);
    }
}

static inline void rl_plane_clear(struct rl_plane_block *b, const struct rl_depthwise *d)
{
    (void)d;
    rl_fill_s8(b->bytes, 0, b->lines * b->pitch * RL_PLANE_PIXEL_BYTES);
}

static inline void rl_plane_expand(struct rl_plane_block *b, const struct rl_depthwise *d,
                                   const struct rl_plane_axes *axes, const int8_t *pixels, int32_t line,
                                   int32_t left, int32_t count)
{
    int16_t *planes = (int16_t *)(void *)b->bytes;
    rl_plane_expand_values(pixels, axes->along.input_step, count, (int16_t)d->params->input_offset,
                           planes + line * b->pitch + left, b->lines * b->pitch);
}

static inline void rl_plane_store_sums(const struct rl_depthwise *d, const struct rl_plane_group *g,
                                       int32_t channel, const int32_t *sums, int32_t count, ptrdiff_t step,
                                       int8_t *output)
{
    const cmsis_nn_activation *limits = &d->params->activation;
    const int32_t index = g->first + channel;
    for (int32_t i = 0; i < count; i++, output += step) {
        if (g->simple) {
            *output =
                (int8_t)rl_clamp_s32(rl_rescale(g->scale[channel], sums[i] * 2), limits->min, limits->max);
        } else {
            const int32_t scaled =
                rl_requantize(sums[i], d->quant->multiplier[index], d->quant->shift[index]);
            *output = rl_output_s8(scaled, d->params->output_offset, limits->min, limits->max);
        }
    }
}

static inline void rl_plane_run(const struct rl_plane_block *b, const struct rl_depthwise *d,
                                const struct rl_plane_axes *axes, const struct rl_plane_group *g,
                                int32_t rows, int32_t columns, int8_t *output)
{
    const struct rl_limits_s8 limits = {d->params->activation.min, d->params->activation.max};
    const int16_t *planes = (const int16_t *)(const void *)b->bytes;
    struct rl_plane_outputs p = {
        .pitch = b->pitch,
        .row_step = b->pitch * axes->across.stride,
        .filter_rows = axes->across.taps,
        .filter_columns = axes->along.taps,
        .stride = axes->along.stride,
        .columns = columns,
        .output_step = axes->along.output_step,
        .output_row = axes->across.output_step,
    };
    int32_t sums[RL_PLANE_TILE];
    const bool direct = g->simple && rl_limits_are_open(limits);
    for (int32_t channel = 0; channel < RL_PLANE_CHANNELS; channel++) {
        p.plane = planes + channel * b->lines * b->pitch;
        p.weights = g->weights[channel];
        p.bias = g->bias[channel];
        p.scale = g->scale[channel];
        p.output = output + channel;
        if (direct) {
            p.rows = rows;
            rl_plane_outputs(&p);
            continue;
        }
        p.rows = 1;
        p.sums = sums;
        for (int32_t row = 0; row < rows; row++, p.plane += p.row_step, p.output += p.output_row) {
            rl_plane_outputs(&p);
            rl_plane_store_sums(d, g, channel, sums, columns, p.output_step, p.output);
        }
    }
}

#endif
