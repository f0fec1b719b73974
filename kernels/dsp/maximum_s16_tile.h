// SPDX-License-Identifier: Apache-2.0
// Maxima of int16, two in a word.
#ifndef RL_KERNELS_DSP_MAXIMUM_S16_TILE_H
#define RL_KERNELS_DSP_MAXIMUM_S16_TILE_H

#include "dsp/instructions.h"
#include "dsp/simd.h"
#include "pooling/window.h"
#include "requantize.h"

// Stores the maxima of four neighbouring channels.
static inline void rl_maximum_of_channels_s16(const struct rl_pool_window *w, const int16_t *input, int16_t *output)
{
    const uint32_t high = rl_repeat_s16x2(rl_ssat16(w->max));
    uint32_t first = rl_repeat_s16x2(rl_ssat16(w->min)), second = first;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            first = rl_maximum_s16x2(first, rl_load_s16x2(pixel));
            second = rl_maximum_s16x2(second, rl_load_s16x2(pixel + 2));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_store_word(output, rl_minimum_s16x2(first, high));
    rl_store_word(output + 2, rl_minimum_s16x2(second, high));
}

#include "scalar/maximum_s16_walk.h"

#endif
