// SPDX-License-Identifier: Apache-2.0
// From the sums of a channel to the outputs of a PReLU behind the convolution: rl_convolution_prelu_run.
#ifndef RL_KERNELS_CONVOLUTION_SCALE_PRELU_H
#define RL_KERNELS_CONVOLUTION_SCALE_PRELU_H

#include "convolution/matmul.h"

#include RL_TILE(rescale_tile.h)

// The scale of sums that are not negative; that of others has another multiplier. A doubled sum would have one bit of
// its product more in the upper word, so the shift is one less than in a convolution alone.
static inline struct rl_rescale rl_prelu_scale(int32_t output_offset, int32_t multiplier, int32_t shift)
{
    return rl_rescale_of(rl_rescale_rounding(output_offset), multiplier, shift + 1);
}

static inline int32_t rl_prelu_output(struct rl_rescale scale, int32_t negative, int32_t sum)
{
    return rl_scaled_by(sum, sum < 0 ? negative : scale.multiplier, scale.addend) >> scale.right_shift;
}

// Scales and stores the sums of a channel at `count` positions, whose outputs are `step` bytes apart.
static inline void rl_scale_sums_prelu(const struct rl_matmul *m, int32_t channel, const int32_t *sums, int32_t count,
                                       void *outputs, ptrdiff_t step)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const struct rl_rescale scale = rl_prelu_scale(m->output_offset, m->multiplier[channel], m->shift[channel]);
    const int32_t negative = m->negative[channel];
    int8_t *output = (int8_t *)outputs + channel;
    for (; count > 0; count--, output += step) {
        *output = rl_limit_s8(rl_prelu_output(scale, negative, *sums++), limits, false);
    }
}

#endif
