// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"

#include "convolution/patch.h"
#include "fully_connected/fully_connected.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)
#include RL_TILE(patches_nest.h)
#include "convolution/blocks.h"

enum {
    MATMUL_BYTES = ((int32_t)sizeof(struct rl_matmul) + 7) & ~7,
    // Outputs that are run as a fully connected layer, and channels whose filters are its rows.
    FEW_ROWS = RL_HAS_MVE ? 1
               : RL_SMALL ? 0
                          : 2,
    FEW_CHANNELS = FEW_ROWS == 0 ? 0
                   : RL_HAS_DSP  ? 3
                                 : 1,
    CHANNEL_PIXELS = RL_HAS_MVE ? 8 : 0, // that a channel after the first of these takes
};

_Static_assert(sizeof(void *) != 4 || (int)MATMUL_BYTES == (int)RL_MATMUL_BYTES, "planners count with it");

static int32_t depth_of(const struct rl_convolution *c)
{
    return c->filter_dims->h * c->filter_dims->w * c->filter_dims->c;
}

int32_t rl_convolution_memory(int32_t depth, int32_t channels)
{
    const struct rl_block_shape shape = {MATMUL_BYTES, depth, channels, false};
    return rl_block_bytes(&shape, channels);
}

uint32_t rl_convolution_begin(struct rl_convolution *c)
{
    const struct rl_block_shape shape = {MATMUL_BYTES, depth_of(c), c->output_dims->c / c->groups, c->taps_first};
    c->block = rl_block_channels(&shape, c->work.bytes);
    c->bytes = rl_block_bytes(&shape, c->block);
    return rl_scratch_missing(c->work, c->bytes);
}

void rl_convolution_take(struct rl_convolution *c, void *stack)
{
    int8_t *memory = rl_scratch_memory(c->work, c->bytes, stack);
    if (c->taps_first) {
        c->scratch = memory;
        memory += rl_patches_bytes(depth_of(c));
    }
    c->matmul = (struct rl_matmul *)(void *)memory;
}

// filters[channel][tap] of m->channels channels from `first` on.
static void turn_filters(const struct rl_matmul *m, const int8_t *from, ptrdiff_t step, int8_t *filters)
{
    for (int32_t channel = m->channels; channel > 0; channel--, from++) {
        const int8_t *weight = from;
        for (int32_t tap = m->depth; tap > 0; tap--, weight += step) {
            *filters++ = *weight;
        }
    }
}

int32_t rl_convolution_channels(const struct rl_convolution *c, int32_t first, int32_t end)
{
    struct rl_matmul *m = c->matmul;
    m->depth = depth_of(c);
    m->channels = rl_min_s32(end - first, c->block);
    m->filter = c->filter + (ptrdiff_t)first * m->depth;
    m->multiplier = c->quant->multiplier + first;
    m->shift = c->quant->shift + first;
    m->output_offset = c->params->output_offset;
    m->output_min = c->params->activation.min;
    m->output_max = c->params->activation.max;
    m->bias = (int32_t *)(void *)((int8_t *)m + MATMUL_BYTES);
    m->scale = (struct rl_rescale *)(void *)(m->bias + rl_even(m->channels));
    m->work = (int8_t *)m->bias + rl_folded_bytes(m->channels);
    if (c->taps_first) {
        int8_t *filters = (int8_t *)m->work + rl_matmul_tile_bytes(m->depth, m->channels);
        turn_filters(m, c->filter + first, c->output_dims->c, filters);
        m->filter = filters;
    }
    for (int32_t i = 0; i < m->channels; i++) {
        const int32_t bias = c->bias ? c->bias[first + i] : 0;
        m->bias[i] = bias + c->params->input_offset * rl_sum_of_s8(m->filter + (ptrdiff_t)i * m->depth, m->depth);
    }
    rl_matmul_prepare(m);
    return first + m->channels;
}

void rl_convolution_run_channels(const struct rl_convolution *c, const int8_t *input, int8_t *output)
{
    const int32_t stored_h = c->upscale_h ? c->input_dims->h / 2 : c->input_dims->h;
    const int32_t stored_w = c->upscale_w ? c->input_dims->w / 2 : c->input_dims->w;
    const ptrdiff_t input_bytes = (ptrdiff_t)stored_h * stored_w * c->input_dims->c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output_dims->w * c->output_dims->c;
    const struct rl_positions all = {0, 0, c->output_dims->h, c->output_dims->w, row_bytes, c->output_dims->c};
    for (int32_t batch = 0; batch < c->input_dims->n; batch++) {
        rl_patches_run(c, c->matmul, input, &all, output);
        input += input_bytes;
        output += all.rows * row_bytes;
    }
}

void rl_convolution_run_positions(const struct rl_convolution *c, const int8_t *input, const struct rl_positions *p,
                                  int8_t *output)
{
    rl_patches_run(c, c->matmul, input, p, output);
}

// Few outputs that each see what follows the one before: rows of a fully connected layer. Not inlined, as
// run_few_channels: other layers need not have its struct on their stack.
static __attribute__((noinline)) void run_rows(const struct rl_convolution *c, int32_t rows)
{
    const struct rl_fully_connected f = {
        .filter = c->filter,
        .depth = depth_of(c),
        .channels = c->output_dims->c,
        .base = c->bias,
        .multiplier = c->quant->multiplier,
        .shift = c->quant->shift,
        .scale_step = 1,
        .input_offset = c->params->input_offset,
        .output_offset = c->params->output_offset,
        .output_min = c->params->activation.min,
        .output_max = c->params->activation.max,
        .work = c->work,
    };
    rl_fully_connected_run(&f, c->input, rows, c->output);
}

// Whether there is one output an image, which sees all of it and nothing else.
static bool sees_whole_image(const struct rl_convolution *c)
{
    return c->groups == 1 && !c->taps_first && c->rows_are_runs && c->output_dims->h == 1 && c->output_dims->w == 1 &&
           c->params->padding.h == 0 && c->params->padding.w == 0 && c->filter_dims->h == c->input_dims->h &&
           c->filter_dims->w == c->input_dims->w;
}

void rl_convolution_run(struct rl_convolution *c)
{
    if (FEW_ROWS > 0 && c->input_dims->n <= FEW_ROWS && sees_whole_image(c)) {
        run_rows(c, c->input_dims->n);
        return;
    }
    uint64_t stack[rl_convolution_begin(c)];
    rl_convolution_take(c, stack);
    const int32_t group_channels = c->output_dims->c / c->groups;
    for (int32_t group = 0; group < c->groups; group++) {
        const int32_t end = (group + 1) * group_channels;
        for (int32_t first = group * group_channels; first < end;) {
            const int32_t next = rl_convolution_channels(c, first, end);
            const int8_t *input = c->input + (ptrdiff_t)group * c->filter_dims->c;
            rl_convolution_run_channels(c, input, c->output + first);
            first = next;
        }
    }
}

// Whether the last output lies on an input.
static bool axis_fits(int32_t input, int32_t output, int32_t stride)
{
    return stride > 0 && output - 1 <= (input - 1) / stride;
}

bool rl_convolution_1x1_fits(const struct rl_convolution *c)
{
    const cmsis_nn_dims *in = c->input_dims, *out = c->output_dims;
    if (arm_nn_is_convolve_1x1_fast(c->params)) {
        return in->n * in->h * in->w <= out->n * out->h * out->w;
    }
    return axis_fits(in->h, out->h, c->params->stride.h) && axis_fits(in->w, out->w, c->params->stride.w);
}

// One output row at a time, or everything at once where input pixels and output pixels correspond one to one.
void rl_convolution_run_channels_1x1(const struct rl_convolution *c, int8_t *output)
{
    const struct rl_matmul *m = c->matmul;
    const ptrdiff_t depth = m->depth;
    const ptrdiff_t output_stride = c->output_dims->c;
    if (arm_nn_is_convolve_1x1_fast(c->params)) {
        const int32_t pixels = c->input_dims->n * c->input_dims->h * c->input_dims->w;
        rl_matmul_rows(m, c->input, depth, pixels, output, output_stride);
        return;
    }
    if (RL_PATCHES_IN_PLACE) { // all of them
        rl_convolution_run_channels(c, c->input, output);
        return;
    }
    const ptrdiff_t line_bytes = c->input_dims->w * depth;
    for (int32_t batch = 0; batch < c->input_dims->n; batch++) {
        const int8_t *input = c->input + (ptrdiff_t)batch * c->input_dims->h * line_bytes;
        for (int32_t y = 0; y < c->output_dims->h; y++) {
            rl_matmul_rows(m, input, c->params->stride.w * depth, c->output_dims->w, output, output_stride);
            input += c->params->stride.h * line_bytes;
            output += c->output_dims->w * output_stride;
        }
    }
}

// For few channels pixels take the place of the filters, and a filter that of the row.
static __attribute__((noinline)) void run_few_channels(const struct rl_convolution *c, int32_t pixels)
{
    const int32_t depth = c->input_dims->c, channels = c->output_dims->c;
    for (int32_t channel = 0; channel < channels; channel++) {
        struct rl_rescale rescale;
        const bool simple = rl_rescale_init(c->params->output_offset, c->quant->multiplier[channel],
                                            c->quant->shift[channel], &rescale);
        const struct rl_fully_connected f = {
            .filter = c->input,
            .depth = depth,
            .channels = pixels,
            .multiplier = &c->quant->multiplier[channel],
            .shift = &c->quant->shift[channel],
            .filter_offset = c->params->input_offset,
            .output_offset = c->params->output_offset,
            .output_min = c->params->activation.min,
            .output_max = c->params->activation.max,
            .rescale = simple ? &rescale : NULL,
            .work = c->work,
        };
        const int32_t bias = c->bias ? c->bias[channel] : 0;
        const int8_t *filter = c->filter + (ptrdiff_t)channel * depth;
        rl_fully_connected_run_apart(&f, filter, bias, c->output + channel, channels);
    }
}

void rl_convolution_run_1x1(struct rl_convolution *c)
{
    const int32_t pixels = c->input_dims->n * c->input_dims->h * c->input_dims->w;
    const bool contiguous = arm_nn_is_convolve_1x1_fast(c->params);
    if (FEW_ROWS > 0 && contiguous && pixels <= FEW_ROWS) {
        run_rows(c, pixels);
        return;
    }
    if (FEW_CHANNELS > 0 && contiguous && c->output_dims->c <= FEW_CHANNELS &&
        pixels > CHANNEL_PIXELS * (c->output_dims->c - 1)) {
        run_few_channels(c, pixels);
        return;
    }
    uint64_t stack[rl_convolution_begin(c)];
    rl_convolution_take(c, stack);
    for (int32_t first = 0; first < c->output_dims->c;) {
        const int32_t next = rl_convolution_channels(c, first, c->output_dims->c);
        rl_convolution_run_channels_1x1(c, c->output + first);
        first = next;
    }
}

// The outputs [from, to) of row y, one at a time, each with the same patch of scratch.
static void run_one_by_one(const struct rl_convolution *c, const int8_t *input, int32_t y, int32_t from, int32_t to,
                           int8_t *row_output)
{
    const ptrdiff_t step = c->output_dims->c;
    for (int32_t x = from; x < to; x++) {
        const struct rl_positions p = {y, x, 1, 1, 0, step};
        rl_patches_run(c, c->matmul, input, &p, row_output + x * step);
    }
}

static void run_row_1_x_n(const struct rl_convolution *c, const int8_t *input, int32_t y, int8_t *output)
{
    const int32_t stride = c->params->stride.w;
    const int32_t pad = c->params->padding.w;
    const int32_t width = c->output_dims->w;
    const int32_t last_start = c->input_dims->w - c->filter_dims->w + pad;
    const bool on_input = y * c->params->stride.h == c->params->padding.h;
    const int32_t inside_end = on_input && last_start >= 0 ? rl_min_s32(width, last_start / stride + 1) : 0;
    const int32_t inside = rl_min_s32((pad + stride - 1) / stride, inside_end);

    run_one_by_one(c, input, y, 0, inside, output);
    const int8_t *first = input + (ptrdiff_t)(inside * stride - pad) * c->input_dims->c;
    const ptrdiff_t row_stride = (ptrdiff_t)stride * c->input_dims->c;
    rl_matmul_rows(c->matmul, first, row_stride, inside_end - inside, output + (ptrdiff_t)inside * c->output_dims->c,
                   c->output_dims->c);
    run_one_by_one(c, input, y, inside_end, width, output);
}

void rl_convolution_run_1_x_n(struct rl_convolution *c)
{
    if (RL_PATCHES_IN_PLACE) {
        rl_convolution_run(c);
        return;
    }
    uint64_t stack[rl_convolution_begin(c)];
    rl_convolution_take(c, stack);
    const ptrdiff_t input_bytes = (ptrdiff_t)c->input_dims->w * c->input_dims->c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output_dims->w * c->output_dims->c;
    for (int32_t first = 0; first < c->output_dims->c;) {
        const int32_t next = rl_convolution_channels(c, first, c->output_dims->c);
        const int8_t *input = c->input;
        int8_t *output = c->output + first;
        for (int32_t batch = 0; batch < c->input_dims->n; batch++, input += input_bytes) {
            for (int32_t y = 0; y < c->output_dims->h; y++, output += row_bytes) {
                run_row_1_x_n(c, input, y, output);
            }
        }
        first = next;
    }
}
