// SPDX-License-Identifier: Apache-2.0
// See depthwise/window_s16.h for the contract. Even and odd channels are apart, as widening products leave them.
#ifndef RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_S16_TILE_H

#include <arm_mve.h>
#include <stdbool.h>

#include "depthwise/window_s16.h"
#include "mve/depthwise_s16_pair.h"

enum {
    RL_DEPTHWISE_S16_BLOCK = 64,
    RL_DEPTHWISE_S16_PAIRS = 1,
};

struct rl_depthwise_s16_scale {
    bool is_short; // the short form holds for every channel, sums with bias fit in 32 bits, and limits in 16
    // Groups of eight from the first channel on, the last one with as many as are left. With eight channels or more,
    // the last group has the last eight channels.
    struct rl_depthwise_s16_eight eights[RL_DEPTHWISE_S16_BLOCK / RL_DEPTHWISE_S16_CHANNELS];
};

static inline void rl_depthwise_s16_start(struct rl_depthwise_s16_scale *s, const struct rl_output_s16 *o, int32_t taps,
                                          int32_t first, int32_t count)
{
    const int32_t most = rl_most_sum_s16(taps);
    struct rl_depthwise_s16_eight *eight = s->eights;
    s->is_short = o->min >= INT16_MIN && o->max <= INT16_MAX;
    for (int32_t i = 0; i < count; i += RL_DEPTHWISE_S16_CHANNELS, eight++) {
        const int32_t from = first + rl_max_s32(rl_min_s32(i, count - RL_DEPTHWISE_S16_CHANNELS), 0);
        for (int32_t k = 0; k < rl_min_s32(count, RL_DEPTHWISE_S16_CHANNELS); k++) {
            const int32_t to = k % 2 * 4 + k / 2;
            struct rl_short_s16 scale;
            if (!rl_short_s16_takes_bias(o, from + k, most) || !rl_short_s16_of_scale(o, from + k, &scale)) {
                s->is_short = false;
                return;
            }
            eight->bias[to] = scale.bias;
            eight->multiplier[to] = scale.multiplier << 16;
            eight->shift[to] = -scale.shift;
        }
    }
}

// floor((floor(x / 2^n) + 1) / 2) is one rounding shift by n + 1. `half` is 0 for even channels and 4 for odd ones.
static inline int32x4_t rl_depthwise_s16_scaled(const struct rl_depthwise_s16_eight *s, int32_t half, int32x4_t sum)
{
    const int32x4_t biased = vaddq_s32(sum, vldrwq_s32(s->bias + half));
    return vrshlq_s32(vmulhq_s32(biased, vldrwq_s32(s->multiplier + half)), vldrwq_s32(s->shift + half));
}

struct rl_depthwise_s16_sums {
    int32x4_t even;
    int32x4_t odd;
};

// The sums of eight channels from `input` and `filter` on; only those of active channels if not `all`.
static inline __attribute__((always_inline)) struct rl_depthwise_s16_sums
rl_depthwise_s16_sum(const struct rl_window_s16 *w, const int16_t *input, const int8_t *filter, bool all,
                     mve_pred16_t active)
{
    const int32_t input_column = w->input_column;
    const int32_t filter_column = w->filter_column;
    const int32_t columns = w->columns;
    const int32_t input_row = w->input_row - columns * input_column;
    const int32_t filter_row = w->filter_row - columns * filter_column;
    struct rl_depthwise_s16_sums sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (int32_t y = w->rows; y > 0; y--, input += input_row, filter += filter_row) {
        for (int32_t x = columns; x > 0; x--, input += input_column, filter += filter_column) {
            const int16x8_t values = all ? vldrhq_s16(input) : vldrhq_z_s16(input, active);
            const int16x8_t weights = all ? vldrbq_s16(filter) : vldrbq_z_s16(filter, active);
            sums.even = vaddq_s32(sums.even, vmullbq_int_s16(values, weights));
            __asm__ volatile("" : "+w"(sums.even)); // so that this product overlaps with the next one
            sums.odd = vaddq_s32(sums.odd, vmulltq_int_s16(values, weights));
            __asm__ volatile("" : "+w"(sums.odd)); // and this product with the next load
        }
    }
    return sums;
}

// The channels from first + from to first + from + count of the position, at most eight. Not inlined, because with the
// loops around it there are more live values than registers.
static __attribute__((noinline)) void rl_depthwise_s16_some(const struct rl_window_s16 *w,
                                                            const struct rl_depthwise_s16_scale *s,
                                                            const struct rl_output_s16 *o, int32_t first, int32_t from,
                                                            int32_t count, int16_t *output)
{
    const mve_pred16_t active = vctp16q((uint32_t)count);
    const int16_t *input = w->input + first + from;
    const int8_t *filter = w->filter + first + from;
    const struct rl_depthwise_s16_sums sums = count == RL_DEPTHWISE_S16_CHANNELS
                                                  ? rl_depthwise_s16_sum(w, input, filter, true, active)
                                                  : rl_depthwise_s16_sum(w, input, filter, false, active);
    output += first + from;
    if (!s->is_short) {
        int32_t both[RL_DEPTHWISE_S16_CHANNELS];
        vst2q_s32(both, ((int32x4x2_t){{sums.even, sums.odd}}));
        rl_outputs_s16_of(o, first + from, count, both, output);
        return;
    }
    const int32x4_t even = rl_depthwise_s16_scaled(s->eights, 0, sums.even);
    const int32x4_t odd = rl_depthwise_s16_scaled(s->eights, 4, sums.odd);
    int16x8_t value = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
    value = vminq_s16(value, vdupq_n_s16((int16_t)o->max));
    value = vmaxq_s16(value, vdupq_n_s16((int16_t)o->min));
    vstrhq_p_s16(output, value, active);
}

// Groups of eight channels from `at` on in the short form, of one position, or of two.
static inline void rl_depthwise_s16_groups(const struct rl_window_s16 *w, const struct rl_depthwise_s16_eight *scales,
                                           const struct rl_output_s16 *o, int32_t at, int32_t groups, int16_t *output)
{
    const int32_t columns = w->columns;
    struct rl_depthwise_s16_pair job = {
        .input = w->input + at,
        .filter = w->filter + at,
        .input_column = 2 * w->input_column,
        .filter_column = w->filter_column,
        .second = 2 * w->second,
        .rows = columns > 0 ? w->rows : 0,
        .columns = columns,
        .input_row = 2 * (w->input_row - columns * w->input_column),
        .filter_row = w->filter_row - columns * w->filter_column,
        .scales = scales,
        .output = output + at,
        .output_second = 2 * w->second_output,
        .low = o->min,
        .high = o->max,
        .groups = groups,
    };
    rl_depthwise_s16_pair(&job);
}

static inline void rl_depthwise_s16_outputs(const struct rl_window_s16 *w, const struct rl_depthwise_s16_scale *s,
                                            const struct rl_output_s16 *o, int32_t first, int32_t count,
                                            int16_t *output)
{
    if (s->is_short && count >= RL_DEPTHWISE_S16_CHANNELS) {
        const int32_t groups = count / RL_DEPTHWISE_S16_CHANNELS;
        rl_depthwise_s16_groups(w, s->eights, o, first, groups, output);
        if (count % RL_DEPTHWISE_S16_CHANNELS != 0) {
            // Outputs of groups before are the same when they are written again.
            const int32_t at = first + count - RL_DEPTHWISE_S16_CHANNELS;
            rl_depthwise_s16_groups(w, s->eights + groups, o, at, 1, output);
        }
        return;
    }
    struct rl_window_s16 one = *w;
    for (int32_t positions = w->second_output != 0 ? 2 : 1; positions > 0; positions--) {
        for (int32_t i = 0; i < count; i += RL_DEPTHWISE_S16_CHANNELS) {
            rl_depthwise_s16_some(&one, s, o, first, i, rl_min_s32(count - i, RL_DEPTHWISE_S16_CHANNELS), output);
        }
        one.input += w->second;
        output += w->second_output;
    }
}

#endif
