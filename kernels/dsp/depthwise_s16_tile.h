// SPDX-License-Identifier: Apache-2.0
// Four channels at a time: SMLABB, SMLABT, SMLATB and SMLATT multiply the halves of words as they are loaded. See
// depthwise/window_s16.h for the contract.
#ifndef RL_KERNELS_DSP_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_DSP_DEPTHWISE_S16_TILE_H

#include <stdbool.h>

#include "depthwise/window_s16.h"
#include "dsp/instructions.h"
#include "dsp/simd.h"

enum {
    RL_DEPTHWISE_S16_CHANNELS = 4,
    RL_DEPTHWISE_S16_BLOCK = 64,
};

// The scale of a channel for the short form of rl_requantize_s64.
struct rl_depthwise_s16_channel {
    int32_t bias;
    int32_t multiplier;
    int32_t right_shift; // without the last bit, which a rounding shift takes
};

struct rl_depthwise_s16_scale {
    bool is_short; // the short form holds for every channel, and sums with bias fit in 32 bits
    struct rl_depthwise_s16_channel channels[RL_DEPTHWISE_S16_BLOCK];
};

static inline void rl_depthwise_s16_start(struct rl_depthwise_s16_scale *s, const struct rl_output_s16 *o, int32_t taps,
                                          int32_t first, int32_t count)
{
    const int64_t limit = INT32_MAX - ((int64_t)taps << 22); // products are 2^15 * 2^7 at most
    s->is_short = true;
    for (int32_t i = 0; i < count && s->is_short; i++) {
        const int32_t channel = first + i;
        const int64_t bias = o->bias[channel * o->bias_step];
        s->is_short = o->shift[channel] <= -2 && o->multiplier[channel] >= 0 && bias >= -limit && bias <= limit;
        s->channels[i] = (struct rl_depthwise_s16_channel){(int32_t)bias, rl_reduce_multiplier(o->multiplier[channel]),
                                                           -2 - o->shift[channel]};
    }
}

// The sums of four channels from `input` and `filter` on.
static inline void rl_depthwise_s16_sum_four(const struct rl_window_s16 *w, const int16_t *input, const int8_t *filter,
                                             int32_t sums[RL_DEPTHWISE_S16_CHANNELS])
{
    const int32_t columns = w->columns;
    const int32_t input_column = w->input_column;
    const int32_t filter_column = w->filter_column;
    const int32_t input_row = w->input_row - columns * input_column;
    const int32_t filter_row = w->filter_row - columns * filter_column;
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (int32_t y = w->rows; y > 0; y--, input += input_row, filter += filter_row) {
        for (int32_t x = columns; x > 0; x--, input += input_column, filter += filter_column) {
            const int16x2_t low = (int16x2_t)rl_load_s16x2(input);
            const int16x2_t high = (int16x2_t)rl_load_s16x2(input + 2);
            const uint32_t weights = rl_load_s8x4(filter);
            const int16x2_t even = rl_even_s16(weights);
            const int16x2_t odd = rl_odd_s16(weights);
            sum_0 = __smlabb(low, even, sum_0);
            sum_1 = __smlatb(low, odd, sum_1);
            sum_2 = __smlabt(high, even, sum_2);
            sum_3 = __smlatt(high, odd, sum_3);
        }
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

static inline int32_t rl_depthwise_s16_sum_one(const struct rl_window_s16 *w, const int16_t *input,
                                               const int8_t *filter)
{
    int32_t sum = 0;
    for (int32_t y = 0; y < w->rows; y++) {
        for (int32_t x = 0; x < w->columns; x++) {
            sum += input[y * w->input_row + x * w->input_column] * filter[y * w->filter_row + x * w->filter_column];
        }
    }
    return sum;
}

// The channels from first + from to first + from + count of the position, one or four. Not inlined, because with the
// loops around it there are more live values than registers.
static __attribute__((noinline)) void rl_depthwise_s16_some(const struct rl_window_s16 *w,
                                                            const struct rl_depthwise_s16_scale *s,
                                                            const struct rl_output_s16 *o, int32_t first, int32_t from,
                                                            int32_t count, int16_t *output)
{
    int32_t sums[RL_DEPTHWISE_S16_CHANNELS];
    const int32_t at = first + from;
    output += at;
    if (count == RL_DEPTHWISE_S16_CHANNELS) {
        rl_depthwise_s16_sum_four(w, w->input + at, w->filter + at, sums);
    } else {
        sums[0] = rl_depthwise_s16_sum_one(w, w->input + at, w->filter + at);
    }
    if (!s->is_short) {
        rl_outputs_s16_of(o, at, count, sums, output);
        return;
    }
    const struct rl_depthwise_s16_channel *c = s->channels + from;
    const int32_t low = o->min;
    const int32_t high = o->max;
    for (int32_t i = 0; i < count; i++, c++) {
        const int32_t doubled = rl_smulwb(sums[i] + c->bias, c->multiplier) >> c->right_shift;
        output[i] = (int16_t)rl_clamp_s32((doubled + 1) >> 1, low, high);
    }
}

static inline void rl_depthwise_s16_outputs(const struct rl_window_s16 *w, const struct rl_depthwise_s16_scale *s,
                                            const struct rl_output_s16 *o, int32_t first, int32_t count,
                                            int16_t *output)
{
    int32_t i = 0;
    for (; i + RL_DEPTHWISE_S16_CHANNELS <= count; i += RL_DEPTHWISE_S16_CHANNELS) {
        rl_depthwise_s16_some(w, s, o, first, i, RL_DEPTHWISE_S16_CHANNELS, output);
    }
    for (; i < count; i++) {
        rl_depthwise_s16_some(w, s, o, first, i, 1, output);
    }
}

#endif
