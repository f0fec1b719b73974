// SPDX-License-Identifier: Apache-2.0
#include "transpose_convolution/phases.h"

#include <string.h>

#include "convolution/convolution.h"

// One phase on one axis.
struct phase {
    int32_t taps; // of the filter: first_tap, first_tap + stride, ...
    int32_t first_tap;
    int32_t outputs; // first_output, first_output + stride, ...
    int32_t first_output;
    int32_t position; // of the first output in the convolution
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

static int32_t divide_up(int32_t value, int32_t divisor)
{
    return (value + divisor - 1) / divisor;
}

bool rl_transpose_conv_has_phases(const struct rl_transpose_conv *t)
{
    const cmsis_nn_transpose_conv_params *params = t->params;
    return t->filter_dims->h >= params->stride.h && t->filter_dims->w >= params->stride.w && params->padding.h >= 0 &&
           params->padding.w >= 0;
}

int32_t rl_transpose_conv_phase_depth(const struct rl_transpose_conv *t)
{
    const cmsis_nn_tile stride = t->params->stride;
    return divide_up(t->filter_dims->h, stride.h) * divide_up(t->filter_dims->w, stride.w) * t->input_dims->c;
}

// The taps of a phase, from last to first, of every filter.
static void gather_filters(const struct rl_transpose_conv *t, const struct phase *rows, const struct phase *columns,
                           int8_t *to)
{
    const int32_t depth = t->input_dims->c;
    const int8_t *filter = t->filter;
    for (int32_t channel = 0; channel < t->output_dims->c; channel++) {
        for (int32_t y = rows->taps - 1; y >= 0; y--) {
            for (int32_t x = columns->taps - 1; x >= 0; x--) {
                const int32_t ky = rows->first_tap + y * t->params->stride.h;
                const int32_t kx = columns->first_tap + x * t->params->stride.w;
                memcpy(to, filter + (ky * t->filter_dims->w + kx) * depth, (size_t)depth);
                to += depth;
            }
        }
        filter += t->filter_dims->h * t->filter_dims->w * depth;
    }
}

static void run_phase(const struct rl_transpose_conv *t, const struct phase *rows, const struct phase *columns,
                      const struct rl_phase_memory *memory)
{
    const int32_t channels = t->output_dims->c;
    const cmsis_nn_conv_params params = {
        .input_offset = t->params->input_offset,
        .output_offset = t->params->output_offset,
        .stride = {1, 1},
        .padding = {columns->taps - 1, rows->taps - 1},
        .dilation = {1, 1},
        .activation = t->params->activation,
    };
    const cmsis_nn_dims filter_dims = {channels, rows->taps, columns->taps, t->input_dims->c};
    struct rl_convolution c = {.params = &params,
                               .quant = t->quant,
                               .input_dims = t->input_dims,
                               .input = t->input,
                               .filter_dims = &filter_dims,
                               .filter = memory->filters,
                               .bias = t->bias,
                               .output_dims = t->output_dims,
                               .output = t->output,
                               .groups = 1,
                               .rows_are_runs = true,
                               .scratch = memory->patches};
    const int32_t patches = RL_PATCHES * rows->taps * columns->taps * t->input_dims->c;
    c.one_patch = memory->patch_bytes < patches;
    c.work = rl_scratch_rest((struct rl_scratch){c.scratch, memory->patch_bytes}, patches);
    const ptrdiff_t line = (ptrdiff_t)t->output_dims->w * channels;
    const struct rl_positions positions = {
        rows->position,   columns->position,          rows->outputs,
        columns->outputs, t->params->stride.h * line, (ptrdiff_t)t->params->stride.w * channels};
    const ptrdiff_t start = rows->first_output * line + (ptrdiff_t)columns->first_output * channels;
    uint64_t stack[rl_convolution_begin(&c)];
    rl_convolution_take(&c, stack);
    for (int32_t first = 0; first < channels;) {
        const int32_t next = rl_convolution_channels(&c, first, channels);
        const int8_t *image = t->input;
        int8_t *output = t->output + start + first;
        for (int32_t n = 0; n < t->input_dims->n; n++) {
            rl_convolution_run_positions(&c, image, &positions, output);
            image += t->input_dims->h * t->input_dims->w * t->input_dims->c;
            output += t->output_dims->h * line;
        }
        first = next;
    }
}

void rl_transpose_conv_run_phases(const struct rl_transpose_conv *t, const struct rl_phase_memory *memory)
{
    const cmsis_nn_tile stride = t->params->stride, padding = t->params->padding;
    for (int32_t y = 0; y < stride.h; y++) {
        const struct phase rows = phase_of(y, stride.h, padding.h, t->filter_dims->h, t->output_dims->h);
        for (int32_t x = 0; x < stride.w; x++) {
            const struct phase columns = phase_of(x, stride.w, padding.w, t->filter_dims->w, t->output_dims->w);
            gather_filters(t, &rows, &columns, memory->filters);
            run_phase(t, &rows, &columns, memory);
        }
    }
}
