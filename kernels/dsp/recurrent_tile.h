// SPDX-License-Identifier: Apache-2.0
// See scalar/recurrent_tile.h.
#ifndef RL_KERNELS_DSP_RECURRENT_TILE_H
#define RL_KERNELS_DSP_RECURRENT_TILE_H

#include "dsp/row_sums_tile.h"
#include "recurrent/rows.h"

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
