// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions and their inverses, from e^x - 1 and ln(1 + x), which keep all bits near zero.
#include "runtime/math/functions.h"
#include "runtime/math/scaled.h"

// Above 2^LARGEST all hyperbolic functions are infinite or 1.
enum { LARGEST = RL_WORD_BITS == 32 ? 7 : 10 };

static struct rl_scaled magnitude_of(struct rl_scaled x)
{
    x.negative = false;
    return x;
}

// (e^x + e^-x) / 2 or (e^x - e^-x) / 2 for x > 0.
static rl_real half_sum(struct rl_scaled x, bool is_difference, bool negative)
{
    const struct rl_scaled power = rl_scaled_exp(x);
    const int shift = 2 * power.exponent - 1;
    const rl_word inverse = rl_reciprocal(power.bits), part = shift < RL_WORD_BITS ? inverse >> shift : 0;
    const rl_word half = power.bits >> 1, other = part >> 1;
    return rl_scaled_pack(rl_scaled_of(is_difference ? half - other : half + other, power.exponent, negative));
}

rl_real RL_MATH(sinh)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x)) {
        return x;
    }
    if (rl_is_beyond(x, LARGEST)) {
        return rl_infinity(rl_is_negative(x));
    }
    const struct rl_scaled size = magnitude_of(rl_scaled_unpack(x));
    if (rl_is_beyond(x, -1)) {
        return half_sum(size, true, rl_is_negative(x));
    }
    // With q = e^|x| - 1: q (1 + 1 / (1 + q)) / 2. Half of 1 + q fits a word.
    const struct rl_scaled power = rl_scaled_expm1(size);
    const rl_word inverse = rl_reciprocal(RL_TOP_BIT + (rl_scaled_fraction(power) >> 1));
    const rl_word bits = rl_high(power.bits, RL_TOP_BIT + (inverse >> 1));
    return rl_scaled_pack(rl_scaled_of(bits, power.exponent, rl_is_negative(x)));
}

rl_real RL_MATH(cosh)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_beyond(x, LARGEST)) {
        return rl_infinity(false);
    }
    if (!rl_is_beyond(x, -RL_SIGNIFICAND_BITS)) {
        return 1;
    }
    return half_sum(magnitude_of(rl_scaled_unpack(x)), false, false);
}

// ln(1 + x + x^2 / (1 + sqrt(x^2 + 1)))
rl_real RL_MATH(asinh)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x) || rl_is_infinite(x)) {
        return x;
    }
    const bool negative = rl_is_negative(x);
    const struct rl_scaled number = magnitude_of(rl_scaled_unpack(x)), one = rl_scaled_one(false);
    const struct rl_scaled square = rl_scaled_multiply(number, number);
    const struct rl_scaled divisor = rl_scaled_add(one, rl_scaled_root(rl_scaled_add(square, one)));
    struct rl_scaled result = rl_scaled_log1p(rl_scaled_add(number, rl_scaled_divide(square, divisor)));
    result.negative = negative;
    return rl_scaled_pack(result);
}

// ln(1 + d + sqrt(d (x + 1))) with d = x - 1
rl_real RL_MATH(acosh)(rl_real x)
{
    if (!(x >= 1)) {
        return rl_not_a_number();
    }
    if (rl_is_infinite(x)) {
        return x;
    }
    const struct rl_scaled number = rl_scaled_unpack(x);
    const struct rl_scaled less = rl_scaled_add(number, rl_scaled_one(true));
    const struct rl_scaled more = rl_scaled_add(number, rl_scaled_one(false));
    if (less.bits == 0) {
        return 0;
    }
    return rl_scaled_pack(rl_scaled_log1p(rl_scaled_add(less, rl_scaled_root(rl_scaled_multiply(less, more)))));
}

// ln((1 + x) / (1 - x)) / 2, for small x by its series
rl_real RL_MATH(atanh)(rl_real x)
{
    if (rl_is_zero(x)) {
        return x;
    }
    const struct rl_scaled number = rl_scaled_unpack(x), size = magnitude_of(number);
    if (size.exponent > 0) { // also infinity and NaN
        return size.exponent == 1 && size.bits == RL_TOP_BIT ? rl_infinity(number.negative) : rl_not_a_number();
    }
    struct rl_scaled result;
    if (size.exponent < -2) {
        result = rl_scaled_log_series(size);
    } else {
        struct rl_scaled rest = rl_scaled_add(rl_scaled_one(true), size);
        rest.negative = false;
        result = rl_scaled_log(rl_scaled_divide(rl_scaled_add(rl_scaled_one(false), size), rest));
    }
    result.exponent--;
    result.negative = number.negative;
    return rl_scaled_pack(result);
}
