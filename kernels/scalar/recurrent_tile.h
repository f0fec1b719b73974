// SPDX-License-Identifier: Apache-2.0
// The rows of a recurrent layer for one step: sums and gates. rushlight/kernels/recurrent.h has the formulas.
#ifndef RL_KERNELS_SCALAR_RECURRENT_TILE_H
#define RL_KERNELS_SCALAR_RECURRENT_TILE_H

#include "recurrent/rows.h"
#include "scalar/recurrent_states.h"
#include "scalar/row_sums_tile.h"

// a[i] for `count` rows, from both sums and the scales of these rows: sums[i] is of_input, and
// sums[RL_GATE_BLOCK + i] of_hidden.
static inline void rl_gate_values(const struct rl_row_scales *scales, const int32_t *sums, int32_t count,
                                  int16_t *values)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = scales->shift[i];
        const int32_t sum = rl_row_scaled(sums[i], scales->input[i], shift) +
                            rl_row_scaled(sums[RL_GATE_BLOCK + i], scales->hidden[i], shift);
        values[i] = (int16_t)rl_saturate_s16(rl_row_rounded(sum, shift));
    }
}

#endif
