// SPDX-License-Identifier: Apache-2.0
// The part of a pooling window that lies inside the image, and the walk over all windows.
#ifndef RL_KERNELS_POOLING_WINDOW_H
#define RL_KERNELS_POOLING_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/pooling.h"

// A number of pixels, 0 at first, and what a tile computed for it. Windows beside each other mostly have as many.
struct rl_pool_reciprocal {
    int32_t count;
    int32_t value;
};

// The pixels that a tile reduces: rows x columns of `channels` elements each. Rows are row_stride elements apart.
struct rl_pool_window {
    struct rl_pool_reciprocal *reciprocal; // of the window before, for cores without divide
    int32_t rows;
    int32_t columns;
    int32_t row_stride;
    int32_t channels;
    int32_t min;
    int32_t max;
    const struct rl_pool *layer;
};

// The sum of one int8 channel over a window of any size, for windows that no fast path takes.
static inline int32_t rl_sum_of_channel(const struct rl_pool_window *w, const int8_t *input)
{
    int32_t sum = 0;
    for (int32_t y = 0; y < w->rows; y++) {
        const int8_t *pixel = input + y * w->row_stride;
        for (int32_t x = 0; x < w->columns; x++) {
            sum += *pixel;
            pixel += w->channels;
        }
    }
    return sum;
}

// The average of one int8 channel, from its sum.
static inline int8_t rl_average_of_sum(const struct rl_pool_window *w, int32_t sum)
{
    const int32_t count = w->rows * w->columns;
    const int32_t rounded = sum > 0 ? sum + count / 2 : sum - count / 2;
    return (int8_t)rl_clamp_s32(rounded / count, w->min, w->max);
}

static inline int8_t rl_average_of_channel(const struct rl_pool_window *w, const int8_t *input)
{
    return rl_average_of_sum(w, rl_sum_of_channel(w, input));
}

// The start and length of the part of window `index` inside an axis of `size` elements. The length is 0 or less if
// there is no such part.
struct rl_pool_span {
    int32_t start;
    int32_t length;
};

static inline struct rl_pool_span rl_pool_span(int32_t index, int32_t stride, int32_t padding, int32_t window,
                                               int32_t size)
{
    const int32_t first = index * stride - padding;
    const int32_t start = first > 0 ? first : 0;
    const int32_t end = first + window < size ? first + window : size;
    return (struct rl_pool_span){start, end - start};
}

// Reduces one window. `input` points at its first element inside the image, `output` at the first channel.
typedef void rl_pool_tile(const struct rl_pool_window *window, const void *input, void *output);

// Walks over the windows of all images, whose elements have `element` bytes. Always inlined, so that the tile is, too.
__attribute__((always_inline)) static inline void rl_pool_each_window(const struct rl_pool *layer, int32_t element,
                                                                      rl_pool_tile *tile, const int8_t *input,
                                                                      int8_t *output)
{
    const struct rl_image *in = &layer->input;
    const struct rl_extent *stride = &layer->stride, *padding = &layer->padding;
    struct rl_pool_reciprocal reciprocal = {0, 0};
    struct rl_pool_window window = {.reciprocal = RL_HAS_LONG_MULTIPLY ? NULL : &reciprocal,
                                    .row_stride = in->w * in->c,
                                    .channels = in->c,
                                    .min = layer->range.min,
                                    .max = layer->range.max,
                                    .layer = layer};
    for (int32_t n = 0; n < in->n; n++) {
        for (int32_t y = 0; y < layer->output.h; y++) {
            const struct rl_pool_span rows = rl_pool_span(y, stride->h, padding->h, layer->window.h, in->h);
            window.rows = rows.length;
            for (int32_t x = 0; x < layer->output.w; x++) {
                const struct rl_pool_span columns = rl_pool_span(x, stride->w, padding->w, layer->window.w, in->w);
                window.columns = columns.length;
                const int32_t first = rows.start * window.row_stride + columns.start * window.channels;
                tile(&window, input + first * element, output);
                output += window.channels * element;
            }
        }
        input += in->h * window.row_stride * element;
    }
}

#endif
