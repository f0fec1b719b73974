// SPDX-License-Identifier: Apache-2.0
//
// The tangent: sine by cosine, or the inverse of that with the other sign in every other quadrant.
#include "runtime/math/functions.h"
#include "runtime/math/trigonometric.h"

rl_real RL_MATH(tan)(rl_real x)
{
    if (!rl_is_between(x, RL_ANGLE_SMALLEST, RL_LARGEST_EXPONENT)) {
        return rl_is_finite(x) ? x : rl_not_a_number();
    }
    struct rl_reduced part = {rl_scaled_unpack_normal(x), 0};
    if (part.angle.exponent > 0 || (part.angle.exponent == 0 && part.angle.bits >= RL_QUARTER_PI)) {
        part = rl_reduce_angle(part.angle);
    }
    const struct rl_scaled sine = rl_sine_of(part.angle), cosine = rl_cosine_of(part.angle);
    const bool turned = part.quadrant & 1;
    const struct rl_scaled top = turned ? cosine : sine, bottom = turned ? sine : cosine;
    const rl_word bits = rl_high(top.bits, rl_reciprocal(bottom.bits));
    return rl_scaled_pack(rl_scaled_of(bits, top.exponent - bottom.exponent + 1, sine.negative != turned));
}
