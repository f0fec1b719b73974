// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_OUTPUT_S16_TILE_H
#define RL_KERNELS_MVE_OUTPUT_S16_TILE_H

#include <arm_mve.h>
#include <stdbool.h>

#include "convolution/output_s16.h"

static inline bool rl_scales_right_s16(const struct rl_output_s16 *o, int32_t channel)
{
    const int64_t bias = o->bias[channel * o->bias_step];
    return (int32_t)bias == bias && o->shift[channel] <= -2 && o->multiplier[channel] >= 0;
}

static inline int32x4_t rl_twice_mve(int32_t a, int32_t b)
{
    return (int32x4_t){a, b, a, b};
}

// Two positions (first, second) of two channels at once, from the sums (first, channel), (first, next),
// (second, channel), (second, next). False, and nothing done, where the short form of rl_requantize_s64 does
// not hold for all of them. VMULH drops 32 bits, which are 16 of a multiplier shifted left by 16.
static inline bool rl_output_s16_2x2(const struct rl_output_s16 *o, int32_t channel, int32_t next,
                                     const int32_t sums[4], int16_t *first, int16_t *second)
{
    if (!rl_scales_right_s16(o, channel) || !rl_scales_right_s16(o, next)) {
        return false;
    }
    const int32x4_t sum = vldrwq_s32(sums);
    const int32x4_t bias =
        rl_twice_mve((int32_t)o->bias[channel * o->bias_step], (int32_t)o->bias[next * o->bias_step]);
    const int32x4_t biased = vqaddq_s32(sum, bias);
    if (vcmpneq_s32(biased, vaddq_s32(sum, bias)) != 0) {
        return false;
    }
    const int32x4_t multiplier = rl_twice_mve(rl_reduce_multiplier(o->multiplier[channel]) << 16,
                                              rl_reduce_multiplier(o->multiplier[next]) << 16);
    const int32x4_t shift = rl_twice_mve(o->shift[channel] + 2, o->shift[next] + 2);
    const int32x4_t scaled = vrshrq_n_s32(vshlq_s32(vmulhq_s32(biased, multiplier), shift), 1);
    const int32x4_t limited = vmaxq_s32(vminq_s32(scaled, vdupq_n_s32(o->max)), vdupq_n_s32(o->min));
    first[channel] = (int16_t)vgetq_lane_s32(limited, 0);
    first[next] = (int16_t)vgetq_lane_s32(limited, 1);
    second[channel] = (int16_t)vgetq_lane_s32(limited, 2);
    second[next] = (int16_t)vgetq_lane_s32(limited, 3);
    return true;
}

#endif
