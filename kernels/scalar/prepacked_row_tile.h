// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with prepacked weights. Their order suits DSP cores, so others spread some weights at a time.
#ifndef RL_KERNELS_SCALAR_PREPACKED_ROW_TILE_H
#define RL_KERNELS_SCALAR_PREPACKED_ROW_TILE_H

#include "convolution/prepacked.h"
#include "fully_connected/fully_connected.h"

#include RL_TILE(dot_tile.h)

enum { RL_SPREAD_WEIGHTS = 128 };

// sums[i] = folded bias + the products of a row with filter first + i. `first` and `count` are multiples of four.
static inline void rl_prepacked_sums(const struct rl_fully_connected *f, const int8_t *input, int32_t first,
                                     int32_t count, int32_t *sums)
{
    int8_t weights[RL_SPREAD_WEIGHTS];
    for (int32_t i = 0; i < count; i++) {
        sums[i] = f->folded[first + i];
        for (int32_t at = 0; at < f->depth; at += RL_SPREAD_WEIGHTS) {
            const int32_t values = rl_min_s32(f->depth - at, RL_SPREAD_WEIGHTS);
            rl_spread_prepacked(f->weights, f->depth, (first + i) * f->depth + at, values, weights);
            sums[i] += rl_dot_s8_s8(input + at, 0, weights, values);
        }
    }
}

// Writes the outputs of `count` channels from `first` on.
static inline void rl_prepacked_store(const struct rl_fully_connected *f, const int32_t *sums, int32_t first,
                                      int32_t count, int8_t *output)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_fully_connected_scaled(f, first + i, sums[i]);
    }
}

// The same where each channel has a scale of its own that fits rl_rescale, and sums below 2^30.
static inline void rl_prepacked_store_fitting(const struct rl_fully_connected *f, const int32_t *sums, int32_t first,
                                              int32_t count, int8_t *output)
{
    rl_prepacked_store(f, sums, first, count, output);
}

#endif
