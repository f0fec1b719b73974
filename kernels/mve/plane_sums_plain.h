// SPDX-License-Identifier: Apache-2.0
// Sums of depthwise windows: plane_sums.h in C. See mve/plane_nest.h for the form of planes and weights.
#ifndef RL_KERNELS_MVE_PLANE_SUMS_PLAIN_H
#define RL_KERNELS_MVE_PLANE_SUMS_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "mve/plane_block.h"

// With this step, one row of outputs is computed two windows at a time. The last window may lie behind the row.
enum { RL_PLANE_USUAL_STEP = 8 };

// Lines of windows, one after the other. Each window takes two vectors: one of each of two channels, or two of one
// channel.
struct rl_plane_lines {
    const int8_t *x_0; // the vectors of the first window
    const int8_t *x_1;
    const int8_t *weights; // a line's weights, for x_0, x_1 and each row of outputs; the loops advance it
    int32_t *sums;
    int32_t rounds;       // rounds of the loop over the windows of a line
    int32_t step;         // bytes from one window to the next
    int32_t next_x;       // bytes from behind a line to the next one
    int32_t next_sums;    // the same for sums
    const int8_t *end;    // the end of the weights
    int32_t next_weights; // bytes from the two vectors of weights used first to the others
    int32_t *sums_1;      // the sums of the second row of outputs
};

// The sum of the products of a vector.
static inline int32_t rl_plane_products(const int8_t *x, const int8_t *weights)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < 16; i++) {
        sum += x[i] * weights[i];
    }
    return sum;
}

// Computes one window for one row of outputs: two channels of one vector each, with `weights` for x_0 and `next` for
// x_1; or one channel of two vectors, with `weights` for both, which adds to the existing sum if `more`.
static inline void rl_plane_window_plain(const int8_t *x_0, const int8_t *x_1, const int8_t *weights,
                                         const int8_t *next, bool two_channels, bool more, int32_t *sums)
{
    if (two_channels) {
        sums[0] = rl_plane_products(x_0, weights);
        sums[1] = rl_plane_products(x_1, next);
        return;
    }
    const int32_t sum = rl_plane_products(x_0, weights) + rl_plane_products(x_1, weights + 16);
    sums[0] = more ? sums[0] + sum : sum;
}

// Computes all lines for `rows` rows of outputs, 1 or 2.
static inline void rl_plane_lines_plain(struct rl_plane_lines *lines, int32_t rows, bool two_channels, bool more)
{
    const bool in_pairs = two_channels && rows == 1 && lines->step == RL_PLANE_USUAL_STEP;
    const int32_t windows = in_pairs ? 2 * lines->rounds : lines->rounds, apart = lines->next_weights;
    const int8_t *x_0 = lines->x_0, *x_1 = lines->x_1;
    int32_t *sums[2] = {lines->sums, lines->sums_1};
    for (; lines->weights != lines->end; lines->weights += rows * apart) {
        for (int32_t i = 0; i < windows; i++, x_0 += lines->step, x_1 += lines->step) {
            for (int32_t row = 0; row < rows; row++) {
                const int8_t *weights = lines->weights + row * (two_channels ? 16 : apart);
                const int8_t *next = weights + (rows == 2 ? apart : 16);
                rl_plane_window_plain(x_0, x_1, weights, next, two_channels, more, sums[row]);
                sums[row] += RL_PLANE_CHANNELS;
            }
        }
        x_0 += lines->next_x;
        x_1 += lines->next_x;
        sums[0] += lines->next_sums / 4;
        sums[1] += lines->next_sums / 4;
    }
}

#endif
