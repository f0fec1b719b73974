// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/channels.h"

#include <math.h>

// Memory of a tensor as runs of elements of one channel: run k belongs to channel k % channels.
struct runs {
    size_t channels;
    size_t length;
    size_t count;
};

static struct runs runs_of(const struct rl_tensor_type *type, int axis)
{
    size_t length = 1;
    for (int position = type->rank - 1; position >= 0 && type->order[position] != axis; position--) {
        length *= (size_t)type->sizes[type->order[position]];
    }
    const size_t elements = (size_t)rl_tensor_numel(type);
    return (struct runs){(size_t)type->sizes[axis], length, elements == 0 ? 0 : elements / length};
}

bool rl_channels_observe(const struct rl_tensor_type *type, int axis, const float *values, struct rl_minmax *ranges)
{
    const struct runs runs = runs_of(type, axis);
    for (size_t channel = 0; channel < runs.channels; channel++) {
        ranges[channel] = rl_minmax_empty();
    }
    bool valid = true;
    for (size_t run = 0; run < runs.count; run++) {
        valid &= rl_minmax_observe(&ranges[run % runs.channels], values + run * runs.length, runs.length);
    }
    return valid;
}

void rl_channels_magnitude(const struct rl_tensor_type *type, int axis, const float *values, double *magnitudes)
{
    const struct runs runs = runs_of(type, axis);
    for (size_t channel = 0; channel < runs.channels; channel++) {
        magnitudes[channel] = 0;
    }
    for (size_t i = 0; i < runs.count * runs.length; i++) {
        magnitudes[i / runs.length % runs.channels] += fabs((double)values[i]);
    }
}

void rl_channels_quantize_to_int8(const struct rl_tensor_type *type, int axis, const float *values, const float *scales,
                                  struct rl_qrange range, int8_t *integers)
{
    const struct runs runs = runs_of(type, axis);
    for (size_t run = 0; run < runs.count; run++) {
        const struct rl_qparams qparams = {scales[run % runs.channels], 0};
        const size_t first = run * runs.length;
        rl_quantize_to_int8(values + first, runs.length, qparams, range, integers + first);
    }
}

void rl_channels_quantize_to_int32(const struct rl_tensor_type *type, int axis, const float *values,
                                   const float *scales, struct rl_qrange range, int32_t *integers)
{
    const struct runs runs = runs_of(type, axis);
    for (size_t run = 0; run < runs.count; run++) {
        const struct rl_qparams qparams = {scales[run % runs.channels], 0};
        const size_t first = run * runs.length;
        rl_quantize_to_int32(values + first, runs.length, qparams, range, integers + first);
    }
}
