// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "depthwise/multiplied.h"
#include "depthwise/planes.h"
#include "depthwise/window.h"
#include "isa.h"

#include RL_TILE(depthwise_s8_tile.h)

// Sum of the taps that lie on the input, of which the first may be at (row, left). `input` and `filter` are at the
// channel. Not inlined: the loops around it would take its registers.
static __attribute__((noinline)) int32_t sum_at(const struct rl_depthwise *d, const int8_t *input, const int8_t *filter,
                                                int32_t row, int32_t left)
{
    const cmsis_nn_dims *in = d->input_dims;
    const cmsis_nn_dw_conv_params *p = d->params;
    const int32_t input_offset = p->input_offset;
    const ptrdiff_t step = d->channels;
    int32_t sum = 0;
    for (int32_t rows = d->filter_dims->h; rows > 0; rows--, row += p->dilation.h) {
        const bool inside = (uint32_t)row < (uint32_t)in->h;
        int32_t column = left;
        for (int32_t columns = d->filter_dims->w; columns > 0; columns--, filter += step) {
            if (inside && (uint32_t)column < (uint32_t)in->w) {
                sum += (input[(row * in->w + column) * in->c] + input_offset) * *filter;
            }
            column += p->dilation.w;
        }
    }
    return sum;
}

static void run_image(const struct rl_depthwise *d, const int8_t *input, int32_t first, int32_t end, int8_t *output)
{
    const cmsis_nn_dw_conv_params *p = d->params;
    for (int32_t y = 0; y < d->output_dims->h; y++) {
        for (int32_t x = 0; x < d->output_dims->w; x++, output += d->channels) {
            const int32_t row = y * p->stride.h - p->padding.h;
            const int32_t column = x * p->stride.w - p->padding.w;
            const int8_t *from = input;
            int32_t sharing = d->channel_multiplier;
            for (int32_t channel = first; channel < end; channel++) {
                const int32_t sum = sum_at(d, from, d->filter + channel, row, column);
                output[channel] = rl_depthwise_output(d, channel, sum);
                if (--sharing == 0) {
                    sharing = d->channel_multiplier;
                    from++;
                }
            }
        }
    }
}

void rl_depthwise_run_channels(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    if (rl_depthwise_run_vectors(d, first, end)) {
        return;
    }
    if (!RL_SMALL) {
        rl_depthwise_run_windows(d, first, end);
        return;
    }
    const int8_t *input = d->input + first / d->channel_multiplier;
    int8_t *output = d->output;
    for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
        run_image(d, input, first, end, output);
        input += (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
        output += (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    }
}

void rl_depthwise_run(const struct rl_depthwise *d)
{
    const bool prepared =
        !rl_depthwise_suits_windows(d) && (rl_depthwise_run_planes(d) || rl_depthwise_run_multiplied(d));
    if (!prepared) {
        rl_depthwise_run_channels(d, 0, d->channels);
    }
}
