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

// Scales and stores the sums of a channel at `count` positions, whose outputs are `step` elements apart.
static inline void rl_scale_sums_s16(const struct rl_matmul *m, int32_t channel, const int32_t *sums, int32_t count,
                                     void *outputs, ptrdiff_t step)
{
    int16_t *output = (int16_t *)outputs + channel;
    const int32_t multiplier = m->multiplier[channel], shift = m->shift[channel];
    const int32_t min = m->output_min, max = m->output_max;
    if (!RL_SMALL && rl_scale_is_short(multiplier, shift)) {
        const struct rl_rescale rescale = rl_rescale_of(1, multiplier, shift);
        for (; count > 0; count--, output += step) {
            *output = (int16_t)rl_clamp_s32(rl_rescale(rescale, rl_double_limited(*sums++)), min, max);
        }
        return;
    }
    for (; count > 0; count--, output += step) {
        *output = (int16_t)rl_clamp_s32(rl_requantize(*sums++, multiplier, shift), min, max);
    }
}

#endif
