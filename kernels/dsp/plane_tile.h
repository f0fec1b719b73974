// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with SMLAD, two lines of the filter at a time. See depthwise/planes.h for the contract.
//
// A block holds int16 values: the input plus its offset, and zeros as padding. A word holds the values of one channel
// and column in lines 2i (low half) and 2i + 1. Four words, one a channel, make a pixel. Weights have the same form.
// Two sets of weights are prepared: from line 0 on for output rows that begin at an even line, from line 1 on for
// others.
#ifndef RL_KERNELS_DSP_PLANE_TILE_H
#define RL_KERNELS_DSP_PLANE_TILE_H

#include "dsp/expand_row.h"
#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/plane_rows.h"
#include "dsp/plane_sizes.h"
#include "dsp/simd.h"
#include "elementwise/rescale.h"
#include "scalar/plane_block.h"

// Whether channels of a group may share a channel of the input or be fewer than four, and whether they may shift left.
enum { RL_PLANE_SHARES = RL_PLANE_ALL_LAYERS && !RL_SMALL, RL_PLANE_SHIFTS_LEFT = RL_PLANE_SHARES };

// The channels of the input, from that of the first one on, that the first `count` channels of a group read.
struct rl_plane_inputs {
    int8_t count;
    int8_t of[RL_PLANE_CHANNELS];
};

struct rl_plane_group {
    int32_t bias[RL_PLANE_CHANNELS];
    struct rl_rescale scale[RL_PLANE_CHANNELS];
    uint32_t *weights[2]; // for the upper and the lower row of outputs
    struct rl_plane_inputs inputs;
    enum rl_plane_shape shape;
    int32_t done; // the first channels that were run before
};

static inline void rl_plane_place_group(const struct rl_plane_axes *axes, uint32_t *memory, uint32_t *end,
                                        struct rl_plane_group *g)
{
    g->weights[0] = memory;
    g->weights[1] = end - rl_plane_row_words(axes);
    g->shape = rl_plane_shape_of(axes);
}

// Lines of four int8 channels, with the padding and offsets that make them values of a block.
struct rl_plane_source {
    const struct rl_plane_inputs *inputs; // NULL for the channels 0 to 3
    const int8_t *pixels;                 // the first pixel that is not padding
    ptrdiff_t pixel_step;                 // bytes, like `line_step`
    ptrdiff_t line_step;
    const struct rl_plane_span *lines;
    const struct rl_plane_span *columns;
    int16_t dilation; // lines of the block from one line to the next
    int16_t offset;
};

static inline int16x2_t rl_plane_offsets(const struct rl_plane_source *s)
{
    return (int16x2_t)(rl_repeat_s16x2(s->offset));
}

static inline uint32_t *rl_plane_expand_zeros(uint32_t *to, int32_t pixels)
{
    for (int32_t i = pixels; i > 0; i--, to += RL_PLANE_CHANNELS) {
        to[0] = 0;
        to[1] = 0;
        to[2] = 0;
        to[3] = 0;
    }
    return to;
}

// Expands a line whose neighbour is padding; `shift` is 0 for an upper line, 16 for a lower one.
static inline uint32_t *rl_plane_expand_one(const struct rl_plane_source *s, const int8_t *line, uint32_t shift,
                                            uint32_t *to)
{
    const int16x2_t offsets = rl_plane_offsets(s);
    for (int32_t i = s->columns->inside; i > 0; i--, line += s->pixel_step, to += RL_PLANE_CHANNELS) {
        const uint32_t even = (uint32_t)rl_even_s16_add(offsets, rl_load_s8x4(line));
        const uint32_t odd = (uint32_t)rl_odd_s16_add(offsets, rl_load_s8x4(line));
        to[0] = (uint32_t)(uint16_t)even << shift;
        to[1] = (uint32_t)(uint16_t)odd << shift;
        to[2] = even >> 16 << shift;
        to[3] = odd >> 16 << shift;
    }
    return to;
}

// One channel of the input in two lines of a block, and its distances from pixel to pixel.
struct rl_plane_channel_lines {
    const int8_t *low, *high;
    ptrdiff_t low_step, high_step;
    int32_t pixels;
    int16x2_t offsets;
};

// Expands it for as many channels that read it: 1, 2 or 4.
static inline __attribute__((always_inline)) void rl_plane_expand_for(const struct rl_plane_channel_lines *l,
                                                                      int32_t readers, uint32_t *to)
{
    const int8_t *low = l->low, *high = l->high;
    const ptrdiff_t low_step = l->low_step, high_step = l->high_step;
    const int16x2_t offsets = l->offsets;
    for (int32_t i = l->pixels; i > 0; i--, to += RL_PLANE_CHANNELS) {
        const uint32_t pair = (uint16_t)*low | (uint32_t)*high << 16;
        const uint32_t values = (uint32_t)__sadd16((int16x2_t)pair, offsets);
        low += low_step;
        high += high_step;
        to[0] = values;
        if (readers > 1) {
            to[1] = values;
        }
        if (readers > 2) {
            to[2] = values;
            to[3] = values;
        }
    }
}

// These functions are not inlined, because the loop around them would take their registers.
static __attribute__((noinline)) void rl_plane_expand_for_one(const struct rl_plane_channel_lines *l, uint32_t *to)
{
    rl_plane_expand_for(l, 1, to);
}

static __attribute__((noinline)) void rl_plane_expand_for_two(const struct rl_plane_channel_lines *l, uint32_t *to)
{
    rl_plane_expand_for(l, 2, to);
}

static __attribute__((noinline)) void rl_plane_expand_for_four(const struct rl_plane_channel_lines *l, uint32_t *to)
{
    rl_plane_expand_for(l, 4, to);
}

// The same for a pair of lines whose channels lie elsewhere or are fewer, or for one line; the other is NULL.
static __attribute__((noinline)) uint32_t *rl_plane_expand_inputs(const struct rl_plane_source *s, const int8_t *upper,
                                                                  const int8_t *lower, uint32_t *to)
{
    const int8_t padding = (int8_t)-s->offset;
    const int32_t count = s->inputs->count, pixels = s->columns->inside;
    const int8_t *of = s->inputs->of;
    struct rl_plane_channel_lines l = {
        &padding, &padding, upper ? s->pixel_step : 0, lower ? s->pixel_step : 0, pixels, rl_plane_offsets(s)};
    for (int32_t i = 0, readers; i < count; i += readers) {
        l.low = upper ? upper + of[i] : &padding;
        l.high = lower ? lower + of[i] : &padding;
        if (i + 4 <= count && of[i + 3] == of[i]) {
            readers = 4;
            rl_plane_expand_for_four(&l, to + i);
        } else if (i + 2 <= count && of[i + 1] == of[i]) {
            readers = 2;
            rl_plane_expand_for_two(&l, to + i);
        } else {
            readers = 1;
            rl_plane_expand_for_one(&l, to + i);
        }
    }
    return to + pixels * RL_PLANE_CHANNELS;
}

// Expands pairs of lines with their padding. The pairs go to `to`, `pitch` words apart.
static __attribute__((noinline)) void rl_plane_expand_lines(const struct rl_plane_source *s, uint32_t *to,
                                                            int32_t pitch)
{
    const int8_t *from = s->pixels;
    const int32_t end = s->lines->before + s->lines->inside + s->lines->after;
    int32_t next = s->lines->before; // the block's line for `from`
    int32_t left = s->lines->inside;
    for (int32_t line = 0; line < end; line += 2, to += pitch) {
        const int8_t *rows[2] = {NULL, NULL};
        for (int32_t i = 0; i < 2; i++) {
            if (left > 0 && line + i == next) {
                rows[i] = from;
                from += s->line_step;
                next += s->dilation;
                left--;
            }
        }
        uint32_t *at = rl_plane_expand_zeros(to, s->columns->before);
        if (RL_PLANE_SHARES && s->inputs) {
            at = rl_plane_expand_inputs(s, rows[0], rows[1], at);
        } else if (rows[0] && rows[1]) {
            at = rl_expand_two_lines(rows[0], rows[1], s->columns->inside * s->pixel_step, s->pixel_step,
                                     (uint32_t)rl_plane_offsets(s), at);
        } else if (rows[0]) {
            at = rl_plane_expand_one(s, rows[0], 0, at);
        } else if (rows[1]) {
            at = rl_plane_expand_one(s, rows[1], 16, at);
        } else {
            at = rl_plane_expand_zeros(at, s->columns->inside);
        }
        rl_plane_expand_zeros(at, s->columns->after);
    }
}

// The channels of a group.
static inline int32_t rl_plane_channels(const struct rl_depthwise *d)
{
    return RL_PLANE_SHARES ? rl_min_s32(d->output.c, RL_PLANE_CHANNELS) : RL_PLANE_CHANNELS;
}

// Whether the channels of a group read others than four that follow each other.
static inline bool rl_plane_has_inputs(const struct rl_depthwise *d)
{
    return RL_PLANE_SHARES && (d->multiplier > 1 || d->output.c < RL_PLANE_CHANNELS);
}

enum { RL_PLANE_BIAS = 1 << 28 }; // half of the range of rl_rescale; the other half is for the products

// Prepares channel i of a group, which does not shift right, once its weights are copied: shifts its bias and weights
// left. Returns whether the loops take it.
static __attribute__((cold, noinline)) bool rl_plane_prepare_left(const struct rl_depthwise *d,
                                                                  const struct rl_plane_axes *axes, int32_t channel,
                                                                  int32_t i, const struct rl_plane_group *g,
                                                                  struct rl_rescale *scale, int32_t *bias)
{
    enum { MOST = 6 }; // the loops double weights of 16 bits
    const int32_t left = d->scales.shift[channel], offset = d->output_offset;
    if (left < 0 || left > MOST || *bias < -(RL_PLANE_BIAS >> left) || *bias > RL_PLANE_BIAS >> left ||
        !rl_rescale_init_left(offset, d->range.min, d->scales.multiplier[channel], scale)) {
        *scale = (struct rl_rescale){0, 0, 1};
        *bias = 0;
        return false;
    }
    *bias = rl_shift_left_s32(*bias, left);
    for (int32_t row = 0; row < 2; row++) {
        const uint32_t *end = g->weights[row] + rl_plane_row_words(axes);
        for (uint32_t *at = g->weights[row] + i; at < end; at += RL_PLANE_CHANNELS) {
            *at = (uint16_t)(*at << left) | (*at >> 16 << 16 << left);
        }
    }
    return true;
}

// Expands those weights of a 3x3 filter that rl_plane_set_3x3 reads.
static __attribute__((noinline)) void rl_plane_expand_3x3(const struct rl_plane_axes *axes, const int8_t *weights,
                                                          const struct rl_plane_group *g)
{
    const ptrdiff_t step = axes->along.filter_step, line = axes->across.filter_step;
    const int8_t *upper = weights, *lower = weights + line;
    uint32_t *to = g->weights[0];
    for (int32_t i = 0; i < 2; i++) {
        rl_expand_two_lines(upper, lower, 3 * step, step, 0, to);
        to = g->weights[1] + 3 * RL_PLANE_CHANNELS;
        lower += line;
        upper = g->shape == RL_PLANE_3X3_STRIDE_1 ? lower - line : lower;
    }
}

// Expands the weights of a group for both rows of outputs.
static inline void rl_plane_expand_weights(const struct rl_plane_axes *axes, const struct rl_plane_inputs *inputs,
                                           const int8_t *weights, const struct rl_plane_group *g)
{
    const int32_t taps = axes->along.taps;
    const struct rl_plane_span columns = {0, taps, 0};
    struct rl_plane_span lines = {0, axes->across.taps, 0};
    const struct rl_plane_source source = {inputs, weights,  axes->along.filter_step,        axes->across.filter_step,
                                           &lines, &columns, (int16_t)axes->across.dilation, 0};
    for (int32_t i = 0; i < 2; i++) {
        lines.before = i & axes->across.stride;
        lines.after = 2 * rl_plane_pairs(&axes->across) - lines.before - lines.inside;
        rl_plane_expand_lines(&source, g->weights[i], taps * RL_PLANE_CHANNELS);
    }
}

// Not inlined, which keeps its variables off the stack of the loops over the planes.
static __attribute__((noinline)) uint32_t rl_plane_prepare(const struct rl_depthwise *d,
                                                           const struct rl_plane_axes *axes, int32_t first,
                                                           struct rl_plane_group *g)
{
    const int32_t channels = rl_plane_channels(d);
    const int8_t *weights = d->weights + first;
    if (RL_PLANE_SHARES && channels < RL_PLANE_CHANNELS) {
        g->inputs = (struct rl_plane_inputs){(int8_t)channels, {0, 1, 2, 0}};
        rl_plane_expand_weights(axes, &g->inputs, weights, g);
    } else if (RL_PLANE_SHARES && (g->shape == RL_PLANE_3X3_STRIDE_1 || g->shape == RL_PLANE_3X3_STRIDE_2)) {
        rl_plane_expand_3x3(axes, weights, g);
    } else {
        rl_plane_expand_weights(axes, NULL, weights, g);
    }
    if (rl_plane_has_inputs(d)) {
        g->inputs.count = (int8_t)channels;
        for (int32_t i = 0; i < channels; i++) {
            g->inputs.of[i] = (int8_t)((first + i) / d->multiplier - first / d->multiplier);
        }
    }
    uint32_t others = 0, count = 0;
    for (int32_t i = 0; i < RL_PLANE_CHANNELS; i++) {
        const int32_t channel = first + i;
        if (RL_PLANE_SHARES && i == channels) {
            break;
        }
        g->bias[i] = d->bias ? d->bias[channel] : 0;
        if (g->bias[i] >= -RL_PLANE_BIAS && g->bias[i] <= RL_PLANE_BIAS &&
            rl_rescale_init(d->output_offset, d->scales.multiplier[channel], d->scales.shift[channel], &g->scale[i])) {
            continue;
        }
        if (!RL_PLANE_SHIFTS_LEFT) {
            return RL_PLANE_NONE;
        }
        if (!rl_plane_prepare_left(d, axes, channel, i, g, &g->scale[i], &g->bias[i])) {
            others |= UINT32_C(1) << i;
            count++;
        }
    }
    return count > RL_PLANE_CHANNELS / 2 ? RL_PLANE_NONE : others;
}

static inline void rl_plane_expand(struct rl_plane_block *b, const struct rl_depthwise *d,
                                   const struct rl_plane_axes *axes, const struct rl_plane_group *g,
                                   const int8_t *pixels)
{
    const struct rl_plane_source source = {rl_plane_has_inputs(d) ? &g->inputs : NULL,
                                           pixels,
                                           axes->along.input_step,
                                           axes->across.input_step,
                                           &b->lines,
                                           &b->pixels,
                                           1,
                                           (int16_t)d->input_offset};
    rl_plane_expand_lines(&source, b->words, RL_PLANE_LINE_WORDS);
}

// The limits four times.
struct rl_plane_limits {
    uint32_t low;
    uint32_t high;
};

static inline uint32_t rl_plane_limit_word(struct rl_plane_limits limits, uint32_t word)
{
    return rl_maximum_s8x4(rl_minimum_s8x4(word, limits.high), limits.low);
}

static inline struct rl_plane_limits rl_plane_limits_of(const struct rl_depthwise *d)
{
    return (struct rl_plane_limits){rl_repeat_s8x4(rl_max_s32(d->range.min, INT8_MIN)),
                                    rl_repeat_s8x4(rl_min_s32(d->range.max, INT8_MAX))};
}

static inline bool rl_plane_is_open(const struct rl_depthwise *d)
{
    return rl_limits_are_open((struct rl_limits_s8){d->range.min, d->range.max});
}

// Limits the outputs of a block, which were saturated to int8.
static inline void rl_plane_limit(const struct rl_plane_block *b, const struct rl_plane_axes *axes,
                                  struct rl_plane_limits limits, int8_t *output)
{
    for (int32_t rows = b->rows; rows > 0; rows--, output += axes->across.output_step) {
        int8_t *pixel = output;
        for (int32_t columns = b->columns; columns > 0; columns--, pixel += axes->along.output_step) {
            rl_store_word(pixel, rl_plane_limit_word(limits, rl_load_s8x4(pixel)));
        }
    }
}

// Limits all outputs, which takes less time once they lie side by side.
static inline void rl_plane_finish(const struct rl_depthwise *d, int8_t *output)
{
    if (!RL_PLANE_SHARES || rl_plane_is_open(d)) {
        return;
    }
    const struct rl_plane_limits limits = rl_plane_limits_of(d);
    int8_t *const end = output + d->output.n * rl_image_size(d->output);
    for (; end - output >= 16; output += 16) {
        uint32_t word_0 = rl_load_s8x4(output), word_1 = rl_load_s8x4(output + 4);
        uint32_t word_2 = rl_load_s8x4(output + 8), word_3 = rl_load_s8x4(output + 12);
        RL_KEEP("+r"(word_0), "+r"(word_1), "+r"(word_2), "+r"(word_3)); // loads side by side
        rl_store_word(output, rl_plane_limit_word(limits, word_0));
        rl_store_word(output + 4, rl_plane_limit_word(limits, word_1));
        rl_store_word(output + 8, rl_plane_limit_word(limits, word_2));
        rl_store_word(output + 12, rl_plane_limit_word(limits, word_3));
    }
    for (; end != output; output++) {
        *output = (int8_t)rl_clamp_s32(*output, d->range.min, d->range.max);
    }
}

static inline uint32_t rl_plane_double(uint32_t pair)
{
    return (uint32_t)__sadd16((int16x2_t)pair, (int16x2_t)pair);
}

// Sets the weights of a 3x3 filter, doubled like its bias: the first pair of lines of the upper row's weights and the
// second pair of the lower row's.
static inline void rl_plane_set_3x3(struct rl_plane_outputs *p, const uint32_t *upper, const uint32_t *lower)
{
    p->weights[0] = rl_plane_double(upper[0]);
    p->weights[1] = rl_plane_double(upper[4]);
    p->weight = rl_plane_double(upper[8]);
    p->weights[2] = rl_plane_double(lower[12]);
    p->weights[3] = rl_plane_double(lower[16]);
    p->weights[4] = rl_plane_double(lower[20]);
    p->bias *= 2;
}

static inline void rl_plane_run(const struct rl_plane_block *b, const struct rl_depthwise *d,
                                const struct rl_plane_axes *axes, const struct rl_plane_group *g, int8_t *output)
{
    const struct rl_plane_axis *along = &axes->along;
    const struct rl_plane_axis *across = &axes->across;
    const ptrdiff_t line_bytes = RL_PLANE_LINE_WORDS * 4;
    struct rl_plane_outputs p;
    p.shape = (int32_t)g->shape;
    p.output_step = 2 * across->output_step;
    rl_plane_set_columns(&p, b->columns, along->output_step);
    p.pixels_step = across->stride * line_bytes;
    p.pixel_right = along->stride * 16;
    p.pixel_down = (across->stride >> 1) * line_bytes;
    p.tap_step = along->dilation * 16;
    p.pairs = rl_plane_pairs(across);
    rl_plane_set_taps(&p, along->taps);
    p.line_step = line_bytes - p.tap_count * p.tap_step;
    const int32_t channels = rl_plane_channels(d);
    for (int32_t channel = g->done; channel < channels; channel++) {
        p.scale = g->scale[channel];
        p.bias = g->bias[channel];
        p.pixels = b->words + channel;
        p.output = output + channel;
        p.output_down = across->output_step;
        p.rows = b->rows;
        p.taps = g->weights[0] + channel;
        if (p.shape == RL_PLANE_3X3_STRIDE_1 || p.shape == RL_PLANE_3X3_STRIDE_2) {
            rl_plane_set_3x3(&p, p.taps, g->weights[1] + channel);
        }
        rl_plane_outputs(&p);
    }
    if (!RL_PLANE_SHARES && !rl_plane_is_open(d)) {
        rl_plane_limit(b, axes, rl_plane_limits_of(d), output);
    }
}

#endif
