// SPDX-License-Identifier: Apache-2.0
// See scalar/recurrent_tile.h.
#ifndef RL_KERNELS_DSP_RECURRENT_TILE_H
#define RL_KERNELS_DSP_RECURRENT_TILE_H

#include "dsp/row_sums_tile.h"
#include "recurrent/rows.h"
#include "scalar/recurrent_states.h"

// A gate whose sums shift left. Not inlined, so that compilers do not compute a part of it for all gates.
static __attribute__((noinline, unused)) int32_t rl_gate_left(int32_t of_input, int32_t input, int32_t shift,
                                                              int32_t of_hidden, int32_t hidden)
{
    const int32_t sum = rl_row_scaled(of_input, input, shift) + rl_row_scaled(of_hidden, hidden, shift);
    return rl_saturate_s16(sum);
}

static __attribute__((noinline, unused)) void rl_gate_values(const struct rl_row_scales *scales, const int32_t *sums,
                                                             int32_t count, int16_t *values)
{
    const int32_t *inputs = scales->input, *hiddens = scales->hidden, *shifts = scales->shift;
    int32_t highest = INT32_C(1) << 30;
    RL_HIDE("+r"(highest));
    for (const int32_t *const end = sums + count; sums != end; values++) {
        int32_t of_hidden = sums[RL_GATE_BLOCK], of_input = *sums++;
        int32_t input = *inputs++, hidden = *hiddens++, shift = *shifts++, value;
        RL_KEEP("+r"(of_input), "+r"(of_hidden), "+r"(input), "+r"(hidden), "+r"(shift)); // loads side by side
        if (__builtin_expect(shift <= 0, 1)) {
            const int32_t half = highest >> (shift + 31); // 2^(-shift - 1), or 0 without a shift
            value = rl_saturate_s16(rl_smmlar(of_input, input, rl_smmlar(of_hidden, hidden, half)) >> -shift);
        } else {
            value = rl_gate_left(of_input, input, shift, of_hidden, hidden);
        }
        *values = (int16_t)value;
    }
}

#endif
