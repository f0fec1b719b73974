// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S16_TILE_H

#include "depthwise/window_s16.h"

enum {
    RL_DEPTHWISE_S16_CHANNELS = 4,
    RL_DEPTHWISE_S16_BLOCK = INT32_MAX,
    RL_DEPTHWISE_S16_PAIRS = 0,
};

// Empty: there is nothing worth preparing.
struct rl_depthwise_s16_scale {
    int32_t unused;
};

static inline void rl_depthwise_s16_start(struct rl_depthwise_s16_scale *s, const struct rl_output_s16 *o, int32_t taps,
                                          int32_t first, int32_t count)
{
    (void)s, (void)o, (void)taps, (void)first, (void)count;
}

static inline int32_t rl_depthwise_sum_s16(const struct rl_window_s16 *w, int32_t channel)
{
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    int32_t sum = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            sum += *input * *filter;
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    return sum;
}

// This function and the next are not inlined: with the loops around them there are more live values than registers.
static __attribute__((noinline)) void rl_depthwise_sums_s16(const struct rl_window_s16 *w, int32_t channel,
                                                            int32_t count, int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    if (count < RL_DEPTHWISE_S16_CHANNELS) {
        for (int32_t i = 0; i < count; i++) {
            sums[i] = rl_depthwise_sum_s16(w, channel + i);
        }
        return;
    }
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    const int16_t *input_row = w->input + channel;
    const int8_t *filter_row = w->filter + channel;
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *input = input_row;
        const int8_t *filter = filter_row;
        for (int32_t x = w->columns; x > 0; x--) {
            sum_0 += input[0] * filter[0];
            sum_1 += input[1] * filter[1];
            sum_2 += input[2] * filter[2];
            sum_3 += input[3] * filter[3];
            input += w->input_column;
            filter += w->filter_column;
        }
        input_row += w->input_row;
        filter_row += w->filter_row;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

static __attribute__((noinline)) void rl_depthwise_scale_s16(const struct rl_output_s16 *o, int32_t channel,
                                                             int32_t count, const int32_t *sums, int16_t *output)
{
    rl_outputs_s16_of(o, channel, count, sums, output);
}

static inline void rl_depthwise_s16_outputs(const struct rl_window_s16 *w, const struct rl_depthwise_s16_scale *s,
                                            const struct rl_output_s16 *o, int32_t first, int32_t count,
                                            int16_t *output)
{
    (void)s;
    const int32_t end = first + count;
    for (int32_t channel = first; channel < end; channel += RL_DEPTHWISE_S16_CHANNELS) {
        const int32_t some = rl_min_s32(end - channel, RL_DEPTHWISE_S16_CHANNELS);
        int32_t sums[RL_DEPTHWISE_S16_CHANNELS];
        rl_depthwise_sums_s16(w, channel, some, sums);
        rl_depthwise_scale_s16(o, channel, some, sums, output + channel);
    }
}

#endif
