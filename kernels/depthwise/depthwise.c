// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "depthwise/multiplied.h"
#include "depthwise/planes.h"
#include "depthwise/taps.h"

// The taps that lie on the input, for one output position.
struct window {
    const int8_t *input;  // first such tap, first channel
    const int8_t *filter; // its weights
    int32_t rows;
    int32_t columns;
    ptrdiff_t input_row; // bytes from one tap to the one below
    ptrdiff_t input_column;
    ptrdiff_t filter_row;
    ptrdiff_t filter_column;
};

static int32_t sum_of(const struct window *w, const int8_t *input, const int8_t *filter, int32_t input_offset)
{
    const ptrdiff_t input_column = w->input_column;
    const ptrdiff_t filter_column = w->filter_column;
    int32_t sum = 0;
    for (int32_t row = w->rows; row > 0; row--) {
        const int8_t *x = input;
        const int8_t *k = filter;
        for (int32_t column = w->columns; column > 0; column--) {
            sum += (*x + input_offset) * *k;
            x += input_column;
            k += filter_column;
        }
        input += w->input_row;
        filter += w->filter_row;
    }
    return sum;
}

// The channels [first, end) of one position.
static void run_position(const struct rl_depthwise *d, const struct window *w, int32_t first, int32_t end,
                         int8_t *output)
{
    const int8_t *input = w->input + first / d->channel_multiplier;
    int32_t sharing = d->channel_multiplier - first % d->channel_multiplier;
    for (int32_t channel = first; channel < end; channel++) {
        const int32_t sum = sum_of(w, input, w->filter + channel, d->params->input_offset);
        output[channel] = rl_depthwise_output(d, channel, sum);
        if (--sharing == 0) {
            sharing = d->channel_multiplier;
            input++;
        }
    }
}

static void run_image(const struct rl_depthwise *d, const int8_t *input, int32_t first, int32_t end,
                      int8_t *output)
{
    const cmsis_nn_dw_conv_params *p = d->params;
    const ptrdiff_t pixel = d->input_dims->c;
    const ptrdiff_t line = d->input_dims->w * pixel;
    struct window w = {.input_row = p->dilation.h * line,
                       .input_column = p->dilation.w * pixel,
                       .filter_row = (ptrdiff_t)d->filter_dims->w * d->channels,
                       .filter_column = d->channels};
    for (int32_t y = 0; y < d->output_dims->h; y++) {
        const struct rl_taps rows = rl_taps_on_input(y * p->stride.h - p->padding.h, p->dilation.h,
                                                     d->filter_dims->h, d->input_dims->h);
        w.rows = rows.count;
        for (int32_t x = 0; x < d->output_dims->w; x++) {
            const struct rl_taps columns = rl_taps_on_input(x * p->stride.w - p->padding.w, p->dilation.w,
                                                            d->filter_dims->w, d->input_dims->w);
            w.columns = columns.count;
            w.input = input + rows.input * line + columns.input * pixel;
            w.filter = d->filter + rows.first * w.filter_row + columns.first * w.filter_column;
            run_position(d, &w, first, end, output);
            output += d->channels;
        }
    }
}

void rl_depthwise_run_channels(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    const int8_t *input = d->input;
    int8_t *output = d->output;
    for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
        run_image(d, input, first, end, output);
        input += (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
        output += (ptrdiff_t)d->output_dims->h * d->output_dims->w * d->channels;
    }
}

void rl_depthwise_run(const struct rl_depthwise *d)
{
    if (!rl_depthwise_run_planes(d) && !rl_depthwise_run_multiplied(d)) {
        rl_depthwise_run_channels(d, 0, d->channels);
    }
}
