// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "depthwise/multiplied.h"
#include "depthwise/planes.h"
#include "depthwise/window.h"
#include "isa.h"
#include "scratch.h"

#include RL_HOST_LOOP(depthwise)
#include RL_TILE(depthwise_s8_tile.h)

enum rl_status rl_depthwise_prepare(struct rl_depthwise *layer)
{
    if (layer->output.c != layer->input.c * layer->multiplier) {
        return RL_ERROR_ARGUMENT;
    }
    layer->by_windows = rl_depthwise_suits_windows(layer);
    return RL_OK;
}

// The sum of the taps that lie on the input; the window's first tap is at (row, left). `input` and `weights` are at the
// channel. Not inlined, because the loops around it would take its registers.
static __attribute__((noinline)) int32_t sum_at(const struct rl_depthwise *d, const int8_t *input,
                                                const int8_t *weights, int32_t row, int32_t left)
{
    const struct rl_image *in = &d->input;
    const int32_t input_offset = d->input_offset;
    const ptrdiff_t step = d->output.c;
    int32_t sum = 0;
    for (int32_t rows = d->filter.h; rows > 0; rows--, row += d->dilation.h) {
        const bool inside = (uint32_t)row < (uint32_t)in->h;
        int32_t column = left;
        for (int32_t columns = d->filter.w; columns > 0; columns--, weights += step) {
            if (inside && (uint32_t)column < (uint32_t)in->w) {
                sum += (input[(row * in->w + column) * in->c] + input_offset) * *weights;
            }
            column += d->dilation.w;
        }
    }
    return sum;
}

static void run_image(const struct rl_depthwise *d, const int8_t *input, int32_t first, int32_t end, int8_t *output)
{
    for (int32_t y = 0; y < d->output.h; y++) {
        for (int32_t x = 0; x < d->output.w; x++, output += d->output.c) {
            const int32_t row = y * d->stride.h - d->padding.h;
            const int32_t column = x * d->stride.w - d->padding.w;
            const int8_t *from = input;
            int32_t sharing = d->multiplier;
            for (int32_t channel = first; channel < end; channel++) {
                const int32_t sum = sum_at(d, from, d->weights + channel, row, column);
                output[channel] = rl_depthwise_output(d, channel, sum);
                if (--sharing == 0) {
                    sharing = d->multiplier;
                    from++;
                }
            }
        }
    }
}

void rl_depthwise_run_channels(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                               int8_t *output)
{
    if (rl_depthwise_run_vectors(d, first, end, input, output)) {
        return;
    }
    if (!RL_SMALL) {
        rl_depthwise_run_windows(d, first, end, input, output);
        return;
    }
    input += first / d->multiplier;
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        run_image(d, input, first, end, output);
        input += rl_image_size(d->input);
        output += rl_image_size(d->output);
    }
}

// A layer that is not run as a convolution.
static void run_channels_apart(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    if (layer->by_windows || !rl_depthwise_run_planes(layer, input, output, rl_scratch_rest(scratch, 0))) {
        rl_depthwise_run_channels(layer, 0, layer->output.c, input, output);
    }
}

void rl_depthwise_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output, struct rl_scratch scratch)
{
    if (rl_host_depthwise(layer, input, output)) {
        return;
    }
    if (!layer->by_windows && rl_depthwise_suits_multiplied(layer, RL_HAS_MVE)) {
        rl_depthwise_run_multiplied(layer, input, output, scratch);
        return;
    }
    run_channels_apart(layer, input, output, scratch);
}

void rl_depthwise_single_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch)
{
    if (!rl_host_depthwise(layer, input, output)) {
        run_channels_apart(layer, input, output, scratch);
    }
}
