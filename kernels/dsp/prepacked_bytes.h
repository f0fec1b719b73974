// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that a convolution with prepacked weights takes on DSP cores. It is plain arithmetic: the memory
// planner uses it on the host.
#ifndef RL_KERNELS_DSP_PREPACKED_BYTES_H
#define RL_KERNELS_DSP_PREPACKED_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "convolution/convolution.h"
#include "requantize.h"

enum {
    RL_PREPACKED_ROWS = 2,
    RL_PREPACKED_DEPTH = 384,        // values of each row that are expanded at a time, a multiple of four
    RL_PREPACKED_CHANNELS = 64,      // channels whose scales are kept at a time
    RL_PREPACKED_CHANNEL_BYTES = 16, // of struct rl_prepacked_channel
    RL_PREPACKED_SUM_BYTES = 2 * 4,  // of a channel, if there is more than one part
    RL_PREPACKED_PRELU_BYTES = 4,    // of a channel, more with a PReLU behind
};

// Whether runs of the input are expanded where they lie, on layers that are not dense.
static inline bool rl_prepacked_in_place(const struct rl_convolution *c)
{
    const int32_t run = c->filter.w * c->filter_channels;
    return c->rows_are_runs && ((run % 4 == 0 && run >= 16) || c->filter.h == 1);
}

// Values of a row that are expanded at a time: parts of about the same size, all but the last a multiple of four.
static inline int32_t rl_prepacked_part(int32_t depth)
{
    const int32_t parts = (depth + RL_PREPACKED_DEPTH - 1) / RL_PREPACKED_DEPTH;
    return parts > 1 ? ((depth + parts - 1) / parts + 3) & ~3 : depth;
}

// Words of the expanded values of both rows. The last one to three values of a row take a word each.
static inline int32_t rl_prepacked_words(int32_t depth)
{
    return RL_PREPACKED_ROWS * (rl_prepacked_part(depth) / 2 + 2);
}

// Bytes of the scales, sums and expanded values of `channels` channels.
static inline int32_t rl_prepacked_bytes(int32_t depth, int32_t channels)
{
    const int32_t block = rl_min_s32(channels, RL_PREPACKED_CHANNELS);
    const int32_t sums = depth > RL_PREPACKED_DEPTH ? RL_PREPACKED_SUM_BYTES * block : 0;
    return RL_PREPACKED_CHANNEL_BYTES * block + sums + 4 * rl_prepacked_words(depth);
}

// The same with a PReLU behind.
static inline int32_t rl_prepacked_prelu_bytes(int32_t depth, int32_t channels)
{
    return rl_prepacked_bytes(depth, channels) + RL_PREPACKED_PRELU_BYTES * rl_min_s32(channels, RL_PREPACKED_CHANNELS);
}

#endif
