// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/multiplier.h"

#include <math.h>

struct rl_multiplier rl_multiplier_of(double real)
{
    if (real < 0x1p-32) {
        return (struct rl_multiplier){0, 0};
    }
    if (!(real < 0x1p31)) {
        return (struct rl_multiplier){INT32_MAX, 31};
    }
    int shift;
    const double mantissa = frexp(real, &shift);
    const double fixed = nearbyint(ldexp(mantissa, 31));
    if (fixed == 2147483648.0) {
        return (struct rl_multiplier){1 << 30, shift + 1};
    }
    return (struct rl_multiplier){(int32_t)fixed, shift};
}
