// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that layers take which interleave their weights (interleave.h). It is plain arithmetic: memory
// planners use it on the host, for all cores with DSP instructions.
#ifndef RL_KERNELS_DSP_INTERLEAVED_BYTES_H
#define RL_KERNELS_DSP_INTERLEAVED_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "convolution/convolution.h"
#include "convolution/prepacked.h"
#include "dsp/prepacked_bytes.h"
#include "requantize.h"

enum {
    RL_INTERLEAVED_ROWS = 4,                   // the fewest rows of a fully connected layer that may repay it
    RL_INTERLEAVED_OUTPUTS = 4,                // the most outputs of a convolution that seldom repay it
    RL_INTERLEAVED_STACK = 4224,               // bytes of a block on the stack: 16 filters of 192 weights
    RL_INTERLEAVED_DEPTH = RL_PREPACKED_DEPTH, // sums stay within 24 bits
};

// How a layer is divided.
struct rl_interleaved {
    int32_t depth;    // of a filter with the zeros behind
    int32_t channels; // of a block, a multiple of four
    int32_t blocks;
};

static inline int32_t rl_interleaved_bytes(int32_t depth, int32_t channels)
{
    return rl_prepacked_bytes(depth, channels) + depth * channels;
}

// Two patches that are copied, as long as filters with the zeros behind.
static inline int32_t rl_interleaved_copied(const struct rl_convolution *c)
{
    return c->dense ? 0 : 2 * ((rl_convolution_depth(c) + 3) & ~3);
}

// As few blocks as `room` bytes allow, of about the same size; no channels if not even four fit.
static inline struct rl_interleaved rl_interleaved_blocks(int32_t depth, int32_t channels, int32_t room)
{
    struct rl_interleaved blocks = {(depth + 3) & ~3, 0, 0};
    const int32_t most = (room - rl_interleaved_bytes(blocks.depth, 0)) / (blocks.depth + RL_PREPACKED_CHANNEL_BYTES);
    const int32_t fours = rl_min_s32(most, RL_PREPACKED_CHANNELS) / 4;
    if (fours > 0) {
        blocks.blocks = ((channels + 3) / 4 + fours - 1) / fours;
        blocks.channels = ((channels + blocks.blocks - 1) / blocks.blocks + 3) & ~3;
    }
    return blocks;
}

// Whether a convolution of int8 may interleave its weights, whatever is behind it.
static inline bool rl_interleaved_takes(const struct rl_convolution *c)
{
    return c->path != RL_CONVOLUTION_TAPS_FIRST && rl_convolution_group(c) >= RL_PREPACKED_GROUP &&
           rl_convolution_depth(c) <= RL_INTERLEAVED_DEPTH && rl_convolution_outputs(c) > RL_INTERLEAVED_OUTPUTS;
}

// The same for one with nothing behind.
static inline bool rl_interleaved_suits(const struct rl_convolution *c)
{
    return c->type == RL_CONVOLUTION_S8 && rl_interleaved_takes(c);
}

// Whether that takes less time than it saves. `dual` is RL_DUAL_ISSUE of the core. Figures are 64ths of a cycle, fitted
// to 900 layers that ran both ways. Filters that are not whole words cost other loops more, on a Cortex-M7 most, and so
// do a channel without a second one, and one or two outputs behind groups of three. `saved` is what each output saves
// beyond that.
static inline __attribute__((always_inline)) bool
rl_interleaved_pays_more(const struct rl_convolution *c, const struct rl_interleaved *blocks, bool dual, int32_t saved)
{
    const int32_t channels = rl_convolution_group(c), depth = rl_convolution_depth(c), odd = channels & 1;
    const int32_t again = (-channels & 3) - odd; // channels that this computes again beyond what other loops do
    const int32_t others = (channels + RL_CHANNEL_BLOCK - 1) / RL_CHANNEL_BLOCK; // blocks otherwise
    const int32_t outputs = rl_convolution_outputs(c), left = outputs % 3;
    const bool split = (depth & 3) != 0, copied = !c->dense && c->filter.h > 1;
    const int32_t of_product = dual ? (split ? 19 : 2) : (split ? 15 : 11);
    const int32_t of_output = depth * of_product + (dual ? 375 : 430) + (split ? (dual ? 63 : 100) : 0) + saved;
    const int32_t of_again = dual ? 31 * depth + 1090 : 74 * depth + 630;
    const int32_t of_value = (dual ? 89 : 161) + (copied ? (dual ? 94 : 204) : 0);
    const int32_t of_single = dual ? 1840 : 1580;
    const int32_t of_one = dual ? -6 * depth + 110 : 95 * depth + 140;
    const int32_t of_two = dual ? 72 * depth + 380 : 102 * depth + 430;
    const int32_t of_second = (outputs & 1) * (dual ? 25 * depth + 140 : 55 * depth + 60); // an output computed again
    const int32_t of_channel = dual ? 146 * depth + 2550 : 198 * depth + 3100;             // to interleave its weights
    const int64_t gain = (int64_t)channels * of_output + odd * of_single - (int64_t)again * of_again -
                         (int64_t)(blocks->blocks - others) * depth * of_value;
    const int32_t of_rest[3] = {0, of_one, of_two};
    return outputs * gain > (int64_t)channels * (of_channel + of_second - of_rest[left]) + (dual ? 12000 : 12400);
}

static inline bool rl_interleaved_pays(const struct rl_convolution *c, const struct rl_interleaved *blocks, bool dual)
{
    return rl_interleaved_pays_more(c, blocks, dual, 0);
}

// ---- with a PReLU behind

// A block on the stack, without what its channels take more.
enum { RL_INTERLEAVED_PRELU_STACK = RL_INTERLEAVED_STACK - RL_PREPACKED_PRELU_BYTES * RL_PREPACKED_CHANNELS };

static inline int32_t rl_interleaved_prelu_bytes(int32_t depth, int32_t channels)
{
    return rl_interleaved_bytes(depth, channels) + RL_PREPACKED_PRELU_BYTES * channels;
}

// How the layer is divided. No channels if interleaving does not pay, compared with a convolution and a PReLU behind
// it: that takes another five cycles an output at least.
static inline struct rl_interleaved rl_interleaved_prelu_blocks(const struct rl_convolution *c, bool dual)
{
    enum { SAVED = 5 * 64 };
    struct rl_interleaved blocks = {0, 0, 0};
    if (rl_interleaved_takes(c)) {
        blocks = rl_interleaved_blocks(rl_convolution_depth(c), rl_convolution_group(c), RL_INTERLEAVED_PRELU_STACK);
        blocks.channels = rl_interleaved_pays_more(c, &blocks, dual, SAVED) ? blocks.channels : 0;
    }
    return blocks;
}

#endif
