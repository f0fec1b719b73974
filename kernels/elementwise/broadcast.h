// SPDX-License-Identifier: Apache-2.0
// Broadcasting of two 4-D tensors, reduced to rows that need no further thought.
#ifndef RL_KERNELS_ELEMENTWISE_BROADCAST_H
#define RL_KERNELS_ELEMENTWISE_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "arm_nn_types.h"

// Two inputs seen as rows of `row` output elements, one row for each index of the three outer axes. An input that is
// repeated along an axis has stride 0 there. On the row itself an input has `row` elements, or one (row_is_scalar).
struct rl_broadcast {
    int32_t size[3];
    int32_t stride[2][3];
    int32_t row;
    bool row_is_scalar[2];
};

// Fills `out`, with axes merged into the row as long as neither or the same input is repeated along them. Returns false
// when two sizes differ and neither is 1.
bool rl_broadcast_plan(const cmsis_nn_dims *a, const cmsis_nn_dims *b, struct rl_broadcast *out);

#endif
