// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/elementwise.h"

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
    union rl_number x[RL_ELEMENT_OPERANDS];
    const rl_real *from[RL_ELEMENT_OPERANDS];
    uint32_t place[RL_ELEMENT_OPERANDS], step[RL_ELEMENT_OPERANDS], varying = 0;
    rl_real *to = (rl_real *)tensors[0].data + walk->offset[0];
    for (uint32_t k = 0; k < op->operands; k++) {
        x[k] = rl_load_one(&tensors[1 + k], walk->offset[1 + k], true);
        if (walk->step[1 + k] != 0) {
            place[varying] = k;
            from[varying] = (const rl_real *)tensors[1 + k].data + walk->offset[1 + k];
            step[varying++] = walk->step[1 + k];
        }
    }
    if (varying == 1) { // mostly
        for (uint32_t i = 0; i < walk->count; i++) {
            x[place[0]].real = from[0][(size_t)i * step[0]];
            rl_put_real(to + (size_t)i * walk->step[0], op->reals(x));
        }
        return;
    }
    for (uint32_t i = 0; i < walk->count; i++) {
        for (uint32_t k = 0; k < varying; k++) {
            x[place[k]].real = from[k][(size_t)i * step[k]];
        }
        rl_put_real(to + (size_t)i * walk->step[0], op->reals(x));
    }
}
