// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/transpose_convolution.h"

#include "convolution/convolution.h"
#include "isa.h"
#include "requantize.h"
#include "transpose_convolution/groups.h"
#include "transpose_convolution/phases.h"
#include RL_TILE(dot_tile.h)

// From this many input channels on, CMSIS-NN multiplies by the zeros between the inputs. Here only the scratch differs:
// the phases then have separate memory for the filters.
enum { REVERSE_MINIMUM_CHANNELS = 17 };

// Measured cycles of a Cortex-M4: what an output takes that is computed alone, and what the filters of groups take
// before any output is computed, for each row of a stride and for each channel of it. Other cores have like ratios.
enum { OUTPUT_CYCLES = 160, ROW_CYCLES = 1200, CHANNEL_CYCLES = 200 };

// The place of an output on one axis: it meets the taps `phase`, phase + stride, ... of the filter, of which the first
// lies on input `input`, the others on the inputs before it.
struct place {
    int32_t stride;
    int32_t inputs;
    int32_t whole; // taps of each phase
    int32_t rest;  // phases with one tap more
    int32_t phase;
    int32_t input;
};

static struct place first_place(int32_t padding, int32_t stride, int32_t window, int32_t inputs)
{
    const int32_t before = padding < 0 ? -((stride - 1 - padding) / stride) : padding / stride;
    const int32_t whole = window / stride;
    return (struct place){stride, inputs, whole, window - whole * stride, padding - before * stride, before};
}

static void advance(struct place *p)
{
    p->phase++;
    if (p->phase == p->stride) {
        p->phase = 0;
        p->input++;
    }
}

// The taps of an output that lie on inputs.
struct taps {
    int32_t first; // of the filter
    int32_t input; // on which it lies
    int32_t count;
};

static inline struct taps taps_of(const struct place *p)
{
    const int32_t before = rl_max_s32(p->input - (p->inputs - 1), 0);
    const int32_t all = p->whole + (p->phase < p->rest ? 1 : 0);
    return (struct taps){p->phase + before * p->stride, p->input - before, rl_min_s32(p->input + 1, all) - before};
}

// What the sums of an output share.
struct sums {
    int32_t rows;
    int32_t columns;
    int32_t depth;
    int32_t offset;
    int32_t row_bytes;      // from an input to the one below
    int32_t row_weights;    // from a tap to the next below
    int32_t column_weights; // from a tap to the next to the right
};

// Not inlined, because its callers would spill the registers that it needs.
static __attribute__((noinline)) int32_t sum_of(const struct sums *s, int32_t sum, const int8_t *input,
                                                const int8_t *weights)
{
    const int32_t depth = s->depth, column_weights = s->column_weights, offset = s->offset;
    for (int32_t rows = s->rows; rows > 0; rows--, input -= s->row_bytes, weights += s->row_weights) {
        const int8_t *x_data = input, *w_data = weights;
        for (int32_t columns = s->columns; columns > 0; columns--, x_data -= depth, w_data += column_weights) {
            sum += rl_dot_s8_s8(x_data, offset, w_data, depth);
        }
    }
    return sum;
}

// Computes all channels of one output position. Each sum is complete before it is scaled, so no sums are kept.
static __attribute__((noinline)) void one_output(const struct rl_transpose_convolution *t, const struct sums *s,
                                                 const int8_t *input, const int8_t *weights, int8_t *output)
{
    const int32_t filter_bytes = t->filter.h * t->filter.w * t->input.c;
    const int32_t *bias = t->bias;
    for (int32_t channel = 0; channel < t->output.c; channel++, weights += filter_bytes) {
        const int32_t sum = sum_of(s, bias ? bias[channel] : 0, input, weights);
        const int32_t value = rl_requantize(sum, t->scales.multiplier[channel], t->scales.shift[channel]);
        output[channel] = rl_output_s8(value, t->output_offset, t->range.min, t->range.max);
    }
}

static void run_by_output(const struct rl_transpose_convolution *t, const int8_t *image, int8_t *output)
{
    const int32_t depth = t->input.c, line = t->filter.w * depth;
    const struct place first_row = first_place(t->padding.h, t->stride.h, t->filter.h, t->input.h);
    const struct place first_column = first_place(t->padding.w, t->stride.w, t->filter.w, t->input.w);
    struct sums s = {.depth = depth,
                     .offset = t->input_offset,
                     .row_bytes = t->input.w * depth,
                     .row_weights = t->stride.h * line,
                     .column_weights = t->stride.w * depth};
    for (int32_t n = 0; n < t->input.n; n++, image += t->input.h * s.row_bytes) {
        struct place row = first_row;
        for (int32_t y = 0; y < t->output.h; y++, advance(&row)) {
            const struct taps rows = taps_of(&row);
            s.rows = rows.count;
            struct place column = first_column;
            for (int32_t x = 0; x < t->output.w; x++, advance(&column), output += t->output.c) {
                const struct taps columns = taps_of(&column);
                s.columns = columns.count;
                one_output(t, &s, image + rows.input * s.row_bytes + columns.input * depth,
                           t->weights + rows.first * line + columns.first * depth, output);
            }
        }
    }
}

// Whether the layer has so few outputs that it takes less time to compute each alone.
static bool has_few_outputs(const struct rl_transpose_convolution *t)
{
    const int32_t outputs = t->input.n * t->output.h * t->output.w * t->output.c;
    const int32_t channels = t->stride.w * t->output.c;
    return outputs < t->stride.h * (ROW_CYCLES + CHANNEL_CYCLES * channels) / OUTPUT_CYCLES;
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
    // Each phase has taps, and there is an input to meet.
    t->has_phases = t->filter.h >= t->stride.h && t->filter.w >= t->stride.w && t->padding.h >= 0 &&
                    t->padding.w >= 0 && t->input.h > 0 && t->input.w > 0 && t->input.c > 0;
    t->phase_depth = divide_up(t->filter.h, t->stride.h) * divide_up(t->filter.w, t->stride.w) * t->input.c;
    return RL_OK;
}

void rl_transpose_convolution_run(const struct rl_transpose_convolution *t, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch, struct rl_scratch filters)
{
    if (!t->has_phases || has_few_outputs(t)) {
        run_by_output(t, input, output);
        return;
    }
    if (rl_transpose_convolution_run_groups(t, input, output, scratch)) {
        return;
    }
    const int64_t depth = t->phase_depth, filter_bytes = depth * t->output.c;
    if (filters.bytes >= filter_bytes && scratch.bytes >= depth) {
        rl_transpose_convolution_run_phases(t, input, output, scratch, filters.memory);
        return;
    }
    if (scratch.bytes >= filter_bytes + RL_PATCHES * depth) {
        int8_t *const memory = scratch.memory;
        const struct rl_scratch rest = {memory + filter_bytes, scratch.bytes - (int32_t)filter_bytes};
        rl_transpose_convolution_run_phases(t, input, output, rest, memory);
        return;
    }
    if (!rl_transpose_convolution_run_singly(t, input, output, scratch)) {
        run_by_output(t, input, output);
    }
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
