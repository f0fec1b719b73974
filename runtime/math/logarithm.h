// SPDX-License-Identifier: Apache-2.0
//
// The steps of logarithms: x = 2^k z with z in [sqrt(1/2), sqrt(2)), s = (z - 1) / (z + 1), and ln(z) = 2 atanh(s), a
// series in s that needs few terms for |s| < 0.172. They are inline for the function that models call for each element.
#ifndef RL_RUNTIME_MATH_LOGARITHM_H
#define RL_RUNTIME_MATH_LOGARITHM_H

#include "runtime/math/constants.h"
#include "runtime/math/scaled.h"

// 2^k z, by the distance of z from 1 and the sum of both.
struct rl_log_split {
    rl_word distance; // a fraction of RL_WORD_BITS, not normalised
    rl_word sum;      // half of it; a quarter where z is above 1
    int k;
    bool above; // whether z is 1 or more
};

static inline struct rl_log_split rl_split_for_log(struct rl_scaled x)
{
    // The bits of sqrt(1/2), without the last ones.
    const bool above = x.bits < (rl_word)0xb504f334 << (RL_WORD_BITS - 32);
    if (above) {
        return (struct rl_log_split){x.bits << 1, (x.bits >> 1) + (RL_TOP_BIT >> 1), x.exponent - 1, true};
    }
    return (struct rl_log_split){-x.bits, (x.bits >> 1) + RL_TOP_BIT, x.exponent, false};
}

// 2 atanh(x) for |x| < 0.172, not zero.
static inline struct rl_scaled rl_log_series(struct rl_scaled x)
{
    const rl_word fraction = rl_scaled_fraction(x), square = rl_high(fraction, fraction);
    const rl_word tail = rl_high(square, (rl_word)RL_POLYNOMIAL(log_terms, -(rl_signed)square) << 1);
    // 2 (x + tail x), which may carry into the next exponent.
    const rl_word bits = (x.bits >> 1) + rl_high(x.bits >> 1, tail);
    return rl_scaled_of(bits, x.exponent + 2, x.negative);
}

// The distance over the sum, where the distance is not zero: s.
static inline struct rl_scaled rl_quotient_of_split(struct rl_log_split x)
{
    const struct rl_scaled distance = rl_scaled_of(x.distance, 0, !x.above);
    const rl_word quotient = rl_high(distance.bits, rl_reciprocal(x.sum));
    return rl_scaled_of(quotient, distance.exponent - x.above, !x.above);
}

// x + k * unit / 2^RL_WORD_BITS * 2^unit_exponent, where the product is not zero and more than twice x.
static inline struct rl_scaled rl_add_multiple(struct rl_scaled x, int k, rl_word unit, int unit_exponent)
{
    const rl_word size = (rl_word)(k < 0 ? -k : k);
    const int zeros = rl_leading_zeros(size), exponent = RL_WORD_BITS - zeros + unit_exponent;
    const rl_word product = rl_high(size << zeros, unit);
    x.exponent -= exponent;
    const rl_word part = rl_scaled_fraction(x);
    return rl_scaled_of(x.negative == (k < 0) ? product + part : product - part, exponent, k < 0);
}

#endif
