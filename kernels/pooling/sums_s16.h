// SPDX-License-Identifier: Apache-2.0
// Sums of int16 over a window, and their average by a division, for the tiles of average pools.
#ifndef RL_KERNELS_POOLING_SUMS_S16_H
#define RL_KERNELS_POOLING_SUMS_S16_H

#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"

#include RL_WORDS(words)

static inline int16_t rl_average_by_division_s16(const struct rl_pool_window *w, int32_t sum)
{
    const int32_t count = w->rows * w->columns;
    const int32_t rounded = sum > 0 ? sum + count / 2 : sum - count / 2;
    return (int16_t)rl_clamp_s32(rounded / count, w->min, w->max);
}

static inline int32_t rl_sum_of_channel_s16(const struct rl_pool_window *w, const int16_t *input)
{
    int32_t sum = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sum += *pixel;
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    return sum;
}

// Adds two neighbouring channels, which one load serves where words may have any address.
static inline void rl_add_two_s16(const int16_t *pixel, int32_t *first, int32_t *second)
{
    if (RL_HAS_UNALIGNED_WORDS) {
        const int32_t both = (int32_t)rl_load_word(pixel);
        *first += (int16_t)both;
        *second += both >> 16;
    } else {
        *first += pixel[0];
        *second += pixel[1];
    }
}

// The sums of four neighbouring channels.
struct rl_sums_of_four {
    int32_t sum_0, sum_1, sum_2, sum_3;
};

static inline struct rl_sums_of_four rl_sums_of_four_s16(const struct rl_pool_window *w, const int16_t *input)
{
    struct rl_sums_of_four sums = {0, 0, 0, 0};
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            rl_add_two_s16(pixel, &sums.sum_0, &sums.sum_1);
            rl_add_two_s16(pixel + 2, &sums.sum_2, &sums.sum_3);
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    return sums;
}

#endif
