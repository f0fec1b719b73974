// SPDX-License-Identifier: Apache-2.0
//
// The min-max observer: the smallest and largest value seen.
#ifndef RL_COMPILER_QUANTIZE_MINMAX_H
#define RL_COMPILER_QUANTIZE_MINMAX_H

#include <stdbool.h>
#include <stddef.h>

struct rl_minmax {
    float min; // +infinity before the first value
    float max; // -infinity before the first value
};

struct rl_minmax rl_minmax_empty(void);

// Widens the range to hold `count` values. False when one of them is NaN.
bool rl_minmax_observe(struct rl_minmax *range, const float *values, size_t count);

#endif
