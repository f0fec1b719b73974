// SPDX-License-Identifier: Apache-2.0
//
// The logistic function.
#include "runtime/math/exponential.h"
#include "runtime/math/functions.h"

static rl_real simple_sigmoid(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (!rl_is_beyond(x, RL_EXP_LARGEST)) {
        return (rl_real)0.5;
    }
    return rl_is_negative(x) ? 0 : 1;
}

// With p = e^-|x|: 1 / (1 + p), and p times that for negative x.
rl_real RL_MATH(sigmoid)(rl_real x)
{
    if (!rl_is_between(x, RL_EXP_SMALLEST, RL_EXP_LARGEST)) {
        return simple_sigmoid(x);
    }
    struct rl_scaled size = rl_scaled_unpack_normal(x);
    size.negative = true;
    const struct rl_scaled power = rl_exp2_of_split(rl_split_pair(rl_in_powers_of_two(size)));
    // Half of 1 + p. p may have been rounded to 1.
    const rl_word sum = RL_TOP_BIT + (power.exponent > 0 ? RL_TOP_BIT - 1 : rl_scaled_fraction(power) >> 1);
    const rl_word inverse = rl_reciprocal(sum);
    if (!rl_is_negative(x)) {
        return rl_scaled_pack((struct rl_scaled){inverse, 0, false});
    }
    return rl_scaled_pack(rl_scaled_of(rl_high(power.bits, inverse), power.exponent, false));
}
