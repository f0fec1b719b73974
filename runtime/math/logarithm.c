// SPDX-License-Identifier: Apache-2.0
#include "runtime/math/logarithm.h"
#include "runtime/math/functions.h"

rl_real RL_MATH(log)(rl_real x)
{
    if (rl_is_zero(x)) {
        return rl_infinity(true);
    }
    if (!rl_is_finite(x) || rl_is_negative(x)) {
        return rl_is_infinite(x) && !rl_is_negative(x) ? x : rl_not_a_number();
    }
    const struct rl_log_split parts = rl_split_for_log(rl_scaled_unpack(x));
    struct rl_scaled result = rl_scaled_zero();
    if (parts.distance != 0) {
        result = rl_log_series(rl_quotient_of_split(parts));
    }
    return rl_scaled_pack(parts.k == 0 ? result : rl_add_multiple(result, parts.k, RL_LN_2, 0));
}
