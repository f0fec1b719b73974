// SPDX-License-Identifier: Apache-2.0
// Convolutions with a PReLU behind: with prepacked weights, the loops of those with another end (dot_2x4_prelu.h).
// Plain weights: scalar/convolution_prelu_rows.h.
#ifndef RL_KERNELS_DSP_CONVOLUTION_PRELU_TILE_H
#define RL_KERNELS_DSP_CONVOLUTION_PRELU_TILE_H

#include "convolution/scale_prelu.h"
#include "dsp/dot_2x4_prelu.h"
#include "dsp/prepacked_tile.h"
#include "scalar/convolution_prelu_rows.h"

__extension__ _Static_assert((int)sizeof(struct rl_prelu_channel) ==
                                 (int)RL_PREPACKED_CHANNEL_BYTES + (int)RL_PREPACKED_PRELU_BYTES,
                             "planners count with it");

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
        w->job.filter = w->filter + (ptrdiff_t)RL_PREPACKED_GROUP * at;
        w->job.scale = w->scale;
        w->job.output[0] = rows[0].output;
        w->job.output[1] = rows[1].output;
        w->job.end = rows[0].output + w->channels;
        rl_dot_2x4_prelu(&w->job);
    }
}

// Prepares the channels [first, first + count) in `channel`.
static inline void rl_prelu_channels(struct rl_prepacked_work *w, int32_t first, int32_t count,
                                     struct rl_prelu_channel *channel)
{
    const struct rl_convolution *c = w->layer;
    const int32_t *multiplier = c->scales.multiplier + first;
    w->channels = count;
    w->filter = c->weights + (ptrdiff_t)first * w->depth;
    w->scale = (struct rl_prepacked_channel *)(void *)channel;
    for (int32_t i = 0; i < count; i++, channel++, multiplier++) {
        const struct rl_rescale scale = rl_prelu_scale(c->output_offset, *multiplier, c->scales.shift[first + i]);
        *channel = (struct rl_prelu_channel){c->folded[first + i], scale.multiplier, multiplier[c->output.c],
                                             scale.addend, scale.right_shift};
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

#endif
