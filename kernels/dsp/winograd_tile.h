// SPDX-License-Identifier: Apache-2.0
// The loops of Winograd's convolution (convolution/winograd.h). Two tiles at a time are transformed, wherever they lie,
// and multiplied with groups of four transformed filters.
#ifndef RL_KERNELS_DSP_WINOGRAD_TILE_H
#define RL_KERNELS_DSP_WINOGRAD_TILE_H

#include <string.h>

#include "convolution/winograd.h"
#include "dsp/dot_2x4_plain.h"
#include "dsp/dot_winograd.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/winograd_bytes.h"
#include "rushlight/kernels/convolution.h"
#include "scratch.h"

struct rl_winograd_work {
    const struct rl_convolution *layer;
    bool open; // the limits are those of int8
    int32_t *sums;
    struct rl_prepacked_channel *scale;
    uint32_t *values;
    int8_t *padded; // [4][4][channels], for tiles that reach beyond the image
};

// A tile's inputs: four rows of four pixels, which lie next to each other.
struct rl_winograd_inputs {
    const int8_t *first;
    ptrdiff_t line; // from row to row
};

// Two channels of the four pixels of a row.
struct rl_winograd_line {
    int16x2_t a, b, c, d;
};

static inline struct rl_winograd_line rl_winograd_load(const int8_t *at, ptrdiff_t pixel, int16x2_t (*expand)(uint32_t))
{
    const int8_t *const third = at + 2 * pixel;
    return (struct rl_winograd_line){expand(rl_load_s8x4(at)), expand(rl_load_s8x4(at + pixel)),
                                     expand(rl_load_s8x4(third)), expand(rl_load_s8x4(third + pixel))};
}

static inline struct rl_winograd_line rl_winograd_add(struct rl_winograd_line l, struct rl_winograd_line r)
{
    return (struct rl_winograd_line){__sadd16(l.a, r.a), __sadd16(l.b, r.b), __sadd16(l.c, r.c), __sadd16(l.d, r.d)};
}

static inline struct rl_winograd_line rl_winograd_subtract(struct rl_winograd_line l, struct rl_winograd_line r)
{
    return (struct rl_winograd_line){__ssub16(l.a, r.a), __ssub16(l.b, r.b), __ssub16(l.c, r.c), __ssub16(l.d, r.d)};
}

// Writes a row of a transformed tile: `l` times B. Returns the place of the next.
static inline uint32_t *rl_winograd_store(struct rl_winograd_line l, uint32_t *values, int32_t step)
{
    *values = (uint32_t)__ssub16(l.a, l.c);
    values += step;
    *values = (uint32_t)__sadd16(l.b, l.c);
    values += step;
    *values = (uint32_t)__ssub16(l.c, l.b);
    values += step;
    *values = (uint32_t)__ssub16(l.b, l.d);
    return values + step;
}

// Transforms two of four channels: those that `expand` takes from a word.
static inline __attribute__((always_inline)) void rl_winograd_transform_two(const int8_t *first, ptrdiff_t line,
                                                                            ptrdiff_t pixel, uint32_t *values,
                                                                            int32_t step, int16x2_t (*expand)(uint32_t))
{
    const struct rl_winograd_line second = rl_winograd_load(first + line, pixel, expand);
    const struct rl_winograd_line third = rl_winograd_load(first + 2 * line, pixel, expand);
    values = rl_winograd_store(rl_winograd_subtract(rl_winograd_load(first, pixel, expand), third), values, step);
    values = rl_winograd_store(rl_winograd_add(second, third), values, step);
    values = rl_winograd_store(rl_winograd_subtract(third, second), values, step);
    rl_winograd_store(rl_winograd_subtract(second, rl_winograd_load(first + 3 * line, pixel, expand)), values, step);
}

// Transforms a tile to every second word of `values`.
static __attribute__((noinline)) void rl_winograd_transform(const struct rl_winograd_inputs *inputs, int32_t channels,
                                                            uint32_t *values)
{
    const int8_t *first = inputs->first;
    const ptrdiff_t line = inputs->line;
    for (int32_t k = 0; k < channels; k += 4, first += 4, values += 4) {
        rl_winograd_transform_two(first, line, channels, values, channels, rl_even_s16);
        rl_winograd_transform_two(first, line, channels, values + 2, channels, rl_odd_s16);
    }
}

// The inputs of a tile, in place or with padding in a copy.
static __attribute__((noinline)) struct rl_winograd_inputs
rl_winograd_inputs_of(const struct rl_winograd_work *w, const int8_t *image, int32_t y, int32_t x)
{
    const struct rl_convolution *c = w->layer;
    const int32_t channels = c->input.c, line = c->input.w * channels;
    const int8_t padding = (int8_t)-c->input_offset;
    y -= c->padding.h;
    x -= c->padding.w;
    if (y >= 0 && x >= 0 && y <= c->input.h - 4 && x <= c->input.w - 4) {
        return (struct rl_winograd_inputs){image + (ptrdiff_t)y * line + x * channels, line};
    }
    int8_t *to = w->padded;
    const int32_t before = rl_clamp_s32(-x, 0, 4), present = rl_clamp_s32(c->input.w - x, 0, 4) - before;
    for (int32_t row = y; row < y + 4; row++, to += 4 * channels) {
        memset(to, padding, (size_t)(4 * channels));
        if (row >= 0 && row < c->input.h && present > 0) {
            memcpy(to + before * channels, image + (ptrdiff_t)row * line + (x + before) * channels,
                   (size_t)(present * channels));
        }
    }
    return (struct rl_winograd_inputs){w->padded, 4 * channels};
}

static inline int8_t rl_winograd_output(const struct rl_prepacked_channel *by, int32_t four_times,
                                        struct rl_limits_s8 limits, bool open)
{
    return rl_limit_s8(rl_rescale(by->scale, by->twice_bias + (four_times >> 1)), limits, open);
}

// Where the four outputs of a tile go. One that does not exist has the place of one that does, which is written later.
struct rl_winograd_outputs {
    int8_t *at[4];
};

// The sums of a row of positions times A.
struct rl_winograd_pair {
    int32_t left, right;
};

static inline struct rl_winograd_pair rl_winograd_row(const int32_t *sums, int32_t before)
{
    const int32_t first = sums[0], second = sums[RL_WINOGRAD_SUMS], third = sums[2 * RL_WINOGRAD_SUMS];
    const int32_t last = sums[3 * RL_WINOGRAD_SUMS];
    return (struct rl_winograd_pair){third - before, 2 * second - first - last};
}

// The outputs of a tile and a group of filters from their sums.
static inline __attribute__((always_inline)) void rl_winograd_inverse(const struct rl_prepacked_channel *scale,
                                                                      const int32_t *sums,
                                                                      struct rl_winograd_outputs outputs,
                                                                      struct rl_limits_s8 limits, bool open)
{
    for (const int32_t *const end = sums + RL_WINOGRAD_SUMS; sums < end; sums += 2, scale++) {
        enum { ROW = 4 * RL_WINOGRAD_SUMS };
        const struct rl_winograd_pair a = rl_winograd_row(sums, 0);
        const struct rl_winograd_pair b = rl_winograd_row(sums + ROW, sums[ROW - RL_WINOGRAD_SUMS]);
        const struct rl_winograd_pair c = rl_winograd_row(sums + 2 * ROW, sums[2 * ROW - RL_WINOGRAD_SUMS]);
        const struct rl_winograd_pair d = rl_winograd_row(sums + 3 * ROW, sums[3 * ROW - RL_WINOGRAD_SUMS]);
        const struct rl_prepacked_channel by = *scale;
        *outputs.at[3]++ = rl_winograd_output(&by, b.right - c.right - d.right, limits, open);
        *outputs.at[2]++ = rl_winograd_output(&by, b.left - c.left - d.left, limits, open);
        *outputs.at[1]++ = rl_winograd_output(&by, a.right + b.right + c.right, limits, open);
        *outputs.at[0]++ = rl_winograd_output(&by, a.left + b.left + c.left, limits, open);
    }
}

static __attribute__((noinline)) void rl_winograd_store_open(const struct rl_prepacked_channel *scale,
                                                             const int32_t *sums, struct rl_winograd_outputs outputs)
{
    rl_winograd_inverse(scale, sums, outputs, (struct rl_limits_s8){INT8_MIN, INT8_MAX}, true);
}

static __attribute__((noinline)) void rl_winograd_store_limited(const struct rl_prepacked_channel *scale,
                                                                const int32_t *sums, struct rl_winograd_outputs outputs,
                                                                const struct rl_range *range)
{
    rl_winograd_inverse(scale, sums, outputs, (struct rl_limits_s8){range->min, range->max}, false);
}

// Multiplies both tiles by all filters. Moves `outputs`.
static __attribute__((noinline)) void rl_winograd_multiply(const struct rl_winograd_work *w,
                                                           struct rl_winograd_outputs outputs[2])
{
    const struct rl_convolution *c = w->layer;
    struct rl_dot_winograd job = {w->values, (const uint32_t *)(const void *)c->weights, w->sums, c->input.c};
    for (int32_t channel = 0; channel < c->output.c; channel += RL_WINOGRAD_GROUP) {
        rl_dot_winograd(&job);
        for (int32_t tile = 0; tile < 2; tile++) {
            if (w->open) {
                rl_winograd_store_open(&w->scale[channel], w->sums + tile, outputs[tile]);
            } else {
                rl_winograd_store_limited(&w->scale[channel], w->sums + tile, outputs[tile], &c->range);
            }
            for (int32_t i = 0; i < 4; i++) {
                outputs[tile].at[i] += RL_WINOGRAD_GROUP;
            }
        }
    }
}

static struct rl_winograd_outputs rl_winograd_outputs_of(const struct rl_convolution *c, int8_t *image, int32_t y,
                                                         int32_t x)
{
    int8_t *const at = image + ((ptrdiff_t)y * c->output.w + x) * c->output.c;
    const ptrdiff_t right = x + 1 < c->output.w ? c->output.c : 0;
    const ptrdiff_t below = y + 1 < c->output.h ? (ptrdiff_t)c->output.w * c->output.c : 0;
    return (struct rl_winograd_outputs){{at, at + right, at + below, at + below + right}};
}

static void rl_winograd_image(const struct rl_winograd_work *w, const int8_t *input, int8_t *output)
{
    const struct rl_convolution *c = w->layer;
    struct rl_winograd_outputs outputs[2];
    struct rl_winograd_inputs inputs = {0};
    int32_t filled = 0;
    for (int32_t y = 0; y < c->output.h; y += 2) {
        for (int32_t x = 0; x < c->output.w; x += 2) {
            inputs = rl_winograd_inputs_of(w, input, y, x);
            rl_winograd_transform(&inputs, c->input.c, w->values + filled);
            outputs[filled] = rl_winograd_outputs_of(c, output, y, x);
            filled = 1 - filled;
            if (filled == 0) {
                rl_winograd_multiply(w, outputs);
            }
        }
    }
    if (filled != 0) { // the second tile is the one before, again
        rl_winograd_transform(&inputs, c->input.c, w->values + 1);
        outputs[1] = outputs[0];
        rl_winograd_multiply(w, outputs);
    }
}

// See rl_convolution_winograd_run.
static inline void rl_winograd_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                   struct rl_scratch scratch)
{
    const int32_t rounding = rl_rescale_rounding(c->output_offset);
    struct rl_winograd_work w = {.layer = c, .open = c->range.min <= INT8_MIN && c->range.max >= INT8_MAX};
    w.sums = scratch.memory;
    w.scale = (void *)((int8_t *)w.sums + RL_WINOGRAD_SUM_BYTES);
    w.values = (void *)(w.scale + c->output.c);
    w.padded = (int8_t *)(w.values + 16 * c->input.c);
    for (int32_t i = 0; i < c->output.c; i++) {
        w.scale[i].twice_bias = 2 * c->folded[i];
        w.scale[i].scale = rl_rescale_of(rounding, c->scales.multiplier[i], c->scales.shift[i]);
    }
    const ptrdiff_t input_bytes = (ptrdiff_t)c->input.h * c->input.w * c->input.c;
    const ptrdiff_t output_bytes = (ptrdiff_t)c->output.h * c->output.w * c->output.c;
    for (int32_t n = 0; n < c->input.n; n++) {
        rl_winograd_image(&w, input + n * input_bytes, output + n * output_bytes);
    }
}

#endif
