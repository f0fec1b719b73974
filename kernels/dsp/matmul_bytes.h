// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that the DSP tiles of convolution and fully connected layers take. It is plain arithmetic: the
// memory planner uses it on the host.
#ifndef RL_KERNELS_DSP_MATMUL_BYTES_H
#define RL_KERNELS_DSP_MATMUL_BYTES_H

#include <stdint.h>

#include "elementwise/rescale.h"
#include "requantize.h"

enum {
    RL_MATMUL_ROWS = 3,
    RL_MATMUL_SCALE_BYTES = (int32_t)sizeof(struct rl_rescale),
    RL_EXPANDED_DEPTH = 320, // values of each row that are expanded at a time, if they are not all
    RL_EXPANDED_WHOLE = 384, // up to this depth all are, which saves the sums between
    // The most words of expanded values. A depth of one value less takes them: its last three values take a word each,
    // instead of sharing one.
    RL_EXPANDED_WORDS = (RL_EXPANDED_DEPTH / 2 + 1) * RL_MATMUL_ROWS,
};

// Sizes for a single row.
enum {
    RL_ROW_STEP = 8,     // values multiplied at a time
    RL_ROW_BLOCK = 256,  // values expanded at a time, a multiple of 4 steps
    RL_LONG_BLOCK = 512, // the same in a fully connected layer with plain weights
    RL_SUM_BLOCK = 132,  // sums kept at a time, a multiple of the filters in a group
};

// The bytes of a fully connected layer: its sums, then the words of struct rl_dot_1x3.
static inline int32_t rl_fully_connected_bytes(int32_t depth, int32_t channels)
{
    const int32_t steps = (rl_min_s32(depth, RL_LONG_BLOCK) + RL_ROW_STEP - 1) / RL_ROW_STEP;
    return 4 * (rl_min_s32(channels, RL_SUM_BLOCK) + 4 * steps + 4);
}

// The bytes of a product: the expanded values and, if there is more than one part, the sums; or those of a single row.
static inline int32_t rl_matmul_tile_bytes(int32_t depth, int32_t channels)
{
    const int32_t three = depth > RL_EXPANDED_WHOLE ? 4 * (RL_EXPANDED_WORDS + RL_MATMUL_ROWS * (channels + 1))
                                                    : 4 * RL_MATMUL_ROWS * (depth / 2 + 2);
    return rl_max_s32(three, rl_fully_connected_bytes(depth, channels));
}

// The words of the expanded values of a product with int16 results.
static inline int32_t rl_matmul_s16_words(int32_t depth)
{
    return depth > RL_EXPANDED_WHOLE ? RL_EXPANDED_WORDS : RL_MATMUL_ROWS * (depth / 2 + 2);
}

// The bytes of a product with int16 results: biases, the expanded values, and the sums of three rows, all for an even
// number of channels.
static inline int32_t rl_matmul_s16_bytes(int32_t depth, int32_t channels)
{
    const int32_t even = (channels + 1) & ~1;
    return 4 * (even + rl_matmul_s16_words(depth) + RL_MATMUL_ROWS * even);
}

#endif
