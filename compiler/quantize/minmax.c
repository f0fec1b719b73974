// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/minmax.h"

#include <math.h>

struct rl_minmax rl_minmax_empty(void)
{
    return (struct rl_minmax){INFINITY, -INFINITY};
}

bool rl_minmax_observe(struct rl_minmax *range, const float *values, size_t count)
{
    float min = range->min;
    float max = range->max;
    bool has_nan = false;
    for (size_t i = 0; i < count; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
        has_nan |= isnan(values[i]);
    }
    *range = (struct rl_minmax){min, max};
    return !has_nan;
}
