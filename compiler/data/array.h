// SPDX-License-Identifier: Apache-2.0
//
// A named array as .npy and .npz files hold it.
#ifndef RL_COMPILER_DATA_ARRAY_H
#define RL_COMPILER_DATA_ARRAY_H

#include <stdbool.h>

#include "compiler/ir/elements.h"
#include "compiler/ir/graph.h"

struct rl_array {
    const char *name;
    enum rl_scalar_type dtype;
    int rank;
    int64_t sizes[RL_MAX_RANK];
    const void *data;    // dense, C order (the last axis is innermost), little-endian; NULL when skipped
    const char *skipped; // numpy's name of an element type that is not supported ("<U16"); NULL for all others
};

int64_t rl_array_numel(const struct rl_array *array);

// Copies one tensor between C order and the memory order of `type` (rl_tensor_bytes each, no overlap).
void rl_tensor_from_c_order(const struct rl_tensor_type *type, const void *source, void *target);
void rl_tensor_to_c_order(const struct rl_tensor_type *type, const void *source, void *target);

#endif
