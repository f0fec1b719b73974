// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a result, built step by step from those of the inputs and then applied with rl_resize. No other code
// compares the sizes of an operator's result with its output.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_SHAPE_H
#define RL_RUNTIME_OPERATORS_PORTABLE_SHAPE_H

#include "runtime/operators/operator.h"

struct rl_shape {
    int32_t sizes[RL_TENSOR_MAX_RANK];
    uint32_t rank;
};

struct rl_shape rl_shape_of(const struct rl_tensor *tensor);

// A computed size; -1, which no output has, if it does not fit.
static inline int32_t rl_size(int64_t size)
{
    return size >= 0 && size <= INT32_MAX ? (int32_t)size : -1;
}

// Broadcasts the shape with the tensor's. False if they do not match. A shape of rank 0 is a number, which matches
// everything.
bool rl_shape_broadcast(struct rl_shape *shape, const struct rl_tensor *tensor);

// Remove dimension `dim`, which the shape must have, or insert a dimension of this size before `dim`, for which there
// must be room.
void rl_shape_remove(struct rl_shape *shape, uint32_t dim);
void rl_shape_insert(struct rl_shape *shape, uint32_t dim, int32_t size);

// rl_call_resize for an output and its view.
static inline void rl_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *output,
                             const struct rl_shape *shape)
{
    rl_call_resize(call, argument, output, shape->rank, shape->sizes);
}

#endif
