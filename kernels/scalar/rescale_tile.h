// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_RESCALE_TILE_H
#define RL_KERNELS_SCALAR_RESCALE_TILE_H

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"

#include RL_LOOP(saturate)

// Rescales a value of -2^30..2^30-1, which is given doubled.
static inline int32_t rl_rescale(struct rl_rescale r, int32_t doubled)
{
    return (rl_high_word(doubled, r.multiplier) + r.addend + (doubled >> 31)) >> r.right_shift;
}

// rl_rescale of four doubled values, saturated to int8, as a word whose lowest byte is the first.
static inline uint32_t rl_rescaled_word(struct rl_rescale r, int32_t first, int32_t second, int32_t third,
                                        int32_t fourth)
{
    return (uint8_t)rl_saturate_s8(rl_rescale(r, first)) |
           (uint32_t)(uint8_t)rl_saturate_s8(rl_rescale(r, second)) << 8 |
           (uint32_t)(uint8_t)rl_saturate_s8(rl_rescale(r, third)) << 16 |
           (uint32_t)(uint8_t)rl_saturate_s8(rl_rescale(r, fourth)) << 24;
}

// (value * multiplier + 2^31) / 2^32, rounded down, plus the addend.
static inline int32_t rl_scaled_by(int32_t value, int32_t multiplier, int32_t addend)
{
    return rl_high_word(value, multiplier) + addend;
}

// 2 * value, where values beyond 2^30 in magnitude count as about 2^30.
static inline int32_t rl_double_limited(int32_t value)
{
    return rl_clamp_s32(value, -(INT32_C(1) << 30), (INT32_C(1) << 30) - 1) * 2;
}

// value, clamped to `limits`. `open` is rl_limits_are_open(limits), and a constant where this is inlined.
static inline int8_t rl_limit_s8(int32_t value, struct rl_limits_s8 limits, bool open)
{
    return (int8_t)(open ? rl_saturate_s8(value) : rl_clamp_s32(value, limits.low, limits.high));
}

static inline int16_t rl_limit_s16(int32_t value, struct rl_limits_s16 limits, bool open)
{
    return (int16_t)(open ? rl_saturate_s16(value) : rl_clamp_s32(value, limits.low, limits.high));
}

#endif
