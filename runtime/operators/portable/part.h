// SPDX-License-Identifier: Apache-2.0
//
// Parts of a tensor along one dimension: a range of indices, or one index.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_PART_H
#define RL_RUNTIME_OPERATORS_PORTABLE_PART_H

#include "runtime/operators/portable/shape.h"

// Refuses a part that does not have, but for dimension `dim`, the sizes of the whole, or shares memory with it. With
// `dropped`, `part` does not have the dimension at all.
void rl_expect_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole,
                    const struct rl_tensor *part, uint32_t dim, bool dropped);

// The elements of a slice along its dimension.
struct rl_range {
    uint32_t dim, start, step, count;
};

// Reads dimension, start, end and step from `argument` on.
struct rl_range rl_read_range(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole);

// Index along a dimension, which an empty one has none of.
uint32_t rl_read_index(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole, uint32_t dim);

// Strides along the dimensions of a part that does not have dimension `dim` of `whole`; the stride of that dimension is
// the result.
uint32_t rl_strides_without(const struct rl_tensor *whole, uint32_t dim, uint32_t strides[RL_TENSOR_MAX_RANK]);

#endif
