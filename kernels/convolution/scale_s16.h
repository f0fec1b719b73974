// SPDX-License-Identifier: Apache-2.0
// From the sums of a channel to int16 results.
#ifndef RL_KERNELS_CONVOLUTION_SCALE_S16_H
#define RL_KERNELS_CONVOLUTION_SCALE_S16_H

#include "convolution/matmul.h"

#include RL_TILE(rescale_tile.h)

// Whether the short form of rescale.h serves all sums. Doubling saturates those of 2^30 and more, which such a scale
// takes out of int16 by far, saturated or not.
static inline bool rl_scale_is_short(int32_t multiplier, int32_t shift)
{
    return multiplier >= 1 << 30 && shift >= -12 && rl_rescale_fits(0, shift);
}

// Where outputs of a channel go, and how far apart their sums are.
struct rl_scaled_s16 {
    int16_t *output;
    ptrdiff_t step; // elements
    int32_t sum_step;
};

// `open` is a constant.
static inline void rl_scale_short_s16(struct rl_rescale rescale, struct rl_limits_s16 limits, const int32_t *sums,
                                      int32_t count, struct rl_scaled_s16 to, bool open)
{
    for (; count > 0; count--, sums += to.sum_step, to.output += to.step) {
        *to.output = rl_limit_s16(rl_rescale(rescale, rl_double_limited(*sums)), limits, open);
    }
}

// Scales and stores the sums of a channel at `count` positions, which are `sum_step` apart. Their outputs are `step`
// elements apart.
static inline __attribute__((always_inline)) void rl_scale_every_s16(const struct rl_matmul *m, int32_t channel,
                                                                     const int32_t *sums, int32_t sum_step,
                                                                     int32_t count, int16_t *output, ptrdiff_t step)
{
    const int32_t multiplier = m->multiplier[channel], shift = m->shift[channel];
    const int32_t min = m->output_min, max = m->output_max;
    output += channel;
    if (!RL_SMALL && rl_scale_is_short(multiplier, shift)) {
        const struct rl_rescale rescale = rl_rescale_of(1, multiplier, shift);
        const struct rl_limits_s16 limits = {min, max};
        const struct rl_scaled_s16 to = {output, step, sum_step};
        if (rl_limits_are_open_s16(limits)) {
            rl_scale_short_s16(rescale, limits, sums, count, to, true);
        } else {
            rl_scale_short_s16(rescale, limits, sums, count, to, false);
        }
        return;
    }
    for (; count > 0; count--, output += step, sums += sum_step) {
        *output = (int16_t)rl_clamp_s32(rl_requantize(*sums, multiplier, shift), min, max);
    }
}

// The same for sums that follow each other.
static inline void rl_scale_sums_s16(const struct rl_matmul *m, int32_t channel, const int32_t *sums, int32_t count,
                                     void *outputs, ptrdiff_t step)
{
    rl_scale_every_s16(m, channel, sums, 1, count, outputs, step);
}

#endif
