// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/dot.h"

enum { AT_ONCE = 8 };

union rl_number rl_dot_numbers(union rl_number sum, const struct rl_vector *left, const struct rl_vector *right,
                               bool real, uint32_t count)
{
    union rl_number a[AT_ONCE], b[AT_ONCE];
    for (uint32_t first = 0; first < count; first += AT_ONCE) {
        const uint32_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        rl_load(left->tensor, left->at + first * left->step, left->step, real, a, 1, some);
        rl_load(right->tensor, right->at + first * right->step, right->step, real, b, 1, some);
        for (uint32_t i = 0; i < some; i++) {
            if (real) {
                sum.real += a[i].real * b[i].real;
            } else {
                sum.integer = (int64_t)((uint64_t)sum.integer + (uint64_t)a[i].integer * (uint64_t)b[i].integer);
            }
        }
    }
    return sum;
}
