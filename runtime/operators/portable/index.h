// SPDX-License-Identifier: Apache-2.0
//
// Indices in tensors. Each is checked when it is read.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_INDEX_H
#define RL_RUNTIME_OPERATORS_PORTABLE_INDEX_H

#include "runtime/operators/operator.h"

// Refuses a tensor that is neither int32 nor int64.
void rl_expect_indices(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor);

// The index at `offset`, counted from the end if it is negative. If it is not within `size`, refuses the call and
// returns 0.
uint32_t rl_index_at(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, size_t offset,
                     int32_t size);

// Reads a dimension of a tensor of `rank`, counted from the end if negative. Rank 0 counts as 1.
uint32_t rl_read_dim(struct rl_call *call, uint32_t argument, uint32_t rank);

#endif
