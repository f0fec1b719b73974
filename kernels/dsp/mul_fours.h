// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_MUL_FOURS_H
#define RL_KERNELS_DSP_MUL_FOURS_H

#include "dsp/packed_s8_tile.h"
#include "dsp/rescale_tile.h"
#include "elementwise/mul_loop.h"

// See scalar/mul_fours.h.
static inline __attribute__((always_inline)) struct rl_mul_rest rl_mul_fours(struct rl_mul_loop loop,
                                                                             struct rl_mul_rest rest, bool open)
{
    const int16x2_t offsets_a = (int16x2_t)rl_repeat_s16x2(loop.double_offset_a / 2);
    const int16x2_t offsets_b = (int16x2_t)rl_repeat_s16x2(loop.offset_b);
    const uint32_t lows = rl_repeat_s8x4(rl_saturate_s8(loop.limits.low));
    const uint32_t highs = rl_repeat_s8x4(rl_saturate_s8(loop.limits.high));
    const int8_t *from_a = rest.a, *from_b = rest.b;
    int8_t *output = rest.output;
    for (int32_t left = rest.count; left >= 4; left -= 4, from_a += 4, from_b += 4, output += 4) {
        const uint32_t a = rl_load_s8x4(from_a), b = rl_load_s8x4(from_b);
        const uint32_t even_a = rl_double_pair(rl_even_s16_add(offsets_a, a));
        const uint32_t odd_a = rl_double_pair(rl_odd_s16_add(offsets_a, a));
        const uint32_t even_b = (uint32_t)rl_even_s16_add(offsets_b, b);
        const uint32_t odd_b = (uint32_t)rl_odd_s16_add(offsets_b, b);
        const uint32_t products = rl_rescaled_word(
            loop.rescale, (int16_t)even_a * (int16_t)even_b, (int16_t)odd_a * (int16_t)odd_b,
            ((int32_t)even_a >> 16) * ((int32_t)even_b >> 16), ((int32_t)odd_a >> 16) * ((int32_t)odd_b >> 16));
        rl_store_s8x4(output, open ? products : rl_minimum_s8x4(rl_maximum_s8x4(products, lows), highs));
    }
    return (struct rl_mul_rest){from_a, from_b, output, rest.count & 3};
}

#endif
