// SPDX-License-Identifier: Apache-2.0
//
// e^x - 1, and the powers in the steps of other families.
#include "runtime/math/exponential.h"
#include "runtime/math/functions.h"

struct rl_scaled rl_scaled_exp2(struct rl_pair x)
{
    return rl_exp2_of_split(rl_split_pair(x));
}

struct rl_scaled rl_scaled_exp(struct rl_scaled x)
{
    return rl_scaled_exp2(rl_in_powers_of_two(x));
}

struct rl_scaled rl_scaled_expm1(struct rl_scaled x)
{
    const struct rl_pair t = rl_in_powers_of_two(x);
    const struct rl_split parts = rl_split_pair(t);
    const rl_word slope = rl_exp2_slope(parts);
    if (parts.whole == 0) {
        return rl_scaled_of(rl_high(t.high, slope), t.exponent, x.negative);
    }
    const struct rl_scaled power = rl_exp2_by_slope(parts, slope);
    if (x.negative) {
        const rl_word rest = -rl_scaled_fraction(power);
        return rest == 0 ? rl_scaled_one(true) : rl_scaled_of(rest, 0, true);
    }
    const rl_word one = power.exponent <= RL_WORD_BITS ? RL_TOP_BIT >> (power.exponent - 1) : 0;
    return rl_scaled_of(power.bits - one, power.exponent, false);
}

rl_real RL_MATH(expm1)(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (rl_is_zero(x)) {
        return x;
    }
    if (rl_is_beyond(x, RL_EXP_LARGEST)) {
        return rl_is_negative(x) ? -1 : rl_infinity(false);
    }
    return rl_scaled_pack(rl_scaled_expm1(rl_scaled_unpack(x)));
}
