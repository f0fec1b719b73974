// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "depthwise/multiplied.h"
#include "depthwise/planes.h"
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
    if (dilation == 0) {
        return (struct tap_range){0, start >= 0 && start < size ? taps : 0};
    }
    const int32_t before = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const int32_t until = size > start ? (size - start + dilation - 1) / dilation : 0;
    const int32_t end = rl_min_s32(taps, until);
    return (struct tap_range){rl_min_s32(before, end), end};
}

// The outputs of a row at which every column of the filter lies on the input: [first, end).
static struct tap_range outputs_inside(const struct rl_depthwise *d)
{
    const cmsis_nn_dw_conv_params *params = d->params;
    const int32_t stride = params->stride.w;
    if (stride == 0) {
        return (struct tap_range){0, 0};
    }
    const int32_t reach = (d->filter_dims->w - 1) * params->dilation.w;
    const int32_t last_start = d->input_dims->w - 1 - reach + params->padding.w;
    const int32_t end = last_start < 0 ? 0 : rl_min_s32(d->output_dims->w, last_start / stride + 1);
    return (struct tap_range){rl_min_s32((params->padding.w + stride - 1) / stride, end), end};
}

// `count` outputs from column x on that see the same columns of the filter.
static void run_outputs(const struct rl_depthwise *d, struct rl_depthwise_window window, int32_t x,
                        int32_t count, int8_t *row_output)
{
    const cmsis_nn_dw_conv_params *params = d->params;
    const int32_t start = x * params->stride.w - params->padding.w;
    const struct tap_range columns =
        taps_on_input(start, params->dilation.w, d->filter_dims->w, d->input_dims->w);
    window.columns = columns.end - columns.first;
    window.input += (ptrdiff_t)(start + columns.first * params->dilation.w) * d->input_dims->c;
    window.filter += columns.first * window.filter_column;
    rl_depthwise_outputs(d, &window, count, row_output + (ptrdiff_t)x * d->channels);
}

static void run_row(const struct rl_depthwise *d, const int8_t *input, int32_t y, int8_t *output)
{
    const cmsis_nn_dw_conv_params *params = d->params;
    const int32_t in_channels = d->input_dims->c;
    const ptrdiff_t line = (ptrdiff_t)d->input_dims->w * in_channels;
    const int32_t start = y * params->stride.h - params->padding.h;
    const struct tap_range rows =
        taps_on_input(start, params->dilation.h, d->filter_dims->h, d->input_dims->h);
    const ptrdiff_t filter_row = (ptrdiff_t)d->filter_dims->w * d->channels;
    const struct rl_depthwise_window window = {
        .input = input + (start + rows.first * params->dilation.h) * line,
        .filter = d->filter + rows.first * filter_row,
        .rows = rows.end - rows.first,
        .input_row = params->dilation.h * line,
        .input_column = (ptrdiff_t)params->dilation.w * in_channels,
        .filter_row = filter_row,
        .filter_column = d->channels,
        .output_step = (ptrdiff_t)params->stride.w * in_channels,
    };
    const struct tap_range inside = outputs_inside(d);
    for (int32_t x = 0; x < inside.first; x++) {
        run_outputs(d, window, x, 1, output);
    }
    if (inside.end > inside.first) {
        run_outputs(d, window, inside.first, inside.end - inside.first, output);
    }
    for (int32_t x = inside.end; x < d->output_dims->w; x++) {
        run_outputs(d, window, x, 1, output);
    }
}

void rl_depthwise_run(const struct rl_depthwise *d)
{
    if (rl_depthwise_run_planes(d) || rl_depthwise_run_multiplied(d)) {
        return;
    }
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
