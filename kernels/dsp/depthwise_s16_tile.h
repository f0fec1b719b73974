// SPDX-License-Identifier: Apache-2.0
// Four channels at a time in assembler, if the short form of requantization holds. See depthwise/window_s16.h for the
// contract.
#ifndef RL_KERNELS_DSP_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_DSP_DEPTHWISE_S16_TILE_H

#include <stdbool.h>

#include "depthwise/window_s16.h"
#include "dsp/depthwise_s16_four.h"
#include "dsp/simd.h"

enum {
    RL_DEPTHWISE_S16_BLOCK = 64,
    RL_DEPTHWISE_S16_PAIRS = 0,
};

struct rl_depthwise_s16_scale {
    bool is_short; // the short form holds for every channel, sums with bias fit in 32 bits, and limits in 16
    // Groups of four from the first channel on; where channels are left behind them, the last four channels as well.
    struct rl_depthwise_s16_scales fours[RL_DEPTHWISE_S16_BLOCK / RL_DEPTHWISE_S16_FOUR];
};

static inline void rl_depthwise_s16_start(struct rl_depthwise_s16_scale *s, const struct rl_output_s16 *o, int32_t taps,
                                          int32_t first, int32_t count)
{
    const int32_t most = rl_most_sum_s16(taps);
    struct rl_depthwise_s16_scales *four = s->fours;
    s->is_short = o->min >= INT16_MIN && o->max <= INT16_MAX && count >= RL_DEPTHWISE_S16_FOUR;
    for (int32_t i = 0; i < count && s->is_short; i += RL_DEPTHWISE_S16_FOUR, four++) {
        const int32_t from = first + rl_min_s32(i, count - RL_DEPTHWISE_S16_FOUR);
        for (int32_t k = 0; k < RL_DEPTHWISE_S16_FOUR; k++) {
            struct rl_short_s16 scale;
            if (!rl_short_s16_takes_bias(o, from + k, most) || !rl_short_s16_of_scale(o, from + k, &scale)) {
                s->is_short = false;
                return;
            }
            four->bias[k] = scale.bias;
            four->multiplier[k] = (int16_t)scale.multiplier;
            four->rounding[k] = scale.rounding;
            four->shift[k] = scale.shift;
        }
    }
}

// The sums of four channels from `input` and `filter` on.
static inline void rl_depthwise_s16_sum_four(const struct rl_window_s16 *w, const int16_t *input, const int8_t *filter,
                                             int32_t sums[RL_DEPTHWISE_S16_FOUR])
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

// Channels of any scale from first + from to first + from + count of the position, one or four. Not inlined, because
// with the loops around it there are more live values than registers.
static __attribute__((noinline)) void rl_depthwise_s16_some(const struct rl_window_s16 *w,
                                                            const struct rl_output_s16 *o, int32_t at, int32_t count,
                                                            int16_t *output)
{
    int32_t sums[RL_DEPTHWISE_S16_FOUR];
    if (count == RL_DEPTHWISE_S16_FOUR) {
        rl_depthwise_s16_sum_four(w, w->input + at, w->filter + at, sums);
    } else {
        sums[0] = rl_depthwise_s16_sum_one(w, w->input + at, w->filter + at);
    }
    rl_outputs_s16_of(o, at, count, sums, output + at);
}

// Groups of four channels from `at` on in the short form.
static inline void rl_depthwise_s16_groups(const struct rl_window_s16 *w, const struct rl_depthwise_s16_scales *scales,
                                           const struct rl_output_s16 *o, int32_t at, int32_t groups, int16_t *output)
{
    const int32_t columns = w->columns;
    struct rl_depthwise_s16_job job = {
        .input = w->input + at,
        .filter = w->filter + at,
        .input_column = 2 * w->input_column,
        .filter_column = w->filter_column,
        .scales = scales,
        .rows = columns > 0 ? w->rows : 0,
        .input_row = 2 * (w->input_row - columns * w->input_column),
        .filter_row = w->filter_row - columns * w->filter_column,
        .output = output + at,
        .low = rl_repeat_s16x2(o->min),
        .high = rl_repeat_s16x2(o->max),
        .groups = groups,
        .columns = columns,
    };
    rl_depthwise_s16_four(&job);
}

static inline void rl_depthwise_s16_outputs(const struct rl_window_s16 *w, const struct rl_depthwise_s16_scale *s,
                                            const struct rl_output_s16 *o, int32_t first, int32_t count,
                                            int16_t *output)
{
    const int32_t end = first + count;
    if (s->is_short && w->columns <= RL_DEPTHWISE_S16_COLUMNS) {
        const int32_t groups = count / RL_DEPTHWISE_S16_FOUR;
        rl_depthwise_s16_groups(w, s->fours, o, first, groups, output);
        if (count % RL_DEPTHWISE_S16_FOUR != 0) {
            // Outputs of groups before are the same when they are written again.
            rl_depthwise_s16_groups(w, s->fours + groups, o, end - RL_DEPTHWISE_S16_FOUR, 1, output);
        }
        return;
    }
    int32_t at = first;
    for (; at + RL_DEPTHWISE_S16_FOUR <= end; at += RL_DEPTHWISE_S16_FOUR) {
        rl_depthwise_s16_some(w, o, at, RL_DEPTHWISE_S16_FOUR, output);
    }
    for (; at < end; at++) {
        rl_depthwise_s16_some(w, o, at, 1, output);
    }
}

#endif
