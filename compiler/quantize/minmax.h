// SPDX-License-Identifier: Apache-2.0
//
// The min-max observers: the smallest and largest value seen, of a tensor or of each of its channels.
#ifndef RL_COMPILER_QUANTIZE_MINMAX_H
#define RL_COMPILER_QUANTIZE_MINMAX_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/ir/graph.h"

struct rl_minmax {
    float min; // +infinity while nothing was seen
    float max; // -infinity while nothing was seen
};

struct rl_minmax rl_minmax_empty(void);

// Widens the range to hold `count` values. False when one of them is NaN.
bool rl_minmax_observe(struct rl_minmax *range, const float *values, size_t count);

// One range for each index of dimension `axis` of a float32 tensor stored as `type` says: type->sizes[axis]
// ranges, which the call starts from empty. False when a value is NaN.
bool rl_minmax_observe_channels(const struct rl_tensor_type *type, int axis, const float *values,
                                struct rl_minmax *ranges);

// Elements that follow each other in memory within one channel of `axis`: element i belongs to channel
// (i / run) % type->sizes[axis].
size_t rl_channel_run(const struct rl_tensor_type *type, int axis);

#endif
