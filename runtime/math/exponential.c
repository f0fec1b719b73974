// SPDX-License-Identifier: Apache-2.0
//
// e^x and, for doubles, 2^x.
#include "runtime/math/exponential.h"
#include "runtime/math/functions.h"

// The power of x with an exponent outside of those for which it is computed, NaN and zero included.
static rl_real simple_power(rl_real x)
{
    if (rl_is_nan(x)) {
        return rl_not_a_number();
    }
    if (!rl_is_beyond(x, RL_EXP_LARGEST)) {
        return 1;
    }
    return rl_is_negative(x) ? 0 : rl_infinity(false);
}

rl_real RL_MATH(exp)(rl_real x)
{
    if (!rl_is_between(x, RL_EXP_SMALLEST, RL_EXP_LARGEST)) {
        return simple_power(x);
    }
    return rl_scaled_pack(rl_exp2_of_split(rl_split_pair(rl_in_powers_of_two(rl_scaled_unpack_normal(x)))));
}

#ifdef RL_WIDE

double rl_math_exp2(double x)
{
    if (!rl_is_between(x, RL_EXP_SMALLEST, RL_EXP_LARGEST)) {
        return simple_power(x);
    }
    const struct rl_scaled number = rl_scaled_unpack_normal(x);
    return rl_scaled_pack(rl_scaled_exp2((struct rl_pair){number.bits, 0, number.exponent, number.negative}));
}

#endif
