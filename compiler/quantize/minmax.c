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

size_t rl_channel_run(const struct rl_tensor_type *type, int axis)
{
    size_t run = 1;
    for (int position = type->rank - 1; position >= 0 && type->order[position] != axis; position--) {
        run *= (size_t)type->sizes[type->order[position]];
    }
    return run;
}

bool rl_minmax_observe_channels(const struct rl_tensor_type *type, int axis, const float *values,
                                struct rl_minmax *ranges)
{
    const size_t channels = (size_t)type->sizes[axis];
    const size_t run = rl_channel_run(type, axis);
    const size_t count = (size_t)rl_tensor_numel(type);
    for (size_t channel = 0; channel < channels; channel++) {
        ranges[channel] = rl_minmax_empty();
    }
    bool valid = true;
    for (size_t first = 0, channel = 0; first < count; first += run) {
        valid &= rl_minmax_observe(&ranges[channel], values + first, run);
        channel = channel + 1 == channels ? 0 : channel + 1;
    }
    return valid;
}
