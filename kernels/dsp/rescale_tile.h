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

// rl_rescale of four doubled values, saturated to int8, as a word whose lowest byte is the first. In assembler because
// compilers do not use BFI; no result is used by the next instruction.
static inline uint32_t rl_rescaled_word(struct rl_rescale r, int32_t first, int32_t second, int32_t third,
                                        int32_t fourth)
{
    int32_t high;
    __asm__("smmlar %[high], %[first], %[multiplier], %[addend]\n"
            "add %[first], %[high], %[first], asr #31\n"
            "smmlar %[high], %[second], %[multiplier], %[addend]\n"
            "asr %[first], %[first], %[shift]\n"
            "add %[second], %[high], %[second], asr #31\n"
            "smmlar %[high], %[third], %[multiplier], %[addend]\n"
            "asr %[second], %[second], %[shift]\n"
            "add %[third], %[high], %[third], asr #31\n"
            "smmlar %[high], %[fourth], %[multiplier], %[addend]\n"
            "ssat %[first], #8, %[first]\n"
            "asr %[third], %[third], %[shift]\n"
            "add %[fourth], %[high], %[fourth], asr #31\n"
            "ssat %[second], #8, %[second]\n"
            "ssat %[third], #8, %[third]\n"
            "asr %[fourth], %[fourth], %[shift]\n"
            "ssat %[fourth], #8, %[fourth]\n"
            "bfi %[first], %[second], #8, #8\n"
            "bfi %[third], %[fourth], #8, #8\n"
            "bfi %[first], %[third], #16, #16\n"
            : [first] "+r"(first), [second] "+r"(second), [third] "+r"(third), [fourth] "+r"(fourth), [high] "=&r"(high)
            : [multiplier] "r"(r.multiplier), [addend] "r"(r.addend), [shift] "r"(r.right_shift));
    return (uint32_t)first;
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
