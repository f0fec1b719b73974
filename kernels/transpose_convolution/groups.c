// SPDX-License-Identifier: Apache-2.0
#include "transpose_convolution/groups.h"

#include <string.h>

#include "convolution/convolution.h"
#include "isa.h"
#include "requantize.h"

#include RL_TILE(memory_tile.h)

enum {
    MOST_BYTES = 4096, // of the stack
    LINE_BYTES = 1024, // of the input that is copied at a time, and of outputs that wait
    FEW_CHANNELS = 16, // of a group, and the most weights of all: with more of them phases take less time
    FEW_WEIGHTS = 4096,
    // Input channels from which the zeros between the taps of a single output channel cost a DSP core more than filters
    // for each output of a group. Helium multiplies them on the way, and other cores prefer several filters.
    SINGLE_DEPTH = RL_HAS_DSP && !RL_HAS_MVE ? 16 : INT32_MAX,
};

// How an output meets the input on one axis: by the taps phase, phase + stride, ... of the filter, of which the first
// lies on input `input`, the others on the inputs before it. Outputs `stride` further on meet the next input likewise.
struct meeting {
    int32_t phase;
    int32_t taps;
    int32_t input;
};

static struct meeting meeting_of(int32_t output, int32_t padding, int32_t stride, int32_t window)
{
    const int32_t input = (output + padding) / stride;
    const int32_t phase = output + padding - input * stride;
    return (struct meeting){phase, (window - phase + stride - 1) / stride, input};
}

// The groups of a row, and the memory that they take.
struct groups {
    const struct rl_transpose_convolution *layer;
    int32_t first;         // output of the first group
    int32_t outputs;       // of a group: stride.w or 1
    int32_t channel;       // of the layer, the first of a group
    int32_t each;          // channels of each output
    int32_t count;         // of the groups
    int32_t missing;       // outputs that the last group lacks
    int32_t window;        // columns of the input that a group meets
    int32_t window_first;  // the first of them, relative to the number of the group
    int32_t chunk;         // groups whose input is copied at a time
    int32_t filters_bytes; // the parts of the memory
    int32_t line_bytes;
    int32_t matmul_bytes;
};

static int32_t channels_of(const struct groups *g)
{
    return g->outputs * g->each;
}

// Fills in what follows from `first`, `outputs` and `each`. Returns the bytes of memory.
static __attribute__((noinline)) int32_t measure(struct groups *g)
{
    const struct rl_transpose_convolution *t = g->layer;
    const int32_t stride = t->stride.w, channels = channels_of(g);
    int32_t first = INT32_MAX, last = 0;
    for (int32_t i = g->first; i < g->first + g->outputs; i++) {
        const struct meeting m = meeting_of(i, t->padding.w, stride, t->filter.w);
        first = rl_min_s32(first, m.input - m.taps + 1);
        last = m.input; // never before that of the output before
    }
    g->window = last - first + 1;
    g->window_first = first;
    g->count = (t->output.w - g->first + stride - 1) / stride;
    g->missing = rl_max_s32((g->count - 1) * stride + g->first + g->outputs - t->output.w, 0);
    const int32_t column = (t->filter.h + t->stride.h - 1) / t->stride.h * t->input.c;
    const int32_t waiting = g->missing > 0 ? channels : 0;
    g->chunk = rl_clamp_s32(LINE_BYTES / (column + waiting), 1, g->count);
    g->filters_bytes = channels * g->window * column;
    g->line_bytes = (g->chunk - 1 + g->window) * column;
    g->matmul_bytes = (rl_convolution_memory(g->window * column, channels) + 7) & ~7;
    return g->matmul_bytes + 3 * channels * (int32_t)sizeof(int32_t) + g->filters_bytes + g->line_bytes +
           g->chunk * waiting;
}

// The memory: scales and biases of the channels of a group, their filters, the copied input and the outputs that wait.
struct memory {
    void *matmul;
    int32_t *multiplier;
    int32_t *shift;
    int32_t *bias;
    int8_t *filters; // [output of the group][channel][column][row][input channel]
    int8_t *line;    // [column][row][input channel]
    int8_t *waiting;
};

static struct memory divide(const struct groups *g, void *memory)
{
    const int32_t channels = channels_of(g);
    int32_t *const scales = (int32_t *)(void *)((int8_t *)memory + g->matmul_bytes);
    int8_t *const filters = (int8_t *)(scales + 3 * channels);
    int8_t *const line = filters + g->filters_bytes;
    return (struct memory){memory,  scales, scales + channels,   scales + 2 * channels,
                           filters, line,   line + g->line_bytes};
}

static __attribute__((noinline)) void gather_scales(const struct groups *g, const struct memory *to)
{
    const struct rl_transpose_convolution *t = g->layer;
    const int32_t bytes = g->each * (int32_t)sizeof(int32_t);
    for (int32_t i = 0; i < channels_of(g); i += g->each) {
        rl_copy_s8((int8_t *)(to->multiplier + i), (const int8_t *)(t->scales.multiplier + g->channel), bytes);
        rl_copy_s8((int8_t *)(to->shift + i), (const int8_t *)(t->scales.shift + g->channel), bytes);
        if (t->bias) {
            rl_copy_s8((int8_t *)(to->bias + i), (const int8_t *)(t->bias + g->channel), bytes);
        }
    }
}

// Gathers the filters of all outputs of a group. Their rows are the last tap of `rows` to the first.
static __attribute__((noinline)) void gather_filters(const struct groups *g, const struct meeting *rows, int8_t *to)
{
    const struct rl_transpose_convolution *t = g->layer;
    const int32_t depth = t->input.c, line = t->filter.w * depth, column_bytes = rows->taps * depth;
    for (int32_t i = g->first; i < g->first + g->outputs; i++) {
        const struct meeting m = meeting_of(i, t->padding.w, t->stride.w, t->filter.w);
        const int32_t before = (m.input - m.taps + 1 - g->window_first) * column_bytes;
        const int32_t after = (g->window - m.taps) * column_bytes - before;
        const int8_t *filter = t->weights + g->channel * t->filter.h * line +
                               (rows->phase + (rows->taps - 1) * t->stride.h) * line +
                               (m.phase + (m.taps - 1) * t->stride.w) * depth;
        for (int32_t channel = 0; channel < g->each; channel++, filter += t->filter.h * line) {
            if (before > 0) {
                rl_fill_s8(to, 0, before);
                to += before;
            }
            const int8_t *column = filter;
            for (int32_t x = 0; x < m.taps; x++, column -= t->stride.w * depth) {
                rl_copy_runs_s8(to, depth, column, -(ptrdiff_t)t->stride.h * line, depth, rows->taps);
                to += column_bytes;
            }
            if (after > 0) {
                rl_fill_s8(to, 0, after);
                to += after;
            }
        }
    }
}

// Returns `columns` columns of `rows` rows of the input, [column][row][channel], from (y, x) on. They are copied where
// there are several rows or padding.
static __attribute__((noinline)) const int8_t *line_of(const struct rl_transpose_convolution *t, const int8_t *image,
                                                       int32_t y, int32_t x, int32_t rows, int32_t columns,
                                                       int8_t *copy)
{
    const int32_t depth = t->input.c, line = t->input.w * depth;
    const bool inside = x >= 0 && x + columns <= t->input.w && y >= 0 && y + rows <= t->input.h;
    if (inside && rows == 1) {
        return image + y * line + x * depth;
    }
    if (!inside) {
        rl_fill_s8(copy, (int8_t)-t->input_offset, columns * rows * depth);
    }
    const int32_t from = rl_max_s32(x, 0), present = rl_min_s32(x + columns, t->input.w) - from;
    const int32_t last = rl_min_s32(y + rows, t->input.h);
    for (int32_t row = rl_max_s32(y, 0); row < last && present > 0; row++) {
        rl_copy_runs_s8(copy + ((from - x) * rows + row - y) * depth, rows * depth, image + row * line + from * depth,
                        depth, depth, present);
    }
    return copy;
}

// Computes the groups of one row. `y` is the first input row that they meet, `output` their first output.
static __attribute__((noinline)) void run_row(const struct groups *g, const struct memory *memory, const int8_t *image,
                                              int32_t y, int32_t rows, int8_t *output)
{
    const struct rl_transpose_convolution *t = g->layer;
    const int32_t column_bytes = rows * t->input.c, step = t->stride.w * t->output.c;
    for (int32_t first = 0; first < g->count; first += g->chunk) {
        const int32_t count = rl_min_s32(g->chunk, g->count - first);
        const bool waits = g->missing > 0 && first + count == g->count;
        const int8_t *line = line_of(t, image, y, first + g->window_first, rows, count - 1 + g->window, memory->line);
        int8_t *to = output + first * step;
        rl_convolution_run_rows(memory->matmul, line, column_bytes, count, waits ? memory->waiting : to, step);
        if (waits) {
            rl_copy_s8(to, memory->waiting, count * step - g->missing * t->output.c);
        }
    }
}

// Runs the groups of the rows first_y, first_y + stride.h, ... of all images.
static __attribute__((noinline)) void run_rows(const struct groups *g, const struct memory *memory, int32_t first_y,
                                               const int8_t *input, int8_t *output)
{
    const struct rl_transpose_convolution *t = g->layer;
    const struct meeting rows = meeting_of(first_y, t->padding.h, t->stride.h, t->filter.h);
    gather_filters(g, &rows, memory->filters);
    struct rl_convolution c; // other fields are not read
    c.type = RL_CONVOLUTION_S8;
    c.filter = (struct rl_extent){rows.taps, g->window};
    c.filter_channels = t->input.c;
    c.groups = 1;
    c.output = (struct rl_image){t->input.n, t->input.h, t->input.w, channels_of(g)}; // about as many positions
    c.path = RL_CONVOLUTION_PATCHES;
    c.weights = memory->filters;
    c.bias = t->bias ? memory->bias : NULL;
    c.folded = NULL;
    c.scales = (struct rl_scales){memory->multiplier, memory->shift};
    c.input_offset = t->input_offset;
    c.output_offset = t->output_offset;
    c.range = t->range;
    struct rl_convolution_state s;
    s.layer = &c;
    s.spread = NULL;
    s.block = c.output.c;
    s.matmul = memory->matmul;
    rl_convolution_channels(&s, 0, c.output.c);
    const int32_t output_line = t->output.w * t->output.c;
    for (int32_t n = 0; n < t->input.n; n++) {
        int32_t y = rows.input - rows.taps + 1;
        for (int32_t row = first_y; row < t->output.h; row += t->stride.h, y++) {
            run_row(g, memory, input, y, rows.taps, output + row * output_line + g->first * t->output.c + g->channel);
        }
        input += t->input.h * t->input.w * t->input.c;
        output += t->output.h * output_line;
    }
}

// Runs all rows of measured groups that take `bytes` bytes.
static __attribute__((noinline)) void run_groups(const struct groups *g, int32_t bytes, const int8_t *input,
                                                 int8_t *output, struct rl_scratch scratch)
{
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    const struct memory memory = divide(g, rl_scratch_memory(scratch, bytes, stack));
    gather_scales(g, &memory);
    for (int32_t y = 0; y < rl_min_s32(g->layer->stride.h, g->layer->output.h); y++) {
        run_rows(g, &memory, y, input, output);
    }
}

bool rl_transpose_convolution_run_groups(const struct rl_transpose_convolution *t, const int8_t *input, int8_t *output,
                                         struct rl_scratch scratch)
{
    if (t->output.c == 1 && t->input.c >= SINGLE_DEPTH && t->filter.w % t->stride.w != 0) {
        return rl_transpose_convolution_run_singly(t, input, output, scratch);
    }
    struct groups g = {.layer = t, .outputs = t->stride.w, .each = t->output.c};
    if (channels_of(&g) > FEW_CHANNELS || channels_of(&g) * t->phase_depth > FEW_WEIGHTS) {
        return false;
    }
    const int32_t bytes = measure(&g);
    scratch = rl_scratch_rest(scratch, 0);
    if (bytes > rl_max_s32(MOST_BYTES, scratch.bytes)) {
        return false;
    }
    run_groups(&g, bytes, input, output, scratch);
    return true;
}

bool rl_transpose_convolution_run_singly(const struct rl_transpose_convolution *t, const int8_t *input, int8_t *output,
                                         struct rl_scratch scratch)
{
    struct groups g = {.layer = t, .outputs = 1, .each = rl_min_s32(t->output.c, RL_CHANNEL_BLOCK)};
    scratch = rl_scratch_rest(scratch, 0);
    while (measure(&g) > rl_max_s32(MOST_BYTES, scratch.bytes)) {
        if (g.each == 1) {
            return false;
        }
        g.each = (g.each + 1) / 2;
    }
    const int32_t most = g.each;
    for (; g.channel < t->output.c; g.channel += most) {
        g.each = rl_min_s32(most, t->output.c - g.channel);
        for (g.first = 0; g.first < rl_min_s32(t->stride.w, t->output.w); g.first++) {
            run_groups(&g, measure(&g), input, output, scratch);
        }
    }
    return true;
}
