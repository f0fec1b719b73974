// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"

#include "convolution/few_channels.h"
#include "convolution/patch.h"
#include "dsp/winograd_bytes.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

#include RL_TILE(fold_tile.h)
#include RL_TILE(kinds_nest.h)
#include RL_TILE(matmul_tile.h)
#include RL_TILE(memory_tile.h)
#include RL_TILE(patches_nest.h)
#include "convolution/blocks.h"

enum {
    MATMUL_BYTES = ((int32_t)sizeof(struct rl_matmul) + 7) & ~7,
    LINE_BYTES = 1536, // of a line that is copied to the stack
    MORE_PATCHES = (int)RL_MATMUL_ROWS > (int)RL_PATCHES ? (int)RL_MATMUL_ROWS - (int)RL_PATCHES : 0,
    MOST_MORE = 2304,
    MOST_BYTES = 4096,    // of a block and more patches, for which channels are halved
    FEWEST_CHANNELS = 16, // that repay the copies of patches
};

__extension__ _Static_assert(sizeof(void *) != 4 || (int)MATMUL_BYTES == (int)RL_MATMUL_BYTES,
                             "planners count with it");

// Whether the last output lies on an input. Without a stride that takes no product, which is a call on a Cortex-M0.
static bool axis_fits(int32_t input, int32_t output, int32_t stride)
{
    if (!RL_SMALL && !RL_HAS_LONG_MULTIPLY && stride == 1) {
        return output <= input;
    }
    return stride > 0 && (int64_t)(output - 1) * stride <= input - 1;
}

// Whether the inputs of each output directly follow those of the output before: pixels, or a whole image.
static bool is_dense(const struct rl_convolution *c)
{
    const bool same_size = c->input.h == c->output.h && c->input.w == c->output.w;
    if (c->path == RL_CONVOLUTION_POINTWISE) {
        const bool single = !RL_SMALL && c->output.h == 1 && c->output.w == 1 && c->input.n == 1;
        return single || (c->stride.h == 1 && c->stride.w == 1 && same_size);
    }
    return c->path != RL_CONVOLUTION_TAPS_FIRST && c->groups == 1 && c->rows_are_runs && c->output.h == 1 &&
           c->output.w == 1 && c->padding.h == 0 && c->padding.w == 0 && c->filter.h == c->input.h &&
           c->filter.w == c->input.w;
}

static bool is_prepacked(const struct rl_convolution *c)
{
    return c->type == RL_CONVOLUTION_PREPACKED || c->type == RL_CONVOLUTION_PREPACKED_PRELU;
}

static int32_t least_scratch(const struct rl_convolution *c)
{
    if (c->type >= RL_CONVOLUTION_S16) {
        return RL_PATCHES_S16 * rl_convolution_depth(c) * (int32_t)sizeof(int16_t);
    }
    if (c->type == RL_CONVOLUTION_S4 || c->path == RL_CONVOLUTION_POINTWISE) {
        return 0;
    }
    if (is_prepacked(c)) {
        return c->dense ? 0 : 2 * rl_convolution_depth(c);
    }
    if (c->type == RL_CONVOLUTION_WINOGRAD) {
        return rl_winograd_bytes(c->input.c, c->output.c);
    }
    return rl_convolution_depth(c);
}

// Whether prepacked weights can have this shape. Scaled sums of at most 2^14 products fit rl_rescale.
static bool prepacked_fits(const struct rl_convolution *c)
{
    const int32_t depth = rl_convolution_depth(c);
    const int32_t most = c->type == RL_CONVOLUTION_PREPACKED ? 1 << 14 : (int32_t)RL_CONVOLUTION_PRELU_DEPTH;
    return c->groups == 1 && c->output.c % 4 == 0 && depth >= 4 && depth <= most;
}

enum rl_status rl_convolution_prepare_as(struct rl_convolution *c, enum rl_convolution_path path)
{
    if (RL_HAS_MVE && path == RL_CONVOLUTION_POINTWISE && c->type == RL_CONVOLUTION_S8 && c->groups == 1 &&
        c->stride.h == 1 && c->stride.w == 1 && c->input.h == c->output.h && c->input.w == c->output.w &&
        !c->spread_h && !c->spread_w) {
        rl_convolution_prepare_pixels(c);
        return RL_OK;
    }
    if (c->groups != 1 && (c->groups < 1 || c->input.c % c->groups != 0 || c->output.c % c->groups != 0)) {
        return RL_ERROR_ARGUMENT;
    }
    if (path == RL_CONVOLUTION_POINTWISE &&
        (!axis_fits(c->input.h, c->output.h, c->stride.h) || !axis_fits(c->input.w, c->output.w, c->stride.w))) {
        return RL_ERROR_ARGUMENT;
    }
    c->path = path;
    c->filter_channels = c->groups == 1 ? c->input.c : c->input.c / c->groups;
    if ((is_prepacked(c) && !prepacked_fits(c)) ||
        (c->type == RL_CONVOLUTION_WINOGRAD && !rl_convolution_suits_winograd(c))) {
        return RL_ERROR_ARGUMENT;
    }
    c->rows_are_runs = !c->spread_h && !c->spread_w && (c->dilation.h == 1 || c->filter.h == 1) &&
                       (c->filter.w == 1 || (c->dilation.w == 1 && c->groups == 1));
    c->dense = is_dense(c);
    c->least_scratch = least_scratch(c);
    return RL_OK;
}

enum rl_status rl_convolution_prepare(struct rl_convolution *c)
{
    return rl_convolution_prepare_as(c, rl_convolution_path(c));
}

int32_t rl_convolution_memory(int32_t depth, int32_t channels)
{
    const struct rl_block_shape shape = {MATMUL_BYTES, depth, channels, false};
    return rl_block_bytes(&shape, channels);
}

int32_t rl_convolution_more_bytes(int32_t depth)
{
    const int32_t bytes = MORE_PATCHES * depth;
    return bytes <= MOST_MORE ? bytes : 0;
}

// Appends memory for more patches to a block, of fewer channels if need be. Returns the bytes of both.
static int32_t add_patches(struct rl_convolution_state *s, const struct rl_block_shape *shape)
{
    const int32_t more = rl_convolution_more_bytes(shape->depth);
    int32_t block = s->block;
    while (block >= 2 * FEWEST_CHANNELS && rl_block_bytes(shape, block) + more > MOST_BYTES) {
        block = rl_even(block / 2);
    }
    const int32_t bytes = rl_block_bytes(shape, block);
    if (more == 0 || bytes + more > MOST_BYTES) {
        return rl_block_bytes(shape, s->block);
    }
    s->block = block;
    s->more_patches = bytes - (shape->taps_first ? rl_patches_bytes(shape->depth) : 0);
    return bytes + more;
}

uint32_t rl_convolution_start(struct rl_convolution_state *s, const struct rl_convolution *c, struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c);
    const bool taps_first = c->path == RL_CONVOLUTION_TAPS_FIRST;
    const int32_t channels = c->groups == 1 ? c->output.c : c->output.c / c->groups;
    const struct rl_block_shape shape = {MATMUL_BYTES, depth, channels, taps_first};
    const bool copies = !taps_first && !c->dense && c->path != RL_CONVOLUTION_POINTWISE;
    s->layer = c;
    s->spread = NULL;
    s->patches = scratch.memory;
    s->one_patch = copies && scratch.bytes < RL_PATCHES * depth;
    s->patch_bytes = rl_min_s32(scratch.bytes, RL_PATCHES * depth);
    scratch = rl_scratch_rest(scratch, copies ? RL_PATCHES * depth : 0);
    s->block = rl_block_channels(&shape, scratch.bytes);
    int32_t bytes = rl_block_bytes(&shape, s->block);
    s->more_patches = 0;
    if (MORE_PATCHES > 0 && (copies || taps_first) && !s->one_patch) {
        bytes = add_patches(s, &shape);
    }
    s->matmul = rl_scratch_memory(scratch, bytes, NULL);
    return rl_scratch_missing(scratch, bytes);
}

void rl_convolution_take(struct rl_convolution_state *s, void *stack)
{
    if (!s->matmul) {
        s->matmul = stack;
    }
    if (s->layer->path == RL_CONVOLUTION_TAPS_FIRST) {
        s->patches = (int8_t *)s->matmul;
        s->matmul = (void *)(s->patches + rl_patches_bytes(rl_convolution_depth(s->layer)));
    }
}

// filters[channel][tap] of m->channels channels from weights[tap][channel].
static void turn_filters(const struct rl_matmul *m, const int8_t *from, ptrdiff_t step, int8_t *filters)
{
    for (int32_t channel = m->channels; channel > 0; channel--, from++) {
        const int8_t *weight = from;
        for (int32_t tap = m->depth; tap > 0; tap--, weight += step) {
            *filters++ = *weight;
        }
    }
}

int32_t rl_convolution_channels(const struct rl_convolution_state *s, int32_t first, int32_t end)
{
    const struct rl_convolution *c = s->layer;
    struct rl_matmul *m = s->matmul;
    m->depth = rl_convolution_depth(c);
    m->channels = rl_min_s32(end - first, s->block);
    m->filter = s->spread ? s->spread : c->weights + (ptrdiff_t)first * m->depth;
    m->multiplier = c->scales.multiplier + first;
    m->shift = c->scales.shift + first;
    m->output_offset = c->output_offset;
    m->output_min = c->range.min;
    m->output_max = c->range.max;
    m->bias = (int32_t *)(void *)((int8_t *)m + MATMUL_BYTES);
    m->scale = (struct rl_rescale *)(void *)(m->bias + rl_even(m->channels));
    m->work = (int8_t *)m->bias + rl_folded_bytes(m->channels);
    if (c->path == RL_CONVOLUTION_TAPS_FIRST) {
        int8_t *filters = (int8_t *)m->work + rl_matmul_tile_bytes(m->depth, m->channels);
        turn_filters(m, c->weights + first, c->output.c, filters);
        m->filter = filters;
    }
    rl_matmul_fold(m, c, first);
    return first + m->channels;
}

void rl_convolution_run_positions(const struct rl_convolution_state *s, const int8_t *input,
                                  const struct rl_positions *p, int8_t *output)
{
    rl_patches_run(s, input, p, output);
}

// Computes the outputs [from, to) of row y, one at a time, with one memory for all patches.
static void run_one_by_one(const struct rl_convolution_state *s, const int8_t *input, int32_t y, int32_t from,
                           int32_t to, int8_t *row_output)
{
    const ptrdiff_t step = s->layer->output.c;
    for (int32_t x = from; x < to; x++) {
        const struct rl_positions p = {y, x, 1, 1, 0, step};
        rl_patches_run(s, input, &p, row_output + x * step);
    }
}

// Writes the `pixels` pixels of a line from in_x on, with padding where the line does not reach.
static void copy_pixels(const struct rl_convolution *c, const int8_t *line, int32_t in_x, int32_t pixels, int8_t *to)
{
    const int32_t channels = c->input.c, before = rl_clamp_s32(-in_x, 0, pixels);
    const int32_t from = rl_max_s32(in_x, 0), present = rl_clamp_s32(c->input.w - from, 0, pixels - before);
    const int8_t padding = (int8_t)-c->input_offset;
    rl_fill_s8(to, padding, before * channels);
    rl_copy_s8(to + before * channels, line + (ptrdiff_t)from * channels, present * channels);
    rl_fill_s8(to + (before + present) * channels, padding, (pixels - before - present) * channels);
}

// Computes the outputs [from, to) of a line, whose windows reach into the padding: as those of a line that has it.
static void run_edge(const struct rl_convolution_state *s, const int8_t *line, int32_t y, int32_t from, int32_t to,
                     int8_t *row_output)
{
    const struct rl_convolution *c = s->layer;
    const int32_t stride = c->stride.w, pixels = (to - from - 1) * stride + c->filter.w;
    if (to - from < 2 || pixels > s->patch_bytes / c->input.c) {
        run_one_by_one(s, line, y, from, to, row_output);
        return;
    }
    copy_pixels(c, line, from * stride - c->padding.w, pixels, s->patches);
    rl_matmul_rows(s->matmul, s->patches, (ptrdiff_t)stride * c->input.c, to - from,
                   row_output + (ptrdiff_t)from * c->output.c, c->output.c);
}

static void run_row(const struct rl_convolution_state *s, const int8_t *input, int32_t y, int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const int32_t stride = c->stride.w, pad = c->padding.w, width = c->output.w;
    const int32_t last_start = c->input.w - c->filter.w + pad;
    const int32_t inside_end = last_start >= 0 ? rl_min_s32(width, last_start / stride + 1) : 0;
    const int32_t inside = rl_min_s32((pad + stride - 1) / stride, inside_end);

    if (y * c->stride.h != c->padding.h) { // beside the input, where all is padding
        run_one_by_one(s, input, y, 0, width, output);
        return;
    }
    if (inside_end - inside < width && ((width - 1) * stride + c->filter.w) * c->input.c <= s->patch_bytes) {
        run_edge(s, input, y, 0, width, output); // a copy of the line takes less than parts of it that are not triples
        return;
    }
    run_edge(s, input, y, 0, inside, output);
    const int8_t *first = input + (ptrdiff_t)(inside * stride - pad) * c->input.c;
    const ptrdiff_t row_stride = (ptrdiff_t)stride * c->input.c;
    rl_matmul_rows(s->matmul, first, row_stride, inside_end - inside, output + (ptrdiff_t)inside * c->output.c,
                   c->output.c);
    run_edge(s, input, y, inside_end, width, output);
}

static __attribute__((noinline)) void run_rows_of_images(const struct rl_convolution_state *state, const int8_t *input,
                                                         int8_t *output)
{
    struct rl_convolution_state own = *state;
    const struct rl_convolution_state *s = &own;
    const struct rl_convolution *c = s->layer;
    // Where the scratch has no room for a line with its padding, a short one is copied to the stack.
    const int32_t line_bytes = ((c->output.w - 1) * c->stride.w + c->filter.w) * c->input.c;
    const bool is_short = line_bytes > s->patch_bytes && line_bytes <= LINE_BYTES;
    uint64_t stack[is_short ? (line_bytes + 7) / 8 : 1];
    if (is_short) {
        own.patches = (int8_t *)stack;
        own.patch_bytes = line_bytes;
    }
    for (int32_t batch = 0; batch < c->input.n; batch++, input += c->input.w * c->input.c) {
        for (int32_t y = 0; y < c->output.h; y++, output += c->output.w * c->output.c) {
            run_row(s, input, y, output);
        }
    }
}

static __attribute__((noinline)) void run_patches(const struct rl_convolution_state *s, const int8_t *input,
                                                  int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const int32_t stored_h = c->spread_h ? c->input.h / 2 : c->input.h;
    const int32_t stored_w = c->spread_w ? c->input.w / 2 : c->input.w;
    const ptrdiff_t input_bytes = (ptrdiff_t)stored_h * stored_w * c->input.c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output.w * c->output.c;
    const struct rl_positions all = {0, 0, c->output.h, c->output.w, row_bytes, c->output.c};
    for (int32_t batch = 0; batch < c->input.n; batch++) {
        rl_patches_run(s, input, &all, output);
        input += input_bytes;
        output += all.rows * row_bytes;
    }
}

static __attribute__((noinline)) void run_dense(const struct rl_convolution_state *s, const int8_t *input,
                                                int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    rl_matmul_rows(s->matmul, input, s->matmul->depth, rl_convolution_outputs(c), output, c->output.c);
}

void rl_convolution_run_rows(struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride, int32_t row_count,
                             int8_t *output, ptrdiff_t output_stride)
{
    rl_matmul_rows(m, rows, row_stride, row_count, output, output_stride);
}

void rl_convolution_run_block(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    if (c->dense) {
        run_dense(s, input, output);
    } else if (!RL_PATCHES_IN_PLACE && c->path == RL_CONVOLUTION_POINTWISE &&
               !(RL_HAS_MVE && s->matmul->rows.in_fours)) {
        rl_kind_pixels(s, input, output);
    } else if (RL_HAS_MVE && c->path == RL_CONVOLUTION_ROW &&
               (c->type == RL_CONVOLUTION_S8 || c->type == RL_CONVOLUTION_PRELU)) {
        run_rows_of_images(s, input, output);
    } else {
        run_patches(s, input, output);
    }
}

// Not inlined, like run_few_channels, so that other layers do not have its struct on their stack.
__attribute__((noinline)) void rl_convolution_run_few_outputs(const struct rl_convolution *c, const int8_t *input,
                                                              int8_t *output, struct rl_scratch scratch)
{
    struct rl_fully_connected f; // other fields are not read
    f.rows = rl_convolution_outputs(c);
    f.depth = rl_convolution_depth(c);
    f.channels = c->output.c;
    f.weights = c->weights;
    f.bias = c->bias;
    f.scales = c->scales;
    f.scale = (struct rl_scale){0, 0};
    f.input_offset = c->input_offset;
    f.weight_offset = 0;
    f.output_offset = c->output_offset;
    f.range = c->range;
    f.folded = c->folded;
    rl_fully_connected_begin(&f);
    rl_fully_connected_run(&f, input, output, scratch);
}

// Without Helium runs few channels as a fully connected layer: a filter acts as the row, and the outputs' inputs act as
// filters.
static __attribute__((noinline)) void run_few_channels(const struct rl_convolution *c, const int8_t *input,
                                                       int8_t *output, struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), channels = c->output.c;
    const int32_t *biases = c->folded ? c->folded : c->bias;
    struct rl_fully_connected f; // other fields are not read
    f.rows = 1;
    f.depth = depth;
    f.channels = rl_convolution_outputs(c);
    f.weights = input;
    f.scales = (struct rl_scales){NULL, NULL};
    f.weight_offset = c->folded ? 0 : c->input_offset;
    f.output_offset = c->output_offset;
    f.range = c->range;
    for (int32_t channel = 0; channel < channels; channel++) {
        f.scale = (struct rl_scale){c->scales.multiplier[channel], c->scales.shift[channel]};
        rl_fully_connected_begin_with(&f, NULL, 0);
        const int8_t *filter = c->weights + (ptrdiff_t)channel * depth;
        rl_fully_connected_run_apart(&f, filter, biases ? biases[channel] : 0, output + channel, channels, scratch);
    }
}

// Whether images, filters and outputs have one column.
static bool is_column(const struct rl_convolution *c)
{
    return c->input.w == 1 && c->filter.w == 1 && c->output.w == 1 && c->padding.w == 0 && c->filter.h > 1 &&
           c->rows_are_runs && c->groups == 1 && c->path == RL_CONVOLUTION_PATCHES && c->type == RL_CONVOLUTION_S8;
}

// Runs columns as the rows that they are in memory, whose windows Helium reads where they lie.
static __attribute__((noinline)) void run_column(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                                 struct rl_scratch scratch)
{
    struct rl_convolution row = *c;
    row.path = RL_CONVOLUTION_ROW;
    row.input.h = row.output.h = row.filter.h = 1;
    row.input.w = c->input.h, row.output.w = c->output.h, row.filter.w = c->filter.h;
    row.stride = (struct rl_extent){1, c->stride.h};
    row.padding = (struct rl_extent){0, c->padding.h};
    rl_convolution_run_blocks(&row, input, output, scratch, rl_convolution_run_block);
}

void rl_convolution_run(const struct rl_convolution *c, const int8_t *input, int8_t *output, struct rl_scratch scratch)
{
    const struct rl_convolution_core here = rl_convolution_core_here();
    if (rl_convolution_has_few_outputs(c, here)) {
        rl_convolution_run_few_outputs(c, input, output, scratch);
        return;
    }
    if (!RL_SMALL && rl_convolution_may_be_small_windows(c, here) &&
        rl_convolution_run_small_windows(c, input, output, scratch)) {
        return;
    }
    if (!RL_SMALL && rl_convolution_may_be_small_map(c, here) &&
        rl_convolution_run_small_map(c, input, output, scratch)) {
        return;
    }
    if (!RL_SMALL && RL_HAS_DSP && !RL_HAS_MVE && rl_convolution_run_turned(c, input, output, scratch)) {
        return;
    }
    if (rl_convolution_has_few_channels(c, here)) {
        if (RL_HAS_MVE) {
            rl_convolution_run_few_channels(c, input, output);
        } else {
            run_few_channels(c, input, output, scratch);
        }
    } else if (!RL_SMALL && RL_HAS_MVE && is_column(c)) {
        run_column(c, input, output, scratch);
    } else if (RL_SMALL || !RL_HAS_DSP || RL_HAS_MVE || !rl_convolution_run_interleaved(c, input, output, scratch)) {
        rl_convolution_run_blocks(c, input, output, scratch, rl_convolution_run_block);
    }
}

void rl_convolution_blocks_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    rl_convolution_run_blocks(c, input, output, scratch, rl_convolution_run_block);
}

// The kinds of convolutions whose loops a program in C has without those of others. See rl_convolution_loops.
void rl_convolution_dense_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch)
{
    rl_convolution_run_blocks(layer, input, output, scratch, rl_kind_dense);
}

void rl_convolution_short_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch)
{
    rl_convolution_run_blocks(layer, input, output, scratch, rl_kind_short);
}

void rl_convolution_windows_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                struct rl_scratch scratch)
{
    rl_convolution_run_blocks(layer, input, output, scratch, rl_kind_windows);
}

void rl_convolution_copied_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    rl_convolution_run_blocks(layer, input, output, scratch, rl_kind_copied);
}
