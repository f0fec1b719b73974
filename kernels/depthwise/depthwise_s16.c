// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "convolution/output_s16.h"
#include "depthwise/depthwise.h"
#include "depthwise/window.h"
#include "isa.h"
#include RL_TILE(depthwise_s16_tile.h)

// Some channels of a layer.
struct problem {
    const struct rl_depthwise *layer;
    struct rl_output_s16 scale;
    int32_t first;
    int32_t count;
    struct rl_depthwise_s16_scale prepared; // the scales of these channels
};

// The 64-bit sum of one output channel of any window. `input` is at the first tap and the input channel.
static int64_t wide_sum(const struct rl_window_s16 *w, const int16_t *input, const int8_t *filter)
{
    int64_t sum = 0;
    for (int32_t y = 0; y < w->rows; y++) {
        for (int32_t x = 0; x < w->columns; x++) {
            sum += input[y * w->input_row + x * w->input_column] * filter[y * w->filter_row + x * w->filter_column];
        }
    }
    return sum;
}

// Or two outputs, where the tile takes them.
static void one_output(const struct problem *p, const struct rl_window_s16 *w, int16_t *output)
{
    const int32_t multiplier = p->layer->multiplier;
    if (multiplier == 1 && w->rows * w->columns <= RL_WINDOW_S16_LIMIT) {
        rl_depthwise_s16_outputs(w, &p->prepared, &p->scale, p->first, p->count, output);
        return;
    }
    for (int32_t channel = p->first; channel < p->first + p->count; channel++) {
        const int64_t sum = wide_sum(w, w->input + channel / multiplier, w->filter + channel);
        output[channel] = rl_output_s16(&p->scale, channel, sum);
    }
}

static void one_image(const struct problem *p, const int16_t *image, int16_t *output)
{
    const struct rl_depthwise *d = p->layer;
    const int32_t input_row = d->input.w * d->input.c, filter_row = d->filter.w * d->output.c;
    struct rl_window_s16 w = {.input_row = input_row * d->dilation.h,
                              .input_column = d->input.c * d->dilation.w,
                              .filter_row = filter_row,
                              .filter_column = d->output.c};
    const bool pairs = RL_DEPTHWISE_S16_PAIRS && d->multiplier == 1 && d->filter.h * d->filter.w <= RL_WINDOW_S16_LIMIT;
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        w.rows = rows.count;
        for (int32_t x = 0; x < d->output.w;) {
            const struct rl_taps columns =
                rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
            w.columns = columns.count;
            w.input = image;
            w.filter = d->weights;
            if (w.rows > 0 && w.columns > 0) {
                w.input += rows.input * input_row + columns.input * d->input.c;
                w.filter += rows.first * filter_row + columns.first * d->output.c;
            }
            const bool pair = pairs && columns.count == d->filter.w && x + 1 < d->output.w &&
                              (x + 1) * d->stride.w - d->padding.w + (d->filter.w - 1) * d->dilation.w < d->input.w;
            w.second = pair ? d->stride.w * d->input.c : 0;
            w.second_output = pair ? d->output.c : 0;
            one_output(p, &w, output);
            x += pair ? 2 : 1;
            output += pair ? 2 * d->output.c : d->output.c;
        }
    }
}

void rl_depthwise_s16_run(const struct rl_depthwise *layer, const int16_t *input, int16_t *output)
{
    const int32_t channels = layer->output.c;
    const int32_t taps = rl_min_s32(layer->filter.h * layer->filter.w, RL_WINDOW_S16_LIMIT);
    struct problem p;
    p.layer = layer;
    p.scale = rl_output_s16_of(layer->scales, layer->wide_bias, layer->range);
    for (p.first = 0; p.first < channels; p.first += p.count) {
        p.count = rl_min_s32(channels - p.first, RL_DEPTHWISE_S16_BLOCK);
        rl_depthwise_s16_start(&p.prepared, &p.scale, taps, p.first, p.count);
        for (int32_t n = 0; n < layer->input.n; n++) {
            one_image(&p, input + n * rl_image_size(layer->input), output + n * rl_image_size(layer->output));
        }
    }
}
