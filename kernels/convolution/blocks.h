// SPDX-License-Identifier: Apache-2.0
// The blocks of channels in which convolutions run, and the memory of a block. This header is plain arithmetic on top
// of rl_matmul_tile_bytes and RL_MATMUL_SCALE_BYTES, which must be defined before it is included: kernels define those
// of their tile, planners those of the core for which they plan.
#ifndef RL_KERNELS_CONVOLUTION_BLOCKS_H
#define RL_KERNELS_CONVOLUTION_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "convolution/convolution.h"

// Bytes of a block, unless the scratch has at least half of them: then it is used as it is. Where taps come first,
// patches are copied again for each block of channels, so blocks must be few: two for 64 channels of 10x4.
enum { RL_BLOCK_ENOUGH = 2272 };

// The sizes that all blocks share.
struct rl_block_shape {
    int32_t matmul_bytes; // of a struct rl_matmul, a multiple of 8
    int32_t depth;        // of a filter
    int32_t channels;     // of a group
    bool taps_first;      // as in struct rl_convolution
};

// Bytes of the biases and scales of `channels` channels.
static inline int32_t rl_folded_bytes(int32_t channels)
{
    return rl_even(channels) * ((int32_t)sizeof(int32_t) + RL_MATMUL_SCALE_BYTES);
}

// Bytes of copies of patches. Where taps come first, a block has them in front, and filters in the usual order behind.
static inline int32_t rl_patches_bytes(int32_t depth)
{
    return (RL_PATCHES * depth + 7) & ~7;
}

static inline int32_t rl_block_bytes(const struct rl_block_shape *s, int32_t channels)
{
    const int32_t bytes = s->matmul_bytes + rl_folded_bytes(channels) + rl_matmul_tile_bytes(s->depth, channels);
    return s->taps_first ? bytes + rl_patches_bytes(s->depth) + channels * s->depth : bytes;
}

// Channels of a block when `given` bytes are available: as few blocks as possible, all of about the same size. Given
// memory in which not even two channels fit is not used.
static inline int32_t rl_block_channels(const struct rl_block_shape *s, int32_t given)
{
    if (!s->taps_first && s->channels <= RL_CHANNEL_BLOCK) {
        return rl_even(s->channels);
    }
    const bool serves = given >= RL_BLOCK_ENOUGH / 2 && given >= rl_block_bytes(s, 2);
    const int32_t room = serves ? given : RL_BLOCK_ENOUGH;
    int32_t blocks = s->channels / (RL_CHANNEL_BLOCK + 1), block;
    do {
        blocks++;
        block = rl_even(blocks == 1 ? s->channels : (s->channels + blocks - 1) / blocks);
        if (RL_HAS_MVE && blocks > 1 && !s->taps_first) {
            block = RL_CHANNEL_BLOCK; // whole parts of vectors, and a smaller last block
        }
    } while (block > RL_CHANNEL_BLOCK || (s->taps_first && block > 2 && rl_block_bytes(s, block) > room));
    return block;
}

#endif
