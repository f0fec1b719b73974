// SPDX-License-Identifier: Apache-2.0
// Fully connected layers of several rows, and products of matrices. The filters of some channels at a time are brought
// into the order of prepacked ones, for all rows, which then run two at a time as pixels of a convolution do
// (interleaved_nest.h).
//
// An offset of the weights multiplies the sum of each row. So the sum is one more value of the row, and the offset its
// weight in all filters: the loop needs to know nothing of it.
#ifndef RL_KERNELS_DSP_ROWS_NEST_H
#define RL_KERNELS_DSP_ROWS_NEST_H

#include "dsp/interleave.h"
#include "dsp/prepacked_tile.h"
#include "fully_connected/fully_connected.h"

enum {
    RL_ROWS_OFFSET_DEPTH = 240, // sums of a row have 16 bits, and products with them leave the others within 24
    // Measured, in 64ths of a cycle.
    RL_ROWS_PRODUCT = RL_DUAL_ISSUE ? 16 : 28,        // saved for each product
    RL_ROWS_OUTPUT = RL_DUAL_ISSUE ? 400 : 1000,      // and for each output
    RL_ROWS_OFFSET = RL_DUAL_ISSUE ? 400 : 900,       // and where weights have an offset
    RL_ROWS_AGAIN = RL_DUAL_ISSUE ? 32 : 64,          // to compute a product again
    RL_ROWS_VALUE = RL_DUAL_ISSUE ? 80 : 150,         // to expand a value of two rows
    RL_ROWS_PAIR = 64 * (RL_DUAL_ISSUE ? 80 : 150),   // to start two rows
    RL_ROWS_WEIGHT = RL_DUAL_ISSUE ? 110 : 180,       // to interleave a weight
    RL_ROWS_CHANNEL = 64 * (RL_DUAL_ISSUE ? 30 : 50), // to prepare a channel
    RL_ROWS_LAYER = 64 * 200,
};

// A block of channels while it runs.
struct rl_rows_work {
    struct rl_prepacked_work block; // its layer is not read
    const struct rl_fully_connected *layer;
    int8_t weight; // of the sum of a row, or 0
    bool negative; // the sum is taken negative
    struct rl_interleaved blocks;
};

// Whether the loop takes the layer's scales and biases.
static inline bool rl_rows_scales_fit(const struct rl_fully_connected *f)
{
    const int32_t limit = INT32_C(1) << 27;
    const bool many = f->scales.multiplier;
    if (!many && !f->has_rescale) {
        return false;
    }
    for (int32_t i = 0; f->base && i < f->channels; i++) {
        if (f->base[i] < -limit || f->base[i] > limit) {
            return false;
        }
    }
    for (int32_t i = 0; many && i < f->channels; i++) {
        if (!rl_rescale_fits(f->output_offset, f->scales.shift[i])) {
            return false;
        }
    }
    return true;
}

// Writes the weight of the sum behind the weights of a group of filters.
static inline void rl_rows_append(int8_t *group, int32_t depth, int8_t weight)
{
    int8_t *four = group + 4 * (depth & ~3);
    if ((depth & 3) == 0) {
        uint32_t *words = (uint32_t *)(void *)four;
        words[0] = words[1] = words[2] = words[3] = UINT32_C(0x00800080);
    }
    for (int32_t filter = 0; filter < RL_PREPACKED_GROUP; filter++) {
        four[8 * (depth & 1) + 4 * (filter >> 1) + (depth & 2) + (filter & 1)] = rl_prepacked_byte(weight, filter);
    }
}

// The scale of a channel and its bias with all offsets folded in.
static inline struct rl_prepacked_channel rl_rows_channel(const struct rl_fully_connected *f, int32_t channel,
                                                          int32_t bias)
{
    const int32_t rounding = rl_rescale_rounding(f->output_offset);
    const int32_t *multiplier = f->scales.multiplier;
    return (struct rl_prepacked_channel){
        2 * bias, multiplier ? rl_rescale_of(rounding, multiplier[channel], f->scales.shift[channel]) : f->rescale};
}

// Interleaves the filters [first, first + count) and prepares their scales.
static inline void rl_rows_channels(struct rl_rows_work *w, int32_t first, int32_t count, int8_t *packed)
{
    const struct rl_fully_connected *f = w->layer;
    const int32_t depth = f->depth;
    struct rl_prepacked_channel *scale = w->block.scale;
    rl_prepacked_set_channels(&w->block, count);
    w->block.filter = packed;
    for (int32_t i = 0; i < count; i += RL_PREPACKED_GROUP, packed += RL_PREPACKED_GROUP * w->blocks.depth) {
        const int32_t group = first + rl_min_s32(i, count - RL_PREPACKED_GROUP);
        for (int32_t k = group; k < group + RL_PREPACKED_GROUP; k += 2) {
            const int8_t *filter = f->weights + (ptrdiff_t)k * depth;
            int32_t sums[2];
            rl_interleave_two(filter, filter + depth, depth, (uint32_t *)(void *)(packed + 2 * (k - group)), sums);
            for (int32_t at = k; at < k + 2; at++) {
                const int32_t offset = f->base_offset * (sums[at - k] + depth * f->weight_offset);
                *scale++ = rl_rows_channel(f, at, (f->base ? f->base[at] : 0) + offset);
            }
        }
        if (w->weight != 0) {
            rl_rows_append(packed, depth, w->weight);
        }
    }
}

// Places the sums of both rows behind their values.
static inline void rl_rows_place(struct rl_rows_work *w)
{
    const int32_t at = w->layer->depth & 3;
    uint32_t *words = w->block.values + (w->layer->depth & ~3) + 2 * (at & 1);
    for (int32_t row = 0; row < 2; row++) {
        int32_t *start = &w->block.job.row_start[row];
        const int32_t sum = -*start / 128, value = w->negative ? -sum : sum;
        const uint32_t half = (uint32_t)value & 0xffffu;
        *start -= 128 * value;
        if (at == 0) {
            words[row] = half;
            words[2 + row] = 0;
        } else {
            words[row] |= at == 1 ? half : half << 16;
        }
    }
}

// Two rows from number `row` on. The last row may be computed twice.
static inline void rl_rows_find(const struct rl_fully_connected *f, int32_t row, const int8_t *input, int8_t *output,
                                struct rl_prepacked_row rows[2])
{
    const int32_t second = rl_min_s32(row + 1, f->rows - 1);
    rows[0] = (struct rl_prepacked_row){input + (ptrdiff_t)row * f->depth, 0, output + (ptrdiff_t)row * f->channels};
    rows[1] =
        (struct rl_prepacked_row){input + (ptrdiff_t)second * f->depth, 0, output + (ptrdiff_t)second * f->channels};
}

// Multiplies two rows by the channels of the block.
static inline void rl_rows_two(struct rl_rows_work *w, const struct rl_prepacked_row rows[2])
{
    const int32_t depth = w->layer->depth;
    rl_prepacked_start(&w->block);
    rl_expand_two_rows(rows[0].first, rows[1].first, depth, w->block.values, w->block.job.row_start);
    if ((depth & 3) != 0) {
        w->block.depth = depth;
        rl_prepacked_pad(&w->block);
    }
    if (w->weight != 0) {
        rl_rows_place(w);
    }
    rl_prepacked_multiply(&w->block, rows, 0);
}

// Prepares the loops for `count` values of each row, with scales at `scale` and values behind.
static inline void rl_rows_begin(struct rl_prepacked_work *b, const struct rl_fully_connected *f, int32_t count,
                                 struct rl_prepacked_channel *scale, int32_t channels)
{
    b->limited = f->range.min <= INT8_MIN && f->range.max >= INT8_MAX ? 0 : RL_DOT_2X4_LIMITED;
    b->depth = count;
    b->scale = scale;
    b->values = (uint32_t *)(void *)(scale + channels);
    b->sums = NULL;
    b->job.again = 0;
    b->job.values = b->values;
    b->job.low = rl_repeat_s8x4(rl_ssat8(f->range.min));
    b->job.high = rl_repeat_s8x4(rl_ssat8(f->range.max));
    rl_prepacked_begin_part(b, 0, count);
}

static __attribute__((noinline)) void rl_rows_run_blocks(struct rl_rows_work *w, const int8_t *input, int8_t *output,
                                                         struct rl_scratch scratch)
{
    const struct rl_fully_connected *f = w->layer;
    const int32_t bytes = rl_interleaved_bytes(w->blocks.depth, w->blocks.channels);
    scratch = rl_scratch_rest(scratch, 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    int8_t *const packed = rl_scratch_memory(scratch, bytes, stack);
    void *const scales = packed + w->blocks.depth * w->blocks.channels;
    rl_rows_begin(&w->block, f, w->blocks.depth, scales, w->blocks.channels);
    for (int32_t first = 0; first < f->channels; first += w->blocks.channels) {
        const int32_t count = rl_min_s32(w->blocks.channels, f->channels - first);
        const int32_t from = first - rl_interleaved_before(count);
        rl_rows_channels(w, from, first + count - from, packed);
        for (int32_t row = 0; row < f->rows; row += 2) {
            struct rl_prepacked_row rows[2];
            rl_rows_find(f, row, input, output + from, rows);
            rl_rows_two(w, rows);
        }
    }
}

// What is saved for each output.
static inline int32_t rl_rows_of_output(const struct rl_fully_connected *f)
{
    return f->depth * RL_ROWS_PRODUCT + RL_ROWS_OUTPUT + (f->weight_offset != 0 ? RL_ROWS_OFFSET : 0);
}

// Whether rl_rows_pay may be true. Small layers are refused before blocks are computed, which takes divisions.
static inline bool rl_rows_may_pay(const struct rl_fully_connected *f)
{
    const int64_t gain = (int64_t)f->rows * rl_rows_of_output(f) - f->depth * RL_ROWS_WEIGHT - RL_ROWS_CHANNEL;
    return f->channels * gain > RL_ROWS_LAYER;
}

// Whether interleaving takes less time than it saves.
static inline bool rl_rows_pay(const struct rl_fully_connected *f, const struct rl_interleaved *blocks)
{
    const int32_t depth = f->depth, pairs = (f->rows + 1) / 2;
    const int64_t outputs = (int64_t)f->rows * f->channels;
    const int64_t again = (int64_t)2 * pairs * ((f->channels + 3) & ~3) - outputs;
    return outputs * rl_rows_of_output(f) >
           again * (depth * RL_ROWS_AGAIN + 16 * RL_ROWS_AGAIN) +
               (int64_t)blocks->blocks * pairs * (depth * RL_ROWS_VALUE + RL_ROWS_PAIR) +
               (int64_t)f->channels * (depth * RL_ROWS_WEIGHT + RL_ROWS_CHANNEL) + RL_ROWS_LAYER;
}

// See rl_fully_connected_run_rows.
static inline bool rl_rows_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    struct rl_rows_work w;
    const int32_t most = f->weight_offset == 0 ? (int32_t)RL_INTERLEAVED_DEPTH : (int32_t)RL_ROWS_OFFSET_DEPTH;
    if (f->channels < RL_PREPACKED_GROUP || f->depth < 1 || f->depth > most) {
        return false;
    }
    if (!rl_rows_may_pay(f)) {
        return false;
    }
    w.layer = f;
    w.negative = f->weight_offset > INT8_MAX;
    w.weight = (int8_t)(w.negative ? -f->weight_offset : f->weight_offset);
    w.blocks = rl_interleaved_blocks(f->depth + (f->weight_offset != 0), f->channels, RL_INTERLEAVED_STACK);
    if (!rl_rows_pay(f, &w.blocks) || !rl_rows_scales_fit(f)) {
        return false;
    }
    rl_rows_run_blocks(&w, input, output, scratch);
    return true;
}

// See rl_fully_connected_prepacked_rows_run. False if the loop does not take the layer.
static inline bool rl_rows_prepacked_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    const int32_t block = rl_min_s32(f->channels, RL_PREPACKED_CHANNELS);
    if (f->rows < 2 || f->depth > RL_PREPACKED_DEPTH || !rl_rows_scales_fit(f)) {
        return false;
    }
    uint64_t memory[(rl_prepacked_bytes(f->depth, block) + 7) / 8];
    struct rl_prepacked_work w; // its layer is not read
    rl_rows_begin(&w, f, f->depth, (struct rl_prepacked_channel *)(void *)memory, block);
    for (int32_t first = 0; first < f->channels; first += block) {
        w.channels = rl_min_s32(block, f->channels - first);
        w.filter = f->weights + (ptrdiff_t)first * f->depth;
        for (int32_t i = 0; i < w.channels; i++) {
            w.scale[i] = rl_rows_channel(f, first + i, f->folded[first + i]);
        }
        for (int32_t row = 0; row < f->rows; row += 2) {
            struct rl_prepacked_row rows[2];
            rl_rows_find(f, row, input, output + first, rows);
            rl_prepacked_start(&w);
            rl_expand_two_rows(rows[0].first, rows[1].first, f->depth, w.values, w.job.row_start);
            rl_prepacked_multiply(&w, rows, 0);
        }
    }
    return true;
}

#endif
