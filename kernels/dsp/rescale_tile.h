// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DSP_RESCALE_TILE_H
#define RL_KERNELS_DSP_RESCALE_TILE_H

#include "dsp/instructions.h"
#include "elementwise/rescale.h"
#include "requantize.h"

// Rescales a value of -2^30..2^30-1, which is given doubled.
static inline int32_t rl_rescale(struct rl_rescale r, int32_t doubled)
{
    return (rl_smmlar(doubled, r.multiplier, r.addend) + (doubled >> 31)) >> r.right_shift;
}

// (value * multiplier + 2^31) / 2^32, rounded down, plus the addend.
static inline int32_t rl_scaled_by(int32_t value, int32_t multiplier, int32_t addend)
{
    return rl_smmlar(value, multiplier, addend);
}

// 2 * value, saturated.
static inline int32_t rl_double_limited(int32_t value)
{
    return rl_double_saturated(value);
}

// value, saturated to int8.
static inline int32_t rl_saturate_s8(int32_t value)
{
    return rl_ssat8(value);
}

// value, clamped to `limits`. `open` is rl_limits_are_open(limits), and a constant where this is inlined.
static inline int8_t rl_limit_s8(int32_t value, struct rl_limits_s8 limits, bool open)
{
    return (int8_t)(open ? rl_saturate_s8(value) : rl_clamp_s32(value, limits.low, limits.high));
}

// value, saturated to int16.
static inline int32_t rl_saturate_s16(int32_t value)
{
    return rl_ssat16(value);
}

static inline int16_t rl_limit_s16(int32_t value, struct rl_limits_s16 limits, bool open)
{
    return (int16_t)(open ? rl_saturate_s16(value) : rl_clamp_s32(value, limits.low, limits.high));
}

#endif
