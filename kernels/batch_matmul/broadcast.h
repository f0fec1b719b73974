// SPDX-License-Identifier: Apache-2.0
// Where each batch finds its matrices.
#ifndef RL_KERNELS_BATCH_MATMUL_BROADCAST_H
#define RL_KERNELS_BATCH_MATMUL_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "arm_nn_types.h"

// Elements to advance in lhs and rhs for each index of the axes n and h; 0 on an axis where that input is repeated.
struct rl_matmul_batches {
    int32_t lhs_step[2];
    int32_t rhs_step[2];
};

// False when a batch size is neither the output's nor 1. The depth is that of the right side.
static inline bool rl_matmul_batches_plan(const cmsis_nn_dims *lhs, const cmsis_nn_dims *rhs,
                                          const cmsis_nn_dims *output, struct rl_matmul_batches *batches)
{
    if ((lhs->n != 1 && lhs->n != output->n) || (lhs->h != 1 && lhs->h != output->h)) {
        return false;
    }
    if ((rhs->n != 1 && rhs->n != output->n) || (rhs->h != 1 && rhs->h != output->h)) {
        return false;
    }
    const int32_t lhs_matrix = lhs->w * rhs->c, rhs_matrix = rhs->w * rhs->c;
    batches->lhs_step[0] = lhs->n == 1 ? 0 : lhs->h * lhs_matrix;
    batches->lhs_step[1] = lhs->h == 1 ? 0 : lhs_matrix;
    batches->rhs_step[0] = rhs->n == 1 ? 0 : rhs->h * rhs_matrix;
    batches->rhs_step[1] = rhs->h == 1 ? 0 : rhs_matrix;
    return true;
}

#endif
