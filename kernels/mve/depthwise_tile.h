// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with Helium, eight channels at a time in int16 lanes; products are widened as they
// are made, even and odd channels apart. See depthwise/depthwise.h for the contract.
//
// Where the whole filter lies on the input, the input offset is already in the bias (sum (x + offset) * w =
// sum x * w + offset * sum w), and two positions share the loads of the weights.
#ifndef RL_KERNELS_MVE_DEPTHWISE_TILE_H
#define RL_KERNELS_MVE_DEPTHWISE_TILE_H

#include "depthwise/depthwise.h"
#include "mve/requantize_mve.h"
#include "scalar/depthwise_channel.h"

enum { RL_DEPTHWISE_GROUP = 8 };

// What the outputs of eight channels need, even and odd ones apart.
struct rl_depthwise_group {
    int32_t first;
    int32_t end; // at most first + 8
    bool right_shifts_only;
    int32x4_t bias[2];
    int32x4_t folded_bias[2]; // for the whole filter
    int32x4_t multiplier[2];
    int32x4_t shift[2];
};

// Even and odd elements of the first `count` of eight values; the others are `absent`.
static inline void rl_split_eight(const int32_t *values, int32_t count, int32_t absent, int32x4_t parts[2])
{
    if (count >= 8) {
        const int32x4x2_t both = vld2q_s32(values);
        parts[0] = both.val[0];
        parts[1] = both.val[1];
        return;
    }
    int32_t eight[8];
    for (int32_t i = 0; i < 8; i++) {
        eight[i] = i < count ? values[i] : absent;
    }
    const int32x4x2_t both = vld2q_s32(eight);
    parts[0] = both.val[0];
    parts[1] = both.val[1];
}

static inline void rl_depthwise_fold(const struct rl_depthwise *d, mve_pred16_t active,
                                     struct rl_depthwise_group *group)
{
    const int16x8_t offset = vdupq_n_s16((int16_t)d->params->input_offset);
    const int8_t *filter = d->filter + group->first;
    group->folded_bias[0] = group->bias[0];
    group->folded_bias[1] = group->bias[1];
    for (int32_t i = d->filter_dims->h * d->filter_dims->w; i > 0; i--, filter += d->channels) {
        const int16x8_t weights = vldrbq_z_s16(filter, active);
        group->folded_bias[0] = vaddq_s32(group->folded_bias[0], vmullbq_int_s16(weights, offset));
        group->folded_bias[1] = vaddq_s32(group->folded_bias[1], vmulltq_int_s16(weights, offset));
    }
}

static inline void rl_depthwise_prepare(const struct rl_depthwise *d, int32_t first,
                                        struct rl_depthwise_group *group)
{
    const int32_t count = rl_min_s32(d->channels - first, RL_DEPTHWISE_GROUP);
    group->first = first;
    group->end = first + count;
    if (d->channel_multiplier != 1) {
        return;
    }
    group->bias[0] = vdupq_n_s32(0);
    group->bias[1] = vdupq_n_s32(0);
    if (d->bias != NULL) {
        rl_split_eight(d->bias + first, count, 0, group->bias);
    }
    rl_split_eight(d->quant->multiplier + first, count, 0, group->multiplier);
    rl_split_eight(d->quant->shift + first, count, -1, group->shift);
    group->right_shifts_only = vmaxvq_s32(vmaxvq_s32(-1, group->shift[0]), group->shift[1]) < 0;
    rl_depthwise_fold(d, vctp16q((uint32_t)count), group);
}

// Scales the sums of the even and odd channels and stores the active ones side by side.
static inline __attribute__((always_inline)) void rl_depthwise_store(const struct rl_depthwise *d,
                                                                     const struct rl_depthwise_group *g,
                                                                     int32x4_t even, int32x4_t odd,
                                                                     mve_pred16_t active, int8_t *output)
{
    if (g->right_shifts_only) {
        even = rl_requantize_right_lanes_mve(even, g->multiplier[0], g->shift[0]);
        odd = rl_requantize_right_lanes_mve(odd, g->multiplier[1], g->shift[1]);
    } else {
        even = rl_requantize_lanes_mve(even, g->multiplier[0], g->shift[0]);
        odd = rl_requantize_lanes_mve(odd, g->multiplier[1], g->shift[1]);
    }
    int16x8_t value = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
    value = vqaddq_n_s16(value, (int16_t)d->params->output_offset);
    value = vmaxq_s16(value, vdupq_n_s16((int16_t)d->params->activation.min));
    value = vminq_s16(value, vdupq_n_s16((int16_t)d->params->activation.max));
    vstrbq_p_s16(output, value, active);
}

// One position with any taps.
static inline void rl_depthwise_one(const struct rl_depthwise *d, const struct rl_depthwise_group *g,
                                    const struct rl_depthwise_window *w, const int8_t *input,
                                    mve_pred16_t active, int8_t *output)
{
    const int16_t offset = (int16_t)d->params->input_offset;
    const int8_t *filter = w->filter + g->first;
    int32x4_t even = g->bias[0];
    int32x4_t odd = g->bias[1];
    for (int32_t row = w->rows; row > 0; row--) {
        const int8_t *x = input;
        const int8_t *k = filter;
        for (int32_t column = w->columns; column > 0; column--) {
            const int16x8_t values = vaddq_n_s16(vldrbq_z_s16(x, active), offset);
            const int16x8_t weights = vldrbq_z_s16(k, active);
            even = vaddq_s32(even, vmullbq_int_s16(values, weights));
            odd = vaddq_s32(odd, vmulltq_int_s16(values, weights));
            x += w->input_column;
            k += w->filter_column;
        }
        input += w->input_row;
        filter += w->filter_row;
    }
    rl_depthwise_store(d, g, even, odd, active, output);
}

// Two neighbouring positions with all taps, eight channels.
static inline __attribute__((always_inline)) void
rl_depthwise_two(const struct rl_depthwise *d, const struct rl_depthwise_group *g,
                 const struct rl_depthwise_window *w, const int8_t *input, int32_t columns, int8_t *output)
{
    const int8_t *filter = w->filter + g->first;
    const ptrdiff_t input_column = w->input_column;
    const ptrdiff_t filter_column = w->filter_column;
    const ptrdiff_t step = w->output_step;
    int32x4_t even_0 = g->folded_bias[0];
    int32x4_t odd_0 = g->folded_bias[1];
    int32x4_t even_1 = even_0;
    int32x4_t odd_1 = odd_0;
    for (int32_t row = w->rows; row > 0; row--) {
        const int8_t *x = input;
        for (int32_t column = columns; column > 0; column--) {
            const int16x8_t weights = vldrbq_s16(filter);
            const int16x8_t values_0 = vldrbq_s16(x);
            even_0 = vaddq_s32(even_0, vmullbq_int_s16(values_0, weights));
            odd_0 = vaddq_s32(odd_0, vmulltq_int_s16(values_0, weights));
            const int16x8_t values_1 = vldrbq_s16(x + step);
            even_1 = vaddq_s32(even_1, vmullbq_int_s16(values_1, weights));
            odd_1 = vaddq_s32(odd_1, vmulltq_int_s16(values_1, weights));
            x += input_column;
            filter += filter_column;
        }
        input += w->input_row;
    }
    const mve_pred16_t all = vctp16q(RL_DEPTHWISE_GROUP);
    rl_depthwise_store(d, g, even_0, odd_0, all, output);
    rl_depthwise_store(d, g, even_1, odd_1, all, output + d->channels);
}

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_group *g,
                                        const struct rl_depthwise_window *w, int32_t count, int8_t *output)
{
    if (d->channel_multiplier != 1) {
        rl_depthwise_channels(d, w, g->first, g->end, count, output);
        return;
    }
    const mve_pred16_t active = vctp16q((uint32_t)(g->end - g->first));
    const bool whole = w->rows == d->filter_dims->h && w->columns == d->filter_dims->w &&
                       g->end - g->first == RL_DEPTHWISE_GROUP;
    const int8_t *input = w->input + g->first;
    output += g->first;
    for (; whole && count > 1;
         count -= 2, input += 2 * w->output_step, output += 2 * (ptrdiff_t)d->channels) {
        rl_depthwise_two(d, g, w, input, w->columns, output);
    }
    for (; count > 0; count--, input += w->output_step, output += d->channels) {
        rl_depthwise_one(d, g, w, input, active, output);
    }
}

#endif
