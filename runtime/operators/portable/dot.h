// SPDX-License-Identifier: Apache-2.0
//
// Four sums of products side by side. Independent chains of additions keep a pipelined core busy. Each sum has one
// fixed order, so that every core gives the same float.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_DOT_H
#define RL_RUNTIME_OPERATORS_PORTABLE_DOT_H

#include <stddef.h>

#include "runtime/operators/portable/number.h"

// sums[k] += left[k][i * left_step] * right[k][i * right_step] for i = 0, 1, ..., count - 1
static inline void rl_dot4(rl_real sums[4], const rl_real *const left[4], ptrdiff_t left_step,
                           const rl_real *const right[4], ptrdiff_t right_step, int32_t count)
{
    rl_real sum_0 = sums[0], sum_1 = sums[1], sum_2 = sums[2], sum_3 = sums[3];
    const rl_real *left_0 = left[0], *left_1 = left[1], *left_2 = left[2], *left_3 = left[3];
    const rl_real *right_0 = right[0], *right_1 = right[1], *right_2 = right[2], *right_3 = right[3];
    ptrdiff_t at_left = 0, at_right = 0;
    for (int32_t i = 0; i < count; i++, at_left += left_step, at_right += right_step) {
        sum_0 += left_0[at_left] * right_0[at_right];
        sum_1 += left_1[at_left] * right_1[at_right];
        sum_2 += left_2[at_left] * right_2[at_right];
        sum_3 += left_3[at_left] * right_3[at_right];
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

// Elements of a tensor, of any type: the one at `at` and those behind it, each `step` further.
struct rl_vector {
    const struct rl_tensor *tensor;
    size_t at, step;
};

// sum + left[0] * right[0] + left[1] * right[1] + ..., one after the other: of floats if `real`, otherwise of integers,
// which wrap around.
union rl_number rl_dot_numbers(union rl_number sum, const struct rl_vector *left, const struct rl_vector *right,
                               bool real, uint32_t count);

#endif
