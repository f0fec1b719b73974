// SPDX-License-Identifier: Apache-2.0
// Sums of rows of weights, three at a time, as the fully connected layer computes them. See scalar/row_sums_tile.h.
#ifndef RL_KERNELS_DSP_ROW_SUMS_TILE_H
#define RL_KERNELS_DSP_ROW_SUMS_TILE_H

#include <string.h>

#include "dsp/fully_connected_tile.h"
#include "fully_connected/store_s16.h"

// What rl_expand_values does without offsets, in less time for short rows.
static inline void rl_expand_short(const int8_t *row, int32_t count, uint32_t *words)
{
    for (; count > 0; count -= RL_ROW_STEP, row += RL_ROW_STEP, words += 4) {
        uint32_t low, high = 0;
        if (count >= RL_ROW_STEP) {
            low = rl_load_s8x4(row);
            high = rl_load_s8x4(row + 4);
        } else {
            uint32_t both[2] = {0, 0};
            memcpy(both, row, (size_t)count);
            low = both[0];
            high = both[1];
        }
        words[0] = (uint32_t)rl_even_s16(low);
        words[1] = (uint32_t)rl_odd_s16(low);
        words[2] = (uint32_t)rl_even_s16(high);
        words[3] = (uint32_t)rl_odd_s16(high);
    }
    words[0] = RL_ROW_END;
}

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
        const int32_t values = rl_min_s32(f->depth - at, RL_ROW_BLOCK);
        rl_expand_short(x + at, values, words);
        rl_dot_words(f, at, values, first, in_groups, start, sums, words);
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
