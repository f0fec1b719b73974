// SPDX-License-Identifier: Apache-2.0
// The requantization of requantize.h for outputs that are known to shift right, with the output offset folded in:
//     requantize(value, multiplier, shift) + offset
//       = floor((high(value) + (high(value) < 0 ? -1 : 0) + 2^(s - 1)) / 2^s) + offset,  s = -shift
//       = floor((high(value) + value's sign + addend) / 2^s),  addend = 2^(s - 1) + offset * 2^s
// high(value) is the rounding high half of value * multiplier. Its sign may be replaced by that of value (as 0 or -1):
// they differ only where high(value) is 0, and there both give offset. Doubling value first makes that high half the
// upper word of one 64-bit product.
#ifndef RL_KERNELS_ELEMENTWISE_RESCALE_H
#define RL_KERNELS_ELEMENTWISE_RESCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"

// Whether an offset is one that an int8 zero point can have.
static inline bool rl_offset_is_small(int32_t offset)
{
    return offset >= -128 && offset <= 128;
}

// Whether the offset can be folded in: shift -22..-1, |offset| <= 128.
static inline bool rl_rescale_fits(int32_t offset, int32_t shift)
{
    return shift <= -1 && shift >= -22 && rl_offset_is_small(offset);
}

// Whether that is so for the scales of all channels, and each bias, of which there may be none, is at most `limit` in
// magnitude.
static inline bool rl_rescale_fits_all(int32_t offset, struct rl_scales scales, const int32_t *bias, int32_t limit,
                                       int32_t channels)
{
    for (int32_t i = 0; i < channels; i++) {
        if (!rl_rescale_fits(offset, scales.shift[i]) || (bias && (bias[i] < -limit || bias[i] > limit))) {
            return false;
        }
    }
    return true;
}

// Returns false and does nothing where the folding is not allowed.
static inline bool rl_rescale_init(int32_t offset, int32_t multiplier, int32_t shift, struct rl_rescale *out)
{
    if (!rl_rescale_fits(offset, shift)) {
        return false;
    }
    out->multiplier = multiplier;
    out->right_shift = -shift;
    out->addend = offset * (INT32_C(1) << -shift) + (INT32_C(1) << (-shift - 1));
    return true;
}

// The same for a shift of 0 or more, if no output is below the offset, as after a ReLU: all values below zero then give
// the lower limit, with the sign added or not. Values are to be shifted left before.
static inline bool rl_rescale_init_left(int32_t offset, int32_t low, int32_t multiplier, struct rl_rescale *out)
{
    *out = (struct rl_rescale){multiplier, offset, 0};
    return low >= offset && rl_offset_is_small(offset);
}

// The addend in units of 2^(s - 1), for loops that use another scale in each round.
static inline int32_t rl_rescale_rounding(int32_t offset)
{
    return 2 * offset + 1;
}

// The requantization, where the folding is allowed.
static inline struct rl_rescale rl_rescale_of(int32_t rounding, int32_t multiplier, int32_t shift)
{
    return (struct rl_rescale){multiplier, rounding * (INT32_C(1) << (-shift - 1)), -shift};
}

// The limits of an output. Most operators leave the whole range of the type open, so one saturation is enough.
struct rl_limits_s8 {
    int32_t low;
    int32_t high;
};

static inline bool rl_limits_are_open(struct rl_limits_s8 limits)
{
    return limits.low <= INT8_MIN && limits.high >= INT8_MAX;
}

struct rl_limits_s16 {
    int32_t low;
    int32_t high;
};

static inline bool rl_limits_are_open_s16(struct rl_limits_s16 limits)
{
    return limits.low <= INT16_MIN && limits.high >= INT16_MAX;
}

#endif
