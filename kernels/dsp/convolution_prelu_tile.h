// SPDX-License-Identifier: Apache-2.0
// Convolutions with a PReLU behind: with prepacked weights, the loops of those with another end (dot_2x4_prelu.h).
// Plain weights are interleaved first where that pays, as in interleaved_nest.h; else scalar/convolution_prelu_rows.h.
#ifndef RL_KERNELS_DSP_CONVOLUTION_PRELU_TILE_H
#define RL_KERNELS_DSP_CONVOLUTION_PRELU_TILE_H

#include "convolution/scale_prelu.h"
#include "dsp/dot_2x4_prelu.h"
#include "dsp/interleave.h"
#include "dsp/prepacked_tile.h"
#include "scalar/convolution_prelu_rows.h"

__extension__ _Static_assert((int)sizeof(struct rl_prelu_channel) ==
                                 (int)RL_PREPACKED_CHANNEL_BYTES + (int)RL_PREPACKED_PRELU_BYTES,
                             "planners count with it");

// In place of rl_prepacked_multiply.
static void rl_prelu_multiply(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2], int32_t at)
{
    w->job.second = rows[1].output - rows[0].output;
    rl_prepacked_aim(w, rows[0].output, at);
    rl_dot_2x4_prelu(&w->job);
}

// In place of rl_prepacked_parts.
static void rl_prelu_two_rows(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2])
{
    const bool is_whole = w->part == w->depth;
    for (int32_t at = 0; at < w->depth; at += w->part) {
        const int32_t count = rl_min_s32(w->part, w->depth - at);
        if (is_whole && w->run == w->depth) {
            rl_prepacked_start(w);
            rl_expand_two_rows(rows[0].first, rows[1].first, count, w->values, w->job.row_start);
        } else {
            rl_prepacked_expand_runs(w, rows, at, count);
        }
        if (!is_whole) {
            rl_prepacked_begin_part(w, at, count);
        }
        rl_prelu_multiply(w, rows, at);
    }
}

static inline struct rl_prelu_channel rl_prelu_channel_of(const struct rl_convolution *c, int32_t channel, int32_t bias)
{
    const int32_t *multiplier = c->scales.multiplier + channel;
    const struct rl_rescale scale = rl_prelu_scale(c->output_offset, *multiplier, c->scales.shift[channel]);
    return (struct rl_prelu_channel){bias, scale.multiplier, multiplier[c->output.c], scale.addend, scale.right_shift};
}

// Prepares the channels [first, first + count) in `channel`.
static inline void rl_prelu_channels(struct rl_prepacked_work *w, int32_t first, int32_t count,
                                     struct rl_prelu_channel *channel)
{
    const struct rl_convolution *c = w->layer;
    w->channels = count;
    w->filter = c->weights + (ptrdiff_t)first * w->depth;
    w->scale = (struct rl_prepacked_channel *)(void *)channel;
    for (int32_t i = first; i < first + count; i++) {
        *channel++ = rl_prelu_channel_of(c, i, c->folded[i]);
    }
}

static __attribute__((noinline)) void rl_prelu_prepacked(const struct rl_convolution *c, const int8_t *input,
                                                         int8_t *output, struct rl_scratch scratch)
{
    const int32_t block = rl_min_s32(c->output.c, RL_PREPACKED_CHANNELS);
    const int32_t bytes = rl_prepacked_prelu_bytes(rl_convolution_depth(c), block);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, c->least_scratch);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct rl_prelu_channel *const channels = rl_scratch_memory(scratch, bytes, stack);
    struct rl_prepacked_work w;
    rl_prepacked_begin(&w, c, block, (int8_t *)channels + RL_PREPACKED_PRELU_BYTES * block);
    w.parts = rl_prelu_two_rows;
    w.copy = rl_patch_copy;
    for (int32_t first = 0; first < c->output.c; first += block) {
        rl_prelu_channels(&w, first, rl_min_s32(block, c->output.c - first), channels);
        rl_prepacked_run_block(&w, input, output + first, copies);
    }
}

// ---- plain weights

static void rl_prelu_interleaved_rows(struct rl_prepacked_work *w, const struct rl_prepacked_row rows[2])
{
    if (w->run == w->depth) {
        rl_prepacked_start(w);
        rl_expand_two_rows(rows[0].first, rows[1].first, w->depth, w->values, w->job.row_start);
    } else {
        rl_prepacked_expand_runs(w, rows, 0, w->depth);
    }
    if (w->pad) {
        w->pad(w);
    }
    rl_prelu_multiply(w, rows, 0);
}

// Interleaves the filters [first, first + count) and prepares their channels.
static void rl_prelu_interleave(struct rl_prepacked_work *w, int32_t first, int32_t count, int8_t *packed)
{
    const struct rl_convolution *c = w->layer;
    const int32_t depth = rl_convolution_depth(c);
    struct rl_prelu_channel *channel = (void *)w->scale;
    rl_prepacked_set_channels(w, count);
    w->filter = packed;
    for (int32_t i = 0; i < count; i += RL_PREPACKED_GROUP, packed += RL_PREPACKED_GROUP * w->padded) {
        const int32_t group = first + rl_min_s32(i, count - RL_PREPACKED_GROUP);
        for (int32_t k = group; k < group + RL_PREPACKED_GROUP; k += 2) {
            const int8_t *filter = c->weights + (ptrdiff_t)k * depth;
            int32_t sums[2];
            rl_interleave_two(filter, filter + depth, depth, (uint32_t *)(void *)(packed + 2 * (k - group)), sums);
            for (int32_t both = 0; both < 2; both++) {
                const int32_t bias = (c->bias ? c->bias[k + both] : 0) + c->input_offset * sums[both];
                *channel++ = rl_prelu_channel_of(c, k + both, c->folded ? c->folded[k + both] : bias);
            }
        }
    }
}

static __attribute__((noinline)) void rl_prelu_interleaved(const struct rl_convolution *c, const int8_t *input,
                                                           int8_t *output, struct rl_scratch scratch,
                                                           const struct rl_interleaved *blocks)
{
    const int32_t bytes = rl_interleaved_prelu_bytes(blocks->depth, blocks->channels);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, rl_interleaved_copied(c));
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    int8_t *const packed = rl_scratch_memory(scratch, bytes, stack);
    int8_t *const channels = packed + blocks->depth * blocks->channels;
    struct rl_prepacked_work w;
    rl_prepacked_begin(&w, c, blocks->channels, channels + RL_PREPACKED_PRELU_BYTES * blocks->channels);
    w.scale = (struct rl_prepacked_channel *)(void *)channels;
    rl_prepacked_pad_depth(&w, copies);
    w.parts = rl_prelu_interleaved_rows;
    w.copy = rl_patch_copy;
    for (int32_t first = 0; first < c->output.c; first += blocks->channels) {
        const int32_t count = rl_min_s32(blocks->channels, c->output.c - first);
        const int32_t from = first - rl_interleaved_before(count);
        rl_prelu_interleave(&w, from, first + count - from, packed);
        rl_prepacked_run_block(&w, input, output + from, copies);
    }
}

static void rl_prelu_plain(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch)
{
    const struct rl_interleaved blocks = rl_interleaved_prelu_blocks(c, RL_DUAL_ISSUE);
    if (!RL_SMALL && blocks.channels > 0 && scratch.bytes >= rl_interleaved_copied(c)) {
        rl_prelu_interleaved(c, input, output, scratch, &blocks);
    } else {
        rl_prelu_plain_rows(c, input, output, scratch);
    }
}

#endif
