// SPDX-License-Identifier: Apache-2.0
// For dot_s4_tile.h of cores that multiply int4 filters in pairs.
#ifndef RL_KERNELS_SCALAR_DOTS_S4_H
#define RL_KERNELS_SCALAR_DOTS_S4_H

#include <stdbool.h>
#include <stdint.h>

struct rl_row_s4;

// Computes the sums of the row plus offset times each of `channels` filters whose first one starts in a lower half, and
// returns true. Returns false and does nothing if the loop over pairs is as fast.
static inline bool rl_dots_s4(struct rl_row_s4 *row, int32_t offset, const int8_t *weights, int32_t channels,
                              int32_t *sums)
{
    (void)row;
    (void)offset;
    (void)weights;
    (void)channels;
    (void)sums;
    return false;
}

#endif
