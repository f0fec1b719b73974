// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/transpose_convolution.h"

#include "convolution/convolution.h"
#include "isa.h"
#include "requantize.h"
#include "transpose_convolution/phases.h"
#include RL_TILE(dot_tile.h)

// From this many input channels on, CMSIS-NN multiplies by the zeros between the inputs. Here only the scratch differs:
// the phases then have separate memory for the filters.
enum { REVERSE_MINIMUM_CHANNELS = 17 };

// The filter taps of one output on one axis that lie on an input: first, first + stride, ... The first lies on input
// `input`, the others on the inputs before it.
struct taps {
    int32_t first;
    int32_t count;
    int32_t input;
};

static struct taps taps_of(int32_t output, int32_t padding, int32_t stride, int32_t window, int32_t size)
{
    const int32_t position = output + padding;
    const int32_t lowest = rl_max_s32(position - (size - 1) * stride, 0);
    const int32_t first = lowest + (position - lowest) % stride;
    const int32_t last = rl_min_s32(position, window - 1);
    const int32_t count = position < 0 || first > last ? 0 : (last - first) / stride + 1;
    return (struct taps){first, count, (position - first) / stride};
}

static int8_t scaled(const struct rl_transpose_convolution *t, int32_t channel, int32_t sum)
{
    const int32_t value = rl_requantize(sum, t->scales.multiplier[channel], t->scales.shift[channel]);
    return rl_output_s8(value, t->output_offset, t->range.min, t->range.max);
}

// Computes all channels of one output position, two at a time.
static void one_output(const struct rl_transpose_convolution *t, const int8_t *image, struct taps rows,
                       struct taps columns, int8_t *output)
{
    const int32_t depth = t->input.c, row_bytes = t->input.w * depth;
    const int32_t filter_bytes = t->filter.h * t->filter.w * depth;
    const int8_t *pixel = image + rows.input * row_bytes + columns.input * depth;
    const int8_t *tap = t->weights + (rows.first * t->filter.w + columns.first) * depth;
    for (int32_t channel = 0; channel < t->output.c; channel += 2) {
        const bool pair = channel + 1 < t->output.c;
        const int32_t next = pair ? filter_bytes : 0;
        int32_t sums[2] = {0, 0};
        if (t->bias) {
            sums[0] = t->bias[channel];
            sums[1] = t->bias[channel + (pair ? 1 : 0)];
        }
        for (int32_t y = 0; y < rows.count; y++) {
            const int8_t *x_data = pixel - y * row_bytes;
            const int8_t *w_data = tap + y * t->stride.h * t->filter.w * depth;
            for (int32_t x = 0; x < columns.count; x++) {
                rl_dot_s8_s8_pair(x_data, t->input_offset, w_data, w_data + next, depth, sums);
                x_data -= depth;
                w_data += t->stride.w * depth;
            }
        }
        output[channel] = scaled(t, channel, sums[0]);
        if (pair) {
            output[channel + 1] = scaled(t, channel + 1, sums[1]);
        }
        tap += 2 * filter_bytes;
    }
}

// Runs output by output. Each sum is complete before it is scaled, so no sums are kept.
static void run_by_output(const struct rl_transpose_convolution *t, const int8_t *image, int8_t *output)
{
    const struct rl_extent stride = t->stride, padding = t->padding;
    for (int32_t n = 0; n < t->input.n; n++) {
        for (int32_t y = 0; y < t->output.h; y++) {
            const struct taps rows = taps_of(y, padding.h, stride.h, t->filter.h, t->input.h);
            for (int32_t x = 0; x < t->output.w; x++) {
                const struct taps columns = taps_of(x, padding.w, stride.w, t->filter.w, t->input.w);
                one_output(t, image, rows, columns, output);
                output += t->output.c;
            }
        }
        image += t->input.h * t->input.w * t->input.c;
    }
}

static int32_t divide_up(int32_t value, int32_t divisor)
{
    return (value + divisor - 1) / divisor;
}

enum rl_status rl_transpose_convolution_prepare(struct rl_transpose_convolution *t)
{
    if (t->stride.h < 1 || t->stride.w < 1) {
        return RL_ERROR_ARGUMENT;
    }
    // Each phase has taps.
    t->has_phases = t->filter.h >= t->stride.h && t->filter.w >= t->stride.w && t->padding.h >= 0 && t->padding.w >= 0;
    t->phase_depth = divide_up(t->filter.h, t->stride.h) * divide_up(t->filter.w, t->stride.w) * t->input.c;
    return RL_OK;
}

void rl_transpose_convolution_run(const struct rl_transpose_convolution *t, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch, struct rl_scratch filters)
{
    const int64_t depth = t->phase_depth, filter_bytes = depth * t->output.c;
    if (t->has_phases && filters.bytes >= filter_bytes && scratch.bytes >= depth) {
        rl_transpose_convolution_run_phases(t, input, output, scratch, filters.memory);
        return;
    }
    if (t->has_phases && scratch.bytes >= filter_bytes + RL_PATCHES * depth) {
        int8_t *const memory = scratch.memory;
        const struct rl_scratch rest = {memory + filter_bytes, scratch.bytes - (int32_t)filter_bytes};
        rl_transpose_convolution_run_phases(t, input, output, rest, memory);
        return;
    }
    run_by_output(t, input, output);
}

static bool is_reversed(const struct rl_transpose_convolution *t)
{
    return t->stride.w <= 2 && t->stride.h <= 2 && t->input.c >= REVERSE_MINIMUM_CHANNELS;
}

int32_t rl_transpose_convolution_scratch(const struct rl_transpose_convolution *t, enum rl_isa isa)
{
    if (is_reversed(t)) {
        const struct rl_convolution c = {.input = t->input, .filter = t->filter};
        return rl_convolution_announced(&c, isa);
    }
    // The rows of sums that a kernel keeps if it goes input by input. This is CMSIS-NN's value but for one difference:
    // CMSIS-NN uses the vertical stride for the width, which gives too little if that is the smaller one.
    const int32_t reach = rl_max_s32(t->filter.w, rl_max_s32(t->stride.w, t->stride.h));
    const int32_t width = (t->input.w - 1) * t->stride.w + reach;
    return width * t->output.c * rl_max_s32(t->filter.h, t->stride.h) * (int32_t)sizeof(int32_t);
}

int32_t rl_transpose_convolution_filters(const struct rl_transpose_convolution *t)
{
    return is_reversed(t) ? t->input.c * t->filter.w * t->filter.h * t->output.c : 0;
}
