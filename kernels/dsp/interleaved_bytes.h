// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that layers take which interleave their weights (interleave.h). It is plain arithmetic: memory
// planners use it on the host.
#ifndef RL_KERNELS_DSP_INTERLEAVED_BYTES_H
#define RL_KERNELS_DSP_INTERLEAVED_BYTES_H

#include <stdint.h>

#include "dsp/prepacked_bytes.h"
#include "requantize.h"

enum {
    RL_INTERLEAVED_ROWS = 4,                   // the fewest rows of a fully connected layer that may repay it
    RL_INTERLEAVED_STACK = 4096,               // bytes of a block on the stack
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

#endif
