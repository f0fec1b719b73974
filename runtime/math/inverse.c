// SPDX-License-Identifier: Apache-2.0
//
// Inverse trigonometric functions. Methods: the angle of a point (x, y) with 0 <= y <= x is a series in y / x, or
// pi / 4 less a series in (x - y) / (x + y) where that is smaller. The arcsine is a series below 1/2; above, it is
// pi / 2 - 2 asin(sqrt((1 - x) / 2)). The rest is symmetry.
#include "runtime/math/constants.h"
#include "runtime/math/functions.h"
#include "runtime/math/scaled.h"

// atan(x) for |x| < 0.42
static inline struct rl_scaled arctangent_series(struct rl_scaled x)
{
    const rl_word fraction = rl_scaled_fraction(x), square = rl_high(fraction, fraction);
    const rl_word tail = rl_high(square, (rl_word)RL_POLYNOMIAL(arctangent_terms, -(rl_signed)square) << 1);
    return rl_scaled_of(x.bits - rl_high(x.bits, tail), x.exponent, x.negative);
}

// pi / 4 * 2^doublings - x, where x is at most half of that, or 0.42 below pi / 4.
static inline struct rl_scaled complement(struct rl_scaled x, int doublings)
{
    x.exponent -= doublings;
    return rl_scaled_of(RL_QUARTER_PI - rl_scaled_fraction(x), doublings, false);
}

// The angle of the point (x, y), both positive.
static struct rl_scaled angle_of(struct rl_scaled y, struct rl_scaled x)
{
    const bool steep = y.exponent > x.exponent || (y.exponent == x.exponent && y.bits > x.bits);
    const struct rl_scaled large = steep ? y : x, small = steep ? x : y;
    const int shift = large.exponent - small.exponent;
    // Both on the scale of the larger one. tan(pi / 8) is about 53 / 128.
    const rl_word b = shift < RL_WORD_BITS ? small.bits >> shift : 0;
    struct rl_scaled angle;
    if (b > rl_high(large.bits, (rl_word)53 << (RL_WORD_BITS - 7))) {
        const rl_word difference = large.bits - b, sum = (large.bits >> 1) + (b >> 1);
        angle = (struct rl_scaled){RL_QUARTER_PI, 0, false};
        if (difference != 0) {
            const struct rl_scaled top = rl_scaled_of(difference, 0, false), bottom = rl_scaled_of(sum, 1, false);
            angle = complement(arctangent_series(rl_scaled_divide(top, bottom)), 0);
        }
    } else {
        angle = arctangent_series(rl_scaled_divide(small, large));
    }
    return steep ? complement(angle, 1) : angle;
}

static struct rl_scaled size_of(rl_real x)
{
    struct rl_scaled result = rl_scaled_unpack(x);
    result.negative = false;
    return result;
}

// The angle, counted from the other side if `from_behind`.
static rl_real placed(struct rl_scaled angle, bool from_behind, bool negative)
{
    if (from_behind) {
        angle = complement(angle, 2);
    }
    angle.negative = negative;
    return rl_scaled_pack(angle);
}

// The angle of a point with a coordinate that is zero or infinite.
static rl_real angle_of_edge(rl_real y, rl_real x)
{
    const struct rl_scaled one = rl_scaled_one(false);
    struct rl_scaled angle = rl_scaled_zero();
    if (rl_is_infinite(y) && rl_is_infinite(x)) {
        angle = angle_of(one, one);
    } else if (rl_is_infinite(y) || (rl_is_zero(x) && !rl_is_zero(y))) {
        angle = (struct rl_scaled){RL_QUARTER_PI, 1, false};
    }
    return placed(angle, rl_is_negative(x) && !(angle.exponent == 1), rl_is_negative(y));
}

rl_real RL_MATH(atan2)(rl_real y, rl_real x)
{
    if (rl_is_nan(x) || rl_is_nan(y)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x) || rl_is_zero(y) || rl_is_infinite(x) || rl_is_infinite(y)) {
        return angle_of_edge(y, x);
    }
    return placed(angle_of(size_of(y), size_of(x)), rl_is_negative(x), rl_is_negative(y));
}

rl_real RL_MATH(atan)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x) || rl_is_infinite(x)) {
        return angle_of_edge(x, 1);
    }
    return placed(angle_of(size_of(x), rl_scaled_one(false)), false, rl_is_negative(x));
}

// asin(x) for 0 < x <= 1/2
static struct rl_scaled arcsine_series(struct rl_scaled x)
{
    const rl_word fraction = rl_scaled_fraction(x), square = rl_high(fraction, fraction);
    const rl_word tail = rl_high(square, (rl_word)RL_POLYNOMIAL(arcsine_terms, -(rl_signed)square) << 1);
    // x + tail x, which may carry into the next exponent.
    return rl_scaled_of((x.bits >> 1) + rl_high(x.bits >> 1, tail), x.exponent + 1, false);
}

// acos(x) for 1/2 <= x < 1: twice the arcsine of the root of (1 - x) / 2.
static struct rl_scaled arccosine_near_one(struct rl_scaled x)
{
    struct rl_scaled result = arcsine_series(rl_scaled_root(rl_scaled_of(-x.bits, -1, false)));
    result.exponent++;
    return result;
}

// Whether |x| is 1.
static bool is_one(rl_real x)
{
    return rl_word_of(x) << 1 == rl_word_of(1) << 1;
}

rl_real RL_MATH(asin)(rl_real x)
{
    const bool negative = rl_is_negative(x);
    if (rl_is_zero(x)) {
        return x;
    }
    if (rl_is_beyond(x, 0)) {
        return is_one(x) ? rl_scaled_pack((struct rl_scaled){RL_QUARTER_PI, 1, negative}) : rl_not_a_number();
    }
    const struct rl_scaled size = size_of(x);
    return placed(size.exponent < 0 ? arcsine_series(size) : complement(arccosine_near_one(size), 1), false, negative);
}

rl_real RL_MATH(acos)(rl_real x)
{
    const bool negative = rl_is_negative(x);
    if (rl_is_beyond(x, 0)) {
        return is_one(x) ? placed(rl_scaled_zero(), negative, false) : rl_not_a_number();
    }
    if (rl_is_beyond(x, -1)) {
        return placed(arccosine_near_one(size_of(x)), negative, false);
    }
    struct rl_scaled rest = rl_scaled_zero();
    if (!rl_is_zero(x)) {
        rest = arcsine_series(size_of(x));
    }
    return placed(complement(rest, 1), negative, false);
}
