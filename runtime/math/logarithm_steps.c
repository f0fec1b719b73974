// SPDX-License-Identifier: Apache-2.0
//
// The logarithms to other bases and of 1 + x, and the natural one in the steps of other families.
#include "runtime/math/functions.h"
#include "runtime/math/logarithm.h"

// A base: ln(z) is multiplied with `scale`, except for the natural one, where that is 1 and `scale` is zero; k counts
// `unit`. Both are fractions with exponents.
struct base {
    rl_word scale;
    int scale_exponent;
    rl_word unit;
    int unit_exponent;
};

static const struct base natural = {0, 0, RL_LN_2, 0}, binary = {RL_LOG2_E, 1, RL_TOP_BIT, 1},
                         decimal = {RL_LOG10_E, -1, RL_LOG10_2, -1};

static struct rl_scaled logarithm(struct rl_scaled x, const struct base *base)
{
    const struct rl_log_split parts = rl_split_for_log(x);
    struct rl_scaled result = rl_scaled_zero();
    if (parts.distance != 0) {
        result = rl_log_series(rl_quotient_of_split(parts));
        if (base->scale != 0) {
            const rl_word bits = rl_high(result.bits, base->scale);
            result = rl_scaled_of(bits, result.exponent + base->scale_exponent, result.negative);
        }
    }
    return parts.k == 0 ? result : rl_add_multiple(result, parts.k, base->unit, base->unit_exponent);
}

struct rl_scaled rl_scaled_log(struct rl_scaled x)
{
    return logarithm(x, &natural);
}

struct rl_scaled rl_scaled_log_series(struct rl_scaled x)
{
    return rl_log_series(x);
}

// 1 + x for x of -1 to -1/4, and from 1/4 on.
static struct rl_scaled one_more(struct rl_scaled x)
{
    if (x.negative) {
        return rl_scaled_of(-rl_scaled_fraction(x), 0, false);
    }
    if (x.exponent <= 0) {
        return (struct rl_scaled){RL_TOP_BIT + (rl_scaled_fraction(x) >> 1), 1, false};
    }
    const rl_word one = x.exponent <= RL_WORD_BITS ? RL_TOP_BIT >> (x.exponent - 1) : 0, sum = x.bits + one;
    return sum >= one ? (struct rl_scaled){sum, x.exponent, false}
                      : (struct rl_scaled){sum >> 1 | RL_TOP_BIT, x.exponent + 1, false};
}

struct rl_scaled rl_scaled_log1p(struct rl_scaled x)
{
    if (x.exponent >= -1) {
        return rl_scaled_log(one_more(x));
    }
    // x / (2 + x), below 1/7. A quarter of the divisor is near 1/2.
    const rl_word part = rl_scaled_fraction(x) >> 2;
    const struct rl_scaled divisor = rl_scaled_of(x.negative ? RL_TOP_BIT - part : RL_TOP_BIT + part, 2, false);
    const rl_word bits = rl_high(x.bits, rl_reciprocal(divisor.bits));
    return rl_log_series(rl_scaled_of(bits, x.exponent - divisor.exponent + 1, x.negative));
}

// Whether the logarithm is not that of a finite positive number; `result` is then what it is.
static bool is_special(rl_real x, rl_real *result)
{
    if (rl_is_zero(x)) {
        *result = rl_infinity(true);
        return true;
    }
    if (rl_is_nan(x) || rl_is_negative(x)) {
        *result = rl_not_a_number();
        return true;
    }
    *result = x;
    return rl_is_infinite(x);
}

// Exact for powers of two, where only k counts.
rl_real RL_MATH(log2)(rl_real x)
{
    rl_real result;
    return is_special(x, &result) ? result : rl_scaled_pack(logarithm(rl_scaled_unpack(x), &binary));
}

rl_real RL_MATH(log10)(rl_real x)
{
    rl_real result;
    return is_special(x, &result) ? result : rl_scaled_pack(logarithm(rl_scaled_unpack(x), &decimal));
}

rl_real RL_MATH(log1p)(rl_real x)
{
    rl_real result;
    if (rl_is_zero(x)) {
        return x;
    }
    return is_special(x + 1, &result) ? result : rl_scaled_pack(rl_scaled_log1p(rl_scaled_unpack(x)));
}
