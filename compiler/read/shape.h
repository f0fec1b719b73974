// SPDX-License-Identifier: Apache-2.0
//
// Sizes that the caller gives to inputs which the exporter left dynamic.
#ifndef RL_COMPILER_READ_SHAPE_H
#define RL_COMPILER_READ_SHAPE_H

#include "compiler/ir/graph.h"

struct rl_input_shape {
    const char *name; // of the input; NULL: of the input with this place in the list, and only where it is dynamic
    int rank;
    int64_t sizes[RL_MAX_RANK];
};

struct rl_input_shapes {
    const struct rl_input_shape *items;
    int count;
};

// A shape without a name.
struct rl_input_shape rl_input_shape_of(const struct rl_tensor_type *type);

#endif
