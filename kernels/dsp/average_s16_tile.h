// SPDX-License-Identifier: Apache-2.0
// Averages of int16 by a product where scalar/average_s16_tile.h divides.
#ifndef RL_KERNELS_DSP_AVERAGE_S16_TILE_H
#define RL_KERNELS_DSP_AVERAGE_S16_TILE_H

#include <stdbool.h>

#include "pooling/sums_s16.h"

// Divides sums by the number of pixels of a window, from 2 to 2^15, with one product. Sums are raised by 2^15 a pixel,
// so that they are not negative, and n <= (2^16 + 1) * count. Then floor(n / count) is floor(n * multiplier / 2^s),
// where the multiplier is 2^s / count, rounded up, and s = 31 + log2(count), rounded up: 2^s / count is exact, or the
// product is too large by less than n / 2^s <= (2^16 + 1) * count / (2^31 * count) < 1 / count.
struct rl_average_scale {
    uint32_t multiplier;
    int32_t shift;  // s - 32
    uint32_t start; // that raises sums, and half the count
    uint32_t even;  // 1 if sums may lie between two results, of which negative ones take the lower
    int32_t min, max;
};

static inline struct rl_average_scale rl_average_scale_of(const struct rl_pool_window *w)
{
    const uint32_t count = (uint32_t)(w->rows * w->columns), highest = UINT32_C(1) << 31;
    struct rl_average_scale s = {highest, 0, (count << 15) + count / 2, (count & 1) ^ 1, w->min, w->max};
    while (UINT32_C(2) << s.shift < count) {
        s.shift++;
    }
    if ((count & (count - 1)) != 0) {
        const int32_t bits = s.shift + 1;
        const uint32_t quotient = highest / count, rest = (highest - quotient * count) << bits;
        s.multiplier = (quotient << bits) + (rest + count - 1) / count;
    }
    return s;
}

enum { RL_AVERAGE_MOST = 1 << 15 }; // pixels of which that is exact

static inline int16_t rl_average_s16(const struct rl_average_scale *s, int32_t sum)
{
    const uint32_t raised = (uint32_t)sum + s->start - (s->even & (uint32_t)sum >> 31);
    const uint32_t high = (uint32_t)(((uint64_t)raised * s->multiplier) >> 32);
    return (int16_t)rl_clamp_s32((int32_t)(high >> s->shift) - (1 << 15), s->min, s->max);
}

// Averages four neighbouring channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, const struct rl_average_scale *s,
                                              const int16_t *input, int16_t *output)
{
    const struct rl_sums_of_four sums = rl_sums_of_four_s16(w, input);
    output[0] = rl_average_s16(s, sums.sum_0);
    output[1] = rl_average_s16(s, sums.sum_1);
    output[2] = rl_average_s16(s, sums.sum_2);
    output[3] = rl_average_s16(s, sums.sum_3);
}

// Windows of one pixel, and those that have too many for a product. Not inlined, so that others keep their registers.
static __attribute__((noinline)) void rl_average_rare_s16(const struct rl_pool_window *window, const int16_t *input,
                                                          int16_t *output)
{
    const struct rl_pool_window w = *window;
    const bool single = w.rows * w.columns == 1;
    for (int32_t c = 0; single && c < w.channels; c++) {
        output[c] = (int16_t)rl_clamp_s32(input[c], w.min, w.max);
    }
    for (int32_t c = 0; !single && c < w.channels; c++) {
        output[c] = rl_average_by_division_s16(&w, rl_sum_of_channel_s16(&w, input + c));
    }
}

// Averages each channel over a window of at least one pixel, rounds ties away from zero, and clamps.
static inline void rl_average_s16_tile(const struct rl_pool_window *window, const int16_t *input, int16_t *output)
{
    const int32_t count = window->rows * window->columns;
    if (count == 1 || count > RL_AVERAGE_MOST) {
        rl_average_rare_s16(window, input, output);
        return;
    }
    const struct rl_pool_window w = *window;
    const struct rl_average_scale s = rl_average_scale_of(window);
    int32_t c = 0;
    for (; c + 4 <= w.channels; c += 4) {
        rl_average_of_channels_s16(&w, &s, input + c, output + c);
    }
    for (; c < w.channels; c++) {
        output[c] = rl_average_s16(&s, rl_sum_of_channel_s16(&w, input + c));
    }
}

#endif
