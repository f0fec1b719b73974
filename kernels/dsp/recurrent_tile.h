// SPDX-License-Identifier: Apache-2.0
// Sums of three rows at a time, as the fully connected layer computes them. See scalar/recurrent_tile.h.
#ifndef RL_KERNELS_DSP_RECURRENT_TILE_H
#define RL_KERNELS_DSP_RECURRENT_TILE_H

#include <string.h>

#include "dsp/fully_connected_tile.h"
#include "recurrent/rows.h"

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
        rl_dot_block(f, x, at, first, in_groups, start, sums, words);
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

static inline void rl_gate_values(const struct rl_row_scales *scales, const int32_t *of_input, const int32_t *of_hidden,
                                  int32_t count, int16_t *values)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = scales->shift[i];
        int32_t sum;
        if (shift > 0) {
            sum = rl_row_scaled(of_input[i], scales->input[i], shift) +
                  rl_row_scaled(of_hidden[i], scales->hidden[i], shift);
        } else {
            sum = rl_smmlar(of_input[i], scales->input[i], rl_smmlar(of_hidden[i], scales->hidden[i], 0));
        }
        values[i] = (int16_t)rl_saturate_s16(rl_row_rounded(sum, shift));
    }
}

#endif
