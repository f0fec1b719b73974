// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "isa.h"

#include RL_TILE(depthwise_tile.h)

// The taps first, first + 1 ... end - 1 of `taps` that lie on a line of `size`, the first tap being at
// `start`.
struct tap_range {
    int32_t first;
    int32_t end;
};

static struct tap_range taps_on_input(int32_t start, int32_t dilation, int32_t taps, int32_t size)
{
    const int32_t before = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const int32_t until = size > start ? (size - start + dilation - 1) / dilation : 0;
    const int32_t end = rl_min_s32(taps, until);
    return (struct tap_range){rl_min_s32(before, end), end};
}

// One row of outputs.
static void run_row(const struct rl_depthwise *d, const int8_t *input, int32_t y, int8_t *output)
{
    const cmsis_nn_dw_conv_params *params = d->params;
    const int32_t in_channels = d->input_dims->c;
    const ptrdiff_t line = (ptrdiff_t)d->input_dims->w * in_channels;
    const int32_t start_y = y * params->stride.h - params->padding.h;
    const struct tap_range rows =
        taps_on_input(start_y, params->dilation.h, d->filter_dims->h, d->input_dims->h);
    struct rl_depthwise_window window = {
        .rows = rows.end - rows.first,
        .input_row = params->dilation.h * line,
        .input_column = (ptrdiff_t)params->dilation.w * in_channels,
        .filter_row = (ptrdiff_t)d->filter_dims->w * d->channels,
        .filter_column = d->channels,
    };
    const int8_t *first_line = input + (start_y + rows.first * params->dilation.h) * line;
    const int8_t *first_filter = d->filter + rows.first * window.filter_row;

    int32_t start_x = -params->padding.w;
    for (int32_t x = 0; x < d->output_dims->w; x++, start_x += params->stride.w, output += d->channels) {
        const struct tap_range columns =
            taps_on_input(start_x, params->dilation.w, d->filter_dims->w, d->input_dims->w);
        window.columns = columns.end - columns.first;
        window.input = first_line + (ptrdiff_t)(start_x + columns.first * params->dilation.w) * in_channels;
        window.filter = first_filter + columns.first * window.filter_column;
        rl_depthwise_position(d, &window, output);
    }
}

void rl_depthwise_run(const struct rl_depthwise *d)
{
    const int8_t *input = d->input;
    int8_t *output = d->output;
    for (int32_t batch = 0; batch < d->input_dims->n; batch++) {
        for (int32_t y = 0; y < d->output_dims->h; y++) {
            run_row(d, input, y, output);
            output += (ptrdiff_t)d->output_dims->w * d->channels;
        }
        input += (ptrdiff_t)d->input_dims->h * d->input_dims->w * d->input_dims->c;
    }
}
