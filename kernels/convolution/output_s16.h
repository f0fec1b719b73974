// SPDX-License-Identifier: Apache-2.0
// From the sums of int16 layers with per-channel scales to their outputs.
#ifndef RL_KERNELS_CONVOLUTION_OUTPUT_S16_H
#define RL_KERNELS_CONVOLUTION_OUTPUT_S16_H

#include <stdbool.h>
#include <stddef.h>

#include "requantize.h"
#include "rushlight/kernels/layer.h"

struct rl_output_s16 {
    const int32_t *multiplier;
    const int32_t *shift;
    const int64_t *bias;
    int32_t bias_step; // 1, or 0 if one zero serves all channels
    int32_t min;
    int32_t max;
};

// Patches of a convolution, one behind the other, and filters.
struct rl_patches_s16 {
    const int16_t *patches;
    int32_t count;
    const int8_t *filter; // [channels][depth]
    int32_t depth;
    int32_t channels;
    int32_t output_step; // elements from one position to the next
};

// `bias` may be NULL.
static inline struct rl_output_s16 rl_output_s16_of(struct rl_scales scales, const int64_t *bias, struct rl_range range)
{
    static const int64_t zero = 0;
    return (struct rl_output_s16){scales.multiplier, scales.shift, bias ? bias : &zero,
                                  bias ? 1 : 0,      range.min,    range.max};
}

static inline int16_t rl_output_s16(const struct rl_output_s16 *o, int32_t channel, int64_t sum)
{
    const int64_t biased = sum + o->bias[channel * o->bias_step];
    const int32_t multiplier = rl_reduce_multiplier(o->multiplier[channel]);
    return (int16_t)rl_clamp_s32(rl_requantize_s64(biased, multiplier, o->shift[channel]), o->min, o->max);
}

// Computes the outputs of `count` channels from `first` on, whose sums are in `sums`.
static inline void rl_outputs_s16_of(const struct rl_output_s16 *o, int32_t first, int32_t count, const int32_t *sums,
                                     int16_t *output)
{
    const struct rl_output_s16 local = *o; // stores cannot change it
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_output_s16(&local, first + i, sums[i]);
    }
}

#endif
