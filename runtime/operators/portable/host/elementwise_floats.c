// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/host/element_loop.h"

bool rl_takes_floats(const struct rl_elementwise *op, const struct rl_tensor *tensors, const struct rl_walk *walk)
{
    bool takes = tensors[0].dtype == RL_REAL;
    for (uint32_t k = 1; k <= op->operands; k++) {
        takes = takes && (tensors[k].dtype == RL_REAL || walk->step[k] == 0);
    }
    return takes;
}

void rl_compute_floats(const struct rl_elementwise *op, const struct rl_tensor *tensors, const struct rl_walk *walk)
{
    if (op->loop) {
        op->loop(op, tensors, walk);
    } else {
        rl_loop_over_floats(op->reals, op, tensors, walk);
    }
}
