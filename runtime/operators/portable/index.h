// SPDX-License-Identifier: Apache-2.0
//
// Indices that are data: each is checked when it is read.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_INDEX_H
#define RL_RUNTIME_OPERATORS_PORTABLE_INDEX_H

#include "runtime/operators/operator.h"

// Refuses a tensor that is neither int32 nor int64.
void rl_expect_indices(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor);

// The index at `offset`, counted from the end when it is negative; a call whose index is not within `size` is refused,
// with 0 as the result.
uint32_t rl_index_at(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, size_t offset,
                     int32_t size);

// A dimension of a tensor of `rank`, negative from the end; one without dimensions has those of a vector.
uint32_t rl_read_dim(struct rl_call *call, uint32_t argument, uint32_t rank);

#endif
