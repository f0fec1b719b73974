// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with prepacked weights: two rows at a time are expanded to int16 and multiplied with groups
// of four filters. interleaved_nest.h runs them with weights that were packed just before; then channels need not be a
// multiple of four, and filters have zeros behind up to a multiple of four.
#ifndef RL_KERNELS_DSP_PREPACKED_TILE_H
#define RL_KERNELS_DSP_PREPACKED_TILE_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "convolution/prepacked.h"
#include "dsp/dot_2x4.h"
#include "dsp/expand_row.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/prepacked_bytes.h"
#include "dsp/prepacked_row_tile.h"
#include "scratch.h"

__extension__ _Static_assert((int)sizeof(struct rl_prepacked_channel) == (int)RL_PREPACKED_CHANNEL_BYTES,
                             "planners count with it");

enum {
    RL_PREPACKED_SINGLES = 24,      // channels of a single row whose sums are on the stack
    RL_PREPACKED_SINGLE_DEPTH = 16, // that repays it
};

// The inputs of an output: runs of the layer's `run` values, `step` bytes apart.
struct rl_prepacked_row {
    const int8_t *first;
    ptrdiff_t step;
    int8_t *output; // the output of the block's first channel
};

// A block of channels while it runs.
struct rl_prepacked_work {
    const struct rl_convolution *layer;
    int32_t depth;
    int32_t part;     // values that are expanded at a time
    int32_t run;      // values of a row that lie next to each other: the depth, or a multiple of four
    int32_t padded;   // the depth with the zeros behind filters
    bool in_place;    // rows inside the input are expanded from there
    int32_t last_y;   // the row of the input, INT32_MAX for none, in which only those do that start
    int32_t last_x;   // up to this column
    uint32_t limited; // RL_DOT_2X4_LIMITED or 0
    // Rare loops, which are pointers so that a program that never takes them lacks them; NULL for a layer that does not
    // take them: rl_prepacked_parts, rl_prepacked_pad.
    void (*parts)(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2]);
    void (*pad)(struct rl_prepacked_work *w);
    // rl_patch_copy or rl_patch_copy_runs. Small code has the former only.
    void (*copy)(const struct rl_patch_row *row, int32_t x, int8_t *patch);
    int32_t outputs; // of a dense layer
    int32_t channels;
    const int8_t *filter; // of the block
    struct rl_prepacked_channel *scale;
    int32_t *sums;
    uint32_t *values;
    struct rl_dot_2x4 job;
};

static inline void rl_prepacked_start(struct rl_prepacked_work *w)
{
    w->job.row_start[0] = 0;
    w->job.row_start[1] = 0;
}

// Expands the values [at, at + count) of both rows.
static __attribute__((noinline)) void
rl_prepacked_expand_runs(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2], int32_t at, int32_t count)
{
    const int8_t *first = rows[0].first, *second = rows[1].first;
    uint32_t *values = w->values;
    rl_prepacked_start(w);
    for (; at >= w->run; at -= w->run) {
        first += rows[0].step;
        second += rows[1].step;
    }
    while (count > 0) {
        const int32_t here = rl_min_s32(w->run - at, count);
        values = rl_expand_two_rows(first + at, second + at, here, values, w->job.row_start);
        first += rows[0].step;
        second += rows[1].step;
        count -= here;
        at = 0;
    }
}

// Sets the job for parts of `count` values, of which the first are number `at`.
static inline void rl_prepacked_begin_part(struct rl_prepacked_work *w, int32_t at, int32_t count)
{
    w->job.gap = (ptrdiff_t)RL_PREPACKED_GROUP * (w->depth - count);
    w->job.rest = count & 3;
    w->job.special = w->limited | (w->job.rest != 0 || count != w->depth);
    w->job.fours = count >> 2;
    w->job.entry = 0;
    w->job.start = at > 0 ? w->sums : NULL;
    w->job.sums = at + count == w->depth ? NULL : w->sums;
}

// Sets the channels of a block. If they are not a multiple of four, the last group computes one to three of the group
// before it again.
static inline void rl_prepacked_set_channels(struct rl_prepacked_work *w, int32_t count)
{
    w->channels = count;
    w->job.again = -count & 3;
}

// Sets the job for all channels of the block, for values from number `at` on. `output` is that of the first row.
static inline void rl_prepacked_aim(struct rl_prepacked_work *w, int8_t *output, int32_t at)
{
    w->job.filter = w->filter + (ptrdiff_t)RL_PREPACKED_GROUP * at;
    w->job.scale = w->scale;
    w->job.output = output;
    w->job.end = output + (RL_SMALL ? w->channels : w->channels & ~3);
}

static inline void rl_prepacked_multiply_from(struct rl_prepacked_work *w, int8_t *output, int32_t at)
{
    rl_prepacked_aim(w, output, at);
    rl_dot_2x4(&w->job);
}

// Multiplies the values of both rows, expanded from number `at` on, by all channels.
static inline void rl_prepacked_multiply(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2], int32_t at)
{
    w->job.second = rows[1].output - rows[0].output;
    rl_prepacked_multiply_from(w, rows[0].output, at);
}

// Turns the last one to three values of both rows, which have a word each, into four values with zeros behind.
static __attribute__((noinline)) void rl_prepacked_pad(struct rl_prepacked_work *w)
{
    uint32_t *words = w->values + (w->depth >> 2) * 4;
    const int32_t rest = w->depth & 3;
    for (int32_t row = 0; row < 2; row++, words++) {
        const uint32_t third = rest > 2 ? words[4] << 16 : 0, second = rest > 1 ? words[2] & 0xffffu : 0;
        words[0] = (words[0] & 0xffffu) | third;
        words[2] = second;
    }
}

static __attribute__((noinline)) void rl_prepacked_parts(struct rl_prepacked_work *w,
                                                         const struct rl_prepacked_row rows[2])
{
    for (int32_t at = 0; at < w->depth; at += w->part) {
        const int32_t count = rl_min_s32(w->part, w->depth - at);
        rl_prepacked_begin_part(w, at, count);
        rl_prepacked_expand_runs(w, rows, at, count);
        rl_prepacked_multiply(w, rows, at);
    }
}

static __attribute__((noinline)) void rl_prepacked_two_rows(struct rl_prepacked_work *w,
                                                            const struct rl_prepacked_row rows[2])
{
    if (w->parts) {
        w->parts(w, rows);
    } else {
        if (w->run == w->depth) {
            rl_prepacked_start(w);
            rl_expand_two_rows(rows[0].first, rows[1].first, w->depth, w->values, w->job.row_start);
        } else {
            rl_prepacked_expand_runs(w, rows, 0, w->depth);
        }
        if (!RL_SMALL && w->pad) {
            w->pad(w);
        }
        rl_prepacked_multiply(w, rows, 0);
    }
}

// Multiplies a row that is left over. It is one run of values.
static __attribute__((noinline, unused)) void rl_prepacked_single(struct rl_prepacked_work *w, const int8_t *row,
                                                                  int8_t *output)
{
    const struct rl_limits_s8 limits = {(int8_t)w->job.low, (int8_t)w->job.high};
    int32_t sums[RL_PREPACKED_SINGLES];
    struct rl_dot_row job = {.row = w->values,
                             .filter = w->filter,
                             .start = sums,
                             .sums = sums,
                             .row_start = -128 * rl_sum_of_s8(row, w->depth),
                             .fours = w->depth >> 2,
                             .rest = w->depth & 3};
    rl_expand_row(row, w->depth, w->values);
    for (int32_t first = 0; first < w->channels; first += RL_PREPACKED_SINGLES) {
        const int32_t count = rl_min_s32(RL_PREPACKED_SINGLES, w->channels - first);
        const struct rl_prepacked_channel *channel = w->scale + first;
        for (int32_t i = 0; i < count; i++) {
            sums[i] = 0;
        }
        job.end = sums + count;
        rl_dot_row(&job);
        job.filter += (ptrdiff_t)count * w->depth;
        for (int32_t i = 0; i < count; i++, channel++) {
            *output++ = rl_limit_s8(rl_rescale(channel->scale, channel->twice_bias + 2 * sums[i]), limits, false);
        }
    }
}

// Rows that lie behind each other in the input. The last row may be computed twice. Zeros behind filters meet values of
// the next rows, if there are any.
static void rl_prepacked_dense(struct rl_prepacked_work *w, const int8_t *input, int8_t *output)
{
    const ptrdiff_t depth = w->depth, step = w->layer->output.c;
    // Rows at the end for which the pair below does not do: they have fewer than three values behind.
    const int32_t rare = RL_SMALL || w->parts ? INT32_MAX : (w->pad ? 4 : 1);
    w->job.second = step;
    for (int32_t outputs = w->outputs; outputs > 0; outputs -= 2, input += 2 * depth, output += 2 * step) {
        if (outputs <= rare) {
            const ptrdiff_t second = outputs > 1 ? 1 : 0;
            const struct rl_prepacked_row rows[2] = {{input, 0, output},
                                                     {input + second * depth, 0, output + second * step}};
            rl_prepacked_two_rows(w, rows);
            continue;
        }
        rl_prepacked_start(w);
        rl_expand_two_rows(input, input + depth, w->padded, w->values, w->job.row_start);
        rl_prepacked_multiply_from(w, output, 0);
    }
}

// The patch of column `x`, in place or in `copy`. Both have runs of the same length.
static struct rl_prepacked_row rl_prepacked_patch(const struct rl_prepacked_work *w, const struct rl_patch_row *row,
                                                  int32_t x, int8_t *copy)
{
    const int8_t *inside = w->in_place ? rl_patch_inside(row, x) : NULL;
    if (inside) {
        return (struct rl_prepacked_row){inside, row->line_bytes, NULL};
    }
    if (RL_SMALL) {
        rl_patch_copy(row, x, copy);
    } else {
        w->copy(row, x, copy);
    }
    return (struct rl_prepacked_row){copy, w->run, NULL};
}

static void rl_prepacked_patches(struct rl_prepacked_work *w, const int8_t *input, int8_t *output, int8_t *copies)
{
    const struct rl_convolution *c = w->layer;
    struct rl_prepacked_row rows[2], *next = rows;
    for (int32_t y = 0; y < c->output.h; y++) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, c, input, y);
        if (!RL_SMALL && row.in_y >= w->last_y) {
            row.last_inside = rl_min_s32(row.last_inside, w->last_x);
        }
        for (int32_t x = 0; x < c->output.w; x++, output += c->output.c) {
            *next = rl_prepacked_patch(w, &row, x, next == rows ? copies : copies + w->depth);
            next->output = output;
            if (next++ != rows) {
                rl_prepacked_two_rows(w, rows);
                next = rows;
            }
        }
    }
    if (next != rows) {
        rows[1] = rows[0];
        rl_prepacked_two_rows(w, rows);
    }
}

static void rl_prepacked_begin(struct rl_prepacked_work *w, const struct rl_convolution *c, int32_t channels,
                               void *memory)
{
    w->layer = c;
    w->outputs = c->input.n * c->output.h * c->output.w;
    w->depth = rl_convolution_depth(c);
    w->part = rl_prepacked_part(w->depth);
    w->in_place = rl_prepacked_in_place(c);
    w->run = w->in_place && !c->dense ? c->filter.w * c->filter_channels : w->depth;
    w->limited = c->range.min <= INT8_MIN && c->range.max >= INT8_MAX ? 0 : RL_DOT_2X4_LIMITED;
    w->job.low = rl_repeat_s8x4(rl_ssat8(c->range.min));
    w->job.high = rl_repeat_s8x4(rl_ssat8(c->range.max));
    w->job.again = 0;
    w->padded = w->depth;
    w->last_y = INT32_MAX;
    w->parts = NULL;
    w->pad = NULL;
    w->scale = memory;
    w->values = (uint32_t *)(void *)(w->scale + channels);
    w->sums = (int32_t *)w->values + rl_prepacked_words(w->depth);
    w->job.values = w->values;
    rl_prepacked_begin_part(w, 0, w->part);
}

// Prepares the loops for filters with zeros behind, up to a multiple of four. Rows then have as many
// values: patches that are copied have zeros behind, and rows in place have what follows them in the input. Small code
// has no such filters.
static inline void rl_prepacked_pad_depth(struct rl_prepacked_work *w, int8_t *copies)
{
    const struct rl_convolution *c = w->layer;
    const int32_t depth = w->depth, padded = (depth + 3) & ~3;
    w->padded = padded;
    w->job.fours = padded / 4;
    w->job.rest = 0;
    w->job.special = w->limited;
    if (depth == padded) {
        return;
    }
    if (c->dense) {
        w->pad = rl_prepacked_pad;
        return;
    }
    for (int32_t i = depth; i < padded; i++) {
        copies[i] = copies[padded + i] = 0;
    }
    w->depth = w->run = padded;
    // Of the last row of the last group.
    const int32_t most = (c->input.w - 1) * c->input.c + c->filter_channels - padded;
    w->last_y = c->input.h - 1;
    w->last_x = most < 0 ? -1 : most / c->input.c;
}

// Prepares the channels [first, first + count).
static inline __attribute__((always_inline)) void rl_prepacked_channels(struct rl_prepacked_work *w, int32_t first,
                                                                        int32_t count)
{
    const struct rl_convolution *c = w->layer;
    const int32_t rounding = rl_rescale_rounding(c->output_offset);
    w->channels = count;
    w->filter = c->weights + (ptrdiff_t)first * w->depth;
    for (int32_t i = 0; i < count; i++) {
        w->scale[i].twice_bias = 2 * c->folded[first + i];
        w->scale[i].scale = rl_rescale_of(rounding, c->scales.multiplier[first + i], c->scales.shift[first + i]);
    }
}

// Runs the block that was prepared. `output` is that of its first channel.
static __attribute__((noinline)) void rl_prepacked_run_block(struct rl_prepacked_work *w, const int8_t *input,
                                                             int8_t *output, int8_t *copies)
{
    const struct rl_convolution *c = w->layer;
    if (c->dense) {
        rl_prepacked_dense(w, input, output);
        return;
    }
    const int32_t stored_h = c->spread_h ? c->input.h / 2 : c->input.h;
    const int32_t stored_w = c->spread_w ? c->input.w / 2 : c->input.w;
    const ptrdiff_t input_bytes = (ptrdiff_t)stored_h * stored_w * c->input.c;
    const ptrdiff_t output_bytes = (ptrdiff_t)c->output.h * c->output.w * c->output.c;
    for (int32_t n = 0; n < c->input.n; n++) {
        rl_prepacked_patches(w, input + n * input_bytes, output + n * output_bytes, copies);
    }
}

// The same, with a row that is left over alone, where that pays. Other programs lack the loop for it.
static inline void rl_prepacked_run_rest(struct rl_prepacked_work *w, const int8_t *input, int8_t *output,
                                         int8_t *copies)
{
    const struct rl_convolution *c = w->layer;
    const int32_t pairs = w->outputs & ~1;
    if (RL_SMALL || !c->dense || pairs == w->outputs || w->parts || w->pad || w->job.again != 0 ||
        w->depth < RL_PREPACKED_SINGLE_DEPTH) {
        rl_prepacked_run_block(w, input, output, copies);
        return;
    }
    w->outputs = pairs;
    rl_prepacked_run_block(w, input, output, copies);
    w->outputs = pairs + 1;
    rl_prepacked_single(w, input + (ptrdiff_t)pairs * w->depth, output + (ptrdiff_t)pairs * c->output.c);
}

// `whole` is a constant.
static inline __attribute__((always_inline)) void rl_prepacked_run_as(const struct rl_convolution *c, bool whole,
                                                                      const int8_t *input, int8_t *output,
                                                                      struct rl_scratch scratch)
{
    const int32_t block = rl_min_s32(c->output.c, RL_PREPACKED_CHANNELS);
    const int32_t bytes = rl_prepacked_bytes(rl_convolution_depth(c), block);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, c->least_scratch);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_prepacked_work w;
    rl_prepacked_begin(&w, c, block, rl_scratch_memory(scratch, bytes, stack));
    w.parts = whole || w.part == w.depth ? NULL : rl_prepacked_parts;
    if (!RL_SMALL) {
        w.copy = whole ? rl_patch_copy_runs : rl_patch_copy;
    }
    for (int32_t first = 0; first < c->output.c; first += block) {
        rl_prepacked_channels(&w, first, rl_min_s32(block, c->output.c - first));
        if (whole) {
            rl_prepacked_run_block(&w, input, output + first, copies);
        } else {
            rl_prepacked_run_rest(&w, input, output + first, copies);
        }
    }
}

static inline void rl_prepacked_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                    struct rl_scratch scratch)
{
    rl_prepacked_run_as(c, false, input, output, scratch);
}

static inline void rl_prepacked_whole_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                          struct rl_scratch scratch)
{
    rl_prepacked_run_as(c, true, input, output, scratch);
}

#endif
