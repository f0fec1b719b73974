// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_CLAMP_ROW_H
#define RL_KERNELS_DSP_CLAMP_ROW_H

#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"
#include "isa.h"
#include "requantize.h"

// Clamps `count` int8 outputs, which the assembler has saturated to int8.
static inline void rl_clamp_row(int8_t *row, int32_t count, int32_t low, int32_t high)
{
    const uint32_t lows = rl_repeat_s8x4(low);
    const uint32_t highs = rl_repeat_s8x4(high);
    for (; !RL_SMALL && count >= 4; count -= 4, row += 4) {
        rl_store_s8x4(row, rl_maximum_s8x4(rl_minimum_s8x4(rl_load_s8x4(row), highs), lows));
    }
    for (; count > 0; count--, row++) {
        *row = (int8_t)rl_clamp_s32(*row, low, high);
    }
}

#endif
