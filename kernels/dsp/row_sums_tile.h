// SPDX-License-Identifier: Apache-2.0
// Sums of rows of weights, three at a time, as the fully connected layer computes them. See scalar/row_sums_tile.h.
#ifndef RL_KERNELS_DSP_ROW_SUMS_TILE_H
#define RL_KERNELS_DSP_ROW_SUMS_TILE_H

#include <string.h>

#include "dsp/fully_connected_tile.h"
#include "fully_connected/store_s16.h"

static inline void rl_row_sums(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                               int32_t *sums)
{
    uint32_t words[RL_ROW_BLOCK / 2 + 4];
    // As in rl_fully_connected_row: groups read beyond their last row, which the very last one must not.
    const bool ends_outside = f->depth % RL_ROW_STEP != 0 && first + count == f->channels;
    const int32_t in_groups = f->depth < RL_ROW_STEP ? 0 : (count - (ends_outside ? 1 : 0)) / RL_FILTERS * RL_FILTERS;
    const int32_t *start = f->bias + first;
    memcpy(sums + in_groups, start + in_groups, (size_t)(count - in_groups) * sizeof *sums);
    for (int32_t at = 0; in_groups > 0 && at < f->depth; at += RL_ROW_BLOCK) {
        rl_dot_block(f, x, at, RL_ROW_BLOCK, first, in_groups, start, sums, words);
        start = sums;
    }
    for (int32_t i = in_groups; i < count; i += 2) {
        const int8_t *row = f->weights + (ptrdiff_t)(first + i) * f->depth;
        int32_t pair[2] = {sums[i], 0};
        if (i + 1 < count) {
            pair[1] = sums[i + 1];
            rl_dot_s8_s8_pair(x, 0, row, row + f->depth, f->depth, pair);
            sums[i + 1] = pair[1];
        } else {
            pair[0] += rl_dot_s8_s8(x, 0, row, f->depth);
        }
        sums[i] = pair[0];
    }
}

// See scalar/row_sums_tile.h.
static inline void rl_row_outputs_s16(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                                      int32_t *sums, int16_t *output)
{
    rl_row_sums(f, x, first, count, sums);
    rl_store_s16(sums, f->scales.multiplier + first, f->scales.shift + first, count, output);
}

#endif
