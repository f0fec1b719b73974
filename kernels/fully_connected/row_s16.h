// SPDX-License-Identifier: Apache-2.0
// The interface between the int16 fully connected layer and its tile for many filters.
//
// Tile contract (RL_TILE(row_s16_tile.h)): rl_row_s16(&row, sums) adds the product of the row with filter i to sums[i].
// It returns false and changes nothing where two filters at a time are as good. rl_row_s16_store(&scale, sums, count,
// output) writes the outputs of at least one sum.
#ifndef RL_KERNELS_FULLY_CONNECTED_ROW_S16_H
#define RL_KERNELS_FULLY_CONNECTED_ROW_S16_H

#include <stdbool.h>
#include <stdint.h>

#include "isa.h"
#include "requantize.h"

// At most RL_DOT_S16_BLOCK values, and filters.
struct rl_row_s16 {
    const int16_t *x;
    const int8_t *filter; // [count][depth]
    int32_t depth;
    int32_t count;
    bool is_last; // nothing may be read behind the last filter
};

// The scale of sums of 32 bits, and the limits: the first case of rl_requantize_s64. With one floor:
//     floor((floor(x / 2^n) + 1) / 2) = floor((x + 2^n) / 2^(n + 1))
// A Cortex-M0 has no register left for 2^n.
struct rl_row_s16_scale {
    int32_t multiplier, rounding, right_shift, low, high;
};

enum { RL_ROW_S16_ONE_FLOOR = RL_HAS_LONG_MULTIPLY };

static inline int16_t rl_row_s16_output(const struct rl_row_s16_scale *s, int32_t sum)
{
    const int32_t product = rl_multiply_q16(sum, s->multiplier);
    const int32_t scaled =
        RL_ROW_S16_ONE_FLOOR ? (product + s->rounding) >> s->right_shift : ((product >> s->right_shift) + 1) >> 1;
    return (int16_t)rl_clamp_s32(scaled, s->low, s->high);
}

#endif
