// SPDX-License-Identifier: Apache-2.0
//
// Parts of a tensor along one dimension: a range of indices, or one index.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_PART_H
#define RL_RUNTIME_OPERATORS_PORTABLE_PART_H

#include "runtime/operators/portable/shape.h"

// Refuses a part that shares memory with the whole, or whose sizes differ from the whole's in a dimension other than
// `dim`. With `dropped`, `part` does not have dimension `dim`.
void rl_expect_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole,
                    const struct rl_tensor *part, uint32_t dim, bool dropped);

// The elements of a slice along its dimension.
struct rl_index_range {
    uint32_t dim, start, step, count;
};

// Reads dimension, start, end and step from `argument` on.
struct rl_index_range rl_read_range(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole);

// Reads an index along a dimension. Refuses every index if the dimension is empty.
uint32_t rl_read_index(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole, uint32_t dim);

// Writes the strides of `whole` without dimension `dim`, and returns the stride of that dimension.
uint32_t rl_strides_without(const struct rl_tensor *whole, uint32_t dim, uint32_t strides[RL_TENSOR_MAX_RANK]);

#endif
