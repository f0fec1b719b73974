// SPDX-License-Identifier: Apache-2.0
#include "runtime/math/exponential.h"
#include "runtime/math/functions.h"

// With q = 1 - e^-2|x|: q / (2 - q).
rl_real RL_MATH(tanh)(rl_real x)
{
    enum { SMALLEST = -RL_SIGNIFICAND_BITS / 2, LARGEST = 5 };
    if (!rl_is_between(x, SMALLEST, LARGEST)) {
        if (rl_is_nan(x)) {
            return rl_not_a_number();
        }
        if (!rl_is_beyond(x, LARGEST)) {
            return x; // less x^3 / 3, too little
        }
        return rl_is_negative(x) ? -1 : 1;
    }
    struct rl_scaled size = rl_scaled_unpack_normal(x);
    size.exponent++;
    size.negative = true;
    const struct rl_pair t = rl_in_powers_of_two(size);
    const struct rl_split parts = rl_split_pair(t);
    const rl_word slope = rl_exp2_slope(parts);
    struct rl_scaled part = {rl_high(t.high, slope), t.exponent, false};
    if (parts.whole != 0) {
        const rl_word power = rl_scaled_fraction(rl_exp2_by_slope(parts, slope));
        part = (struct rl_scaled){power == 0 ? ~power : -power, 0, false};
    }
    const rl_word inverse = rl_reciprocal(-(rl_scaled_fraction(part) >> 1)); // of half of 2 - q
    return rl_scaled_pack(rl_scaled_of(rl_high(part.bits, inverse), part.exponent, rl_is_negative(x)));
}
