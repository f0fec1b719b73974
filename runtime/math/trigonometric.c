// SPDX-License-Identifier: Apache-2.0
//
// Sine and cosine.
#include "runtime/math/trigonometric.h"
#include "runtime/math/functions.h"

// The sine of a normal number, `quarters` quarters of a turn later.
static rl_real sine_after(rl_real x, unsigned quarters)
{
    struct rl_reduced part = {rl_scaled_unpack_normal(x), 0};
    if (part.angle.exponent > 0 || (part.angle.exponent == 0 && part.angle.bits >= RL_QUARTER_PI)) {
        part = rl_reduce_angle(part.angle);
    }
    const unsigned quadrant = part.quadrant + quarters;
    struct rl_scaled result = quadrant & 1 ? rl_cosine_of(part.angle) : rl_sine_of(part.angle);
    result.negative = result.negative != ((quadrant & 2) != 0);
    return rl_scaled_pack(result);
}

rl_real RL_MATH(sin)(rl_real x)
{
    if (!rl_is_between(x, RL_ANGLE_SMALLEST, RL_LARGEST_EXPONENT)) {
        return rl_is_finite(x) ? x : rl_not_a_number();
    }
    return sine_after(x, 0);
}

rl_real RL_MATH(cos)(rl_real x)
{
    if (!rl_is_between(x, RL_ANGLE_SMALLEST, RL_LARGEST_EXPONENT)) {
        return rl_is_finite(x) ? 1 : rl_not_a_number();
    }
    return sine_after(x, 1);
}
