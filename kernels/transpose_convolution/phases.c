// SPDX-License-Identifier: Apache-2.0
#include "transpose_convolution/phases.h"

#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(memory_tile.h)

// One phase on one axis.
struct phase {
    int32_t taps; // taps of the filter: first_tap, first_tap + stride, ...
    int32_t first_tap;
    int32_t outputs; // first_output, first_output + stride, ...
    int32_t first_output;
    int32_t position; // the first output's position in the convolution
};

static struct phase phase_of(int32_t remainder, int32_t stride, int32_t padding, int32_t window, int32_t outputs)
{
    const int32_t first = (remainder + stride - padding % stride) % stride;
    return (struct phase){
        .taps = (window - remainder + stride - 1) / stride,
        .first_tap = remainder,
        .outputs = first < outputs ? (outputs - first + stride - 1) / stride : 0,
        .first_output = first,
        .position = (first + padding) / stride,
    };
}

// Copies the taps of a phase of every filter, from last to first.
static void gather_filters(const struct rl_transpose_convolution *t, const struct phase *rows,
                           const struct phase *columns, int8_t *to)
{
    const int32_t depth = t->input.c, line = t->filter.w * depth;
    const int32_t last_row = rows->first_tap + (rows->taps - 1) * t->stride.h;
    const int32_t last_column = columns->first_tap + (columns->taps - 1) * t->stride.w;
    const int8_t *filter = t->weights + last_row * line + last_column * depth;
    for (int32_t channel = 0; channel < t->output.c; channel++, filter += t->filter.h * line) {
        const int8_t *from = filter;
        for (int32_t y = 0; y < rows->taps; y++, from -= t->stride.h * line) {
            rl_copy_runs_s8(to, depth, from, -(ptrdiff_t)t->stride.w * depth, depth, columns->taps);
            to += columns->taps * depth;
        }
    }
}

static void run_phase(const struct rl_transpose_convolution *t, const struct phase *rows, const struct phase *columns,
                      const int8_t *input, int8_t *output, struct rl_scratch scratch, const int8_t *filters)
{
    const int32_t channels = t->output.c;
    const struct rl_convolution c = {
        .input = t->input,
        .output = {t->input.n, rows->outputs, columns->outputs, channels},
        .filter = {rows->taps, columns->taps},
        .stride = {1, 1},
        .padding = {rows->taps - 1, columns->taps - 1},
        .dilation = {1, 1},
        .groups = 1,
        .weights = filters,
        .bias = t->bias,
        .scales = t->scales,
        .input_offset = t->input_offset,
        .output_offset = t->output_offset,
        .range = t->range,
        .path = RL_CONVOLUTION_PATCHES,
        .rows_are_runs = true,
        .filter_channels = t->input.c,
    };
    const ptrdiff_t line = (ptrdiff_t)t->output.w * channels;
    const struct rl_positions positions = {
        rows->position,   columns->position,  rows->outputs,
        columns->outputs, t->stride.h * line, (ptrdiff_t)t->stride.w * channels,
    };
    const ptrdiff_t start = rows->first_output * line + (ptrdiff_t)columns->first_output * channels;
    struct rl_convolution_state s;
    uint64_t stack[rl_convolution_start(&s, &c, scratch)];
    rl_convolution_take(&s, stack);
    for (int32_t first = 0; first < channels;) {
        const int32_t next = rl_convolution_channels(&s, first, channels);
        const int8_t *image = input;
        int8_t *to = output + start + first;
        for (int32_t n = 0; n < t->input.n; n++) {
            rl_convolution_run_positions(&s, image, &positions, to);
            image += t->input.h * t->input.w * t->input.c;
            to += t->output.h * line;
        }
        first = next;
    }
}

void rl_transpose_convolution_run_phases(const struct rl_transpose_convolution *t, const int8_t *input, int8_t *output,
                                         struct rl_scratch scratch, int8_t *filters)
{
    for (int32_t y = 0; y < t->stride.h; y++) {
        const struct phase rows = phase_of(y, t->stride.h, t->padding.h, t->filter.h, t->output.h);
        for (int32_t x = 0; x < t->stride.w; x++) {
            const struct phase columns = phase_of(x, t->stride.w, t->padding.w, t->filter.w, t->output.w);
            gather_filters(t, &rows, &columns, filters);
            run_phase(t, &rows, &columns, input, output, scratch, filters);
        }
    }
}
