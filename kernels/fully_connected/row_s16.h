// SPDX-License-Identifier: Apache-2.0
// The interface between the int16 fully connected layer and its tile for many filters.
//
// Tile contract (RL_TILE(row_s16_tile.h)): rl_row_s16(&row, sums) adds the product of the row with filter i to sums[i].
// It returns false and changes nothing where two filters at a time are as good.
#ifndef RL_KERNELS_FULLY_CONNECTED_ROW_S16_H
#define RL_KERNELS_FULLY_CONNECTED_ROW_S16_H

#include <stdbool.h>
#include <stdint.h>

// At most RL_DOT_S16_BLOCK values, and filters.
struct rl_row_s16 {
    const int16_t *x;
    const int8_t *filter; // [count][depth]
    int32_t depth;
    int32_t count;
    bool is_last; // nothing may be read behind the last filter
};

#endif
