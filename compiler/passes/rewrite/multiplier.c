// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/multiplier.h"

#include <math.h>

enum { MOST_SHIFT = 30 };

static const struct rl_multiplier largest = {INT32_MAX, MOST_SHIFT};

struct rl_multiplier rl_multiplier_of(double real)
{
    if (real < 0x1p-32) {
        return (struct rl_multiplier){0, 0};
    }
    if (!(real < 0x1p30)) {
        return largest;
    }
    int shift;
    const double mantissa = frexp(real, &shift);
    const double fixed = nearbyint(ldexp(mantissa, 31));
    if (fixed < 2147483648.0) {
        return (struct rl_multiplier){(int32_t)fixed, shift};
    }
    return shift < MOST_SHIFT ? (struct rl_multiplier){1 << 30, shift + 1} : largest;
}
