// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with prepacked weights. See scalar/prepacked_row_tile.h for the contracts.
#ifndef RL_KERNELS_DSP_PREPACKED_ROW_TILE_H
#define RL_KERNELS_DSP_PREPACKED_ROW_TILE_H

#include "dsp/dot_row.h"
#include "dsp/fully_connected_tile.h"
#include "fully_connected/sum_s8.h"

// Writes the words of struct rl_dot_row for `count` values.
static inline void rl_expand_row(const int8_t *row, int32_t count, uint32_t *words)
{
    const int32_t rounds = count / RL_EXPAND_STEP;
    if (rounds > 0) {
        words = rl_expand_rounds(row, rounds, 0, words);
        row += rounds * RL_EXPAND_STEP;
        count -= rounds * RL_EXPAND_STEP;
    }
    for (; count >= 4; count -= 4, row += 4) {
        *words++ = rl_pair_of_bytes(0, row);
        *words++ = rl_pair_of_bytes(0, row + 1);
    }
    for (; count > 0; count--) {
        *words++ = (uint32_t)*row++;
    }
}

static inline void rl_prepacked_sums(const struct rl_fully_connected *f, const int8_t *input, int32_t first,
                                     int32_t count, int32_t *sums)
{
    uint32_t words[rl_min_s32(f->depth, RL_ROW_BLOCK) / 2 + 2]; // the last values take a word each
    const int32_t *start = f->folded + first;
    for (int32_t at = 0; at < f->depth;) {
        // All parts but the last are whole blocks; none is below four values.
        const int32_t left = f->depth - at;
        const int32_t values =
            left - RL_ROW_BLOCK < 4 && left > RL_ROW_BLOCK ? RL_ROW_BLOCK - 4 : rl_min_s32(left, RL_ROW_BLOCK);
        rl_expand_row(input + at, values, words);
        const struct rl_dot_row job = {
            .row = words,
            .filter = f->weights + (ptrdiff_t)first * f->depth + (ptrdiff_t)RL_PREPACKED_GROUP * at,
            .start = start,
            .end = start + count,
            .sums = sums,
            .row_start = -128 * rl_sum_of_s8(input + at, values),
            .gap = (ptrdiff_t)RL_PREPACKED_GROUP * (f->depth - values),
            .fours = values >> 2,
            .rest = values & 3,
        };
        rl_dot_row(&job);
        start = sums;
        at += values;
    }
}

static inline void rl_prepacked_store(const struct rl_fully_connected *f, const int32_t *sums, int32_t first,
                                      int32_t count, int8_t *output)
{
    if (!rl_fully_connected_store_exact(f, sums, count, output, 1)) {
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_fully_connected_scaled(f, first + i, sums[i]);
        }
    }
}

static inline void rl_prepacked_store_fitting(const struct rl_fully_connected *f, const int32_t *sums, int32_t first,
                                              int32_t count, int8_t *output)
{
    rl_fully_connected_rescaled_each(f, sums, first, count, output, 1);
}

#endif
