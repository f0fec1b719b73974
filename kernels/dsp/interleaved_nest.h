// SPDX-License-Identifier: Apache-2.0
// Convolutions of many outputs with plain weights. The weights of some channels at a time are brought into the order of
// prepacked ones (convolution/prepacked.h), for all outputs, and the loops of those run: 15 cycles for 16 products on a
// Cortex-M4 instead of 19.
//
// Filters are as long as a multiple of four, with zeros behind. If the channels are not a multiple of four, the last
// group starts before its place and computes up to three channels again.
#ifndef RL_KERNELS_DSP_INTERLEAVED_NEST_H
#define RL_KERNELS_DSP_INTERLEAVED_NEST_H

#include "convolution/convolution.h"
#include "dsp/interleave.h"
#include "dsp/prepacked_tile.h"

// Interleaves the filters [first, first + count) and prepares their scales.
static void rl_interleaved_channels(struct rl_prepacked_work *w, int32_t first, int32_t count, int8_t *packed)
{
    const struct rl_convolution *c = w->layer;
    const int32_t rounding = rl_rescale_rounding(c->output_offset), depth = rl_convolution_depth(c);
    struct rl_prepacked_channel *scale = w->scale;
    rl_prepacked_set_channels(w, count);
    w->filter = packed;
    for (int32_t i = 0; i < count; i += RL_PREPACKED_GROUP, packed += RL_PREPACKED_GROUP * w->padded) {
        const int32_t group = first + rl_min_s32(i, count - RL_PREPACKED_GROUP);
        for (int32_t k = group; k < group + RL_PREPACKED_GROUP; k += 2, scale += 2) {
            const int8_t *filter = c->weights + (ptrdiff_t)k * depth;
            int32_t sums[2];
            rl_interleave_two(filter, filter + depth, depth, (uint32_t *)(void *)(packed + 2 * (k - group)), sums);
            for (int32_t both = 0; both < 2; both++) {
                const int32_t at = k + both, bias = c->bias ? c->bias[at] : 0;
                scale[both].twice_bias = 2 * (bias + c->input_offset * sums[both]);
                scale[both].scale = rl_rescale_of(rounding, c->scales.multiplier[at], c->scales.shift[at]);
            }
        }
    }
}

static __attribute__((noinline)) void rl_interleaved_run_blocks(const struct rl_convolution *c, const int8_t *input,
                                                                int8_t *output, struct rl_scratch scratch,
                                                                const struct rl_interleaved *blocks, int32_t copied)
{
    const int32_t bytes = rl_interleaved_bytes(blocks->depth, blocks->channels);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, copied);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    int8_t *const packed = rl_scratch_memory(scratch, bytes, stack);
    struct rl_prepacked_work w;
    rl_prepacked_begin(&w, c, blocks->channels, packed + blocks->depth * blocks->channels);
    rl_prepacked_pad_depth(&w, copies);
    w.copy = rl_patch_copy;
    for (int32_t first = 0, end = 0; first < c->output.c; input += c->filter_channels) {
        end += rl_convolution_group(c);
        for (int32_t count; first < end; first += count) {
            count = rl_min_s32(blocks->channels, end - first);
            const int32_t from = first - rl_interleaved_before(count);
            rl_interleaved_channels(&w, from, first + count - from, packed);
            rl_prepacked_run_rest(&w, input, output + from, copies);
        }
    }
}

// How the layer is divided with `room` bytes. False if interleaving does not pay then.
static inline bool rl_interleaved_fits(const struct rl_convolution *c, int32_t room, struct rl_interleaved *blocks)
{
    *blocks = rl_interleaved_blocks(rl_convolution_depth(c), rl_convolution_group(c), room);
    return blocks->channels > 0 && rl_interleaved_pays(c, blocks, RL_DUAL_ISSUE);
}

// Runs the layer if it is one for which this pays, and if its scales allow it; else returns false.
static inline bool rl_interleaved_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                      struct rl_scratch scratch)
{
    const int32_t copied = rl_interleaved_copied(c);
    if (!rl_interleaved_suits(c) || scratch.bytes < copied) {
        return false;
    }
    const int32_t given = rl_scratch_rest(scratch, copied).bytes;
    struct rl_interleaved blocks;
    if (!rl_interleaved_fits(c, rl_max_s32(given, RL_INTERLEAVED_STACK), &blocks)) {
        return false;
    }
    // A scratch that was planned for the layer, if only for plain weights, is all the memory that it takes.
    if (given < rl_interleaved_bytes(blocks.depth, blocks.channels) &&
        scratch.bytes >= rl_convolution_plain_scratch(c) && !rl_interleaved_fits(c, given, &blocks)) {
        return false;
    }
    if (!rl_rescale_fits_all(c->output_offset, c->scales, c->bias, INT32_C(1) << 27, c->output.c)) {
        return false;
    }
    rl_interleaved_run_blocks(c, input, output, scratch, &blocks, copied);
    return true;
}

#endif
