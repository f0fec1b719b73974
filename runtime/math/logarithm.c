// SPDX-License-Identifier: Apache-2.0
#include "runtime/math/logarithm.h"
#include "runtime/math/functions.h"

// Of what is not a normal positive number.
static rl_real rare_logarithm(rl_real x)
{
    if (rl_is_zero(x)) {
        return rl_infinity(true);
    }
    if (rl_is_nan(x) || rl_is_negative(x)) {
        return rl_not_a_number();
    }
    return rl_is_infinite(x) ? x : rl_scaled_pack(rl_scaled_log(rl_scaled_unpack(x)));
}

rl_real RL_MATH(log)(rl_real x)
{
    if (!rl_is_between(x, 3 - RL_LARGEST_EXPONENT, RL_LARGEST_EXPONENT) || rl_is_negative(x)) {
        return rare_logarithm(x);
    }
    const struct rl_log_split parts = rl_split_for_log(rl_scaled_unpack_normal(x));
    struct rl_scaled result = rl_scaled_zero();
    if (parts.distance != 0) {
        result = rl_log_of_split(parts);
    }
    return rl_scaled_pack(parts.k == 0 ? result : rl_add_multiple(result, parts.k, RL_LN_2, 0));
}
