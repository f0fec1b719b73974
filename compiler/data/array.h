// SPDX-License-Identifier: Apache-2.0
//
// A named array as .npy and .npz files hold it.
#ifndef RL_COMPILER_DATA_ARRAY_H
#define RL_COMPILER_DATA_ARRAY_H

#include <stdbool.h>

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

// Converts `count` elements and keeps every value: false when a value cannot be kept, with its index in `bad`. One
// exception: float64 may be rounded to a smaller floating type, because numpy makes float64 by default. Supported:
// all integers, booleans, float16, float32, float64, where float16 is converted from, not to.
bool rl_convert_elements(enum rl_scalar_type from, const void *source, enum rl_scalar_type to, void *target,
                         int64_t count, int64_t *bad);

// "float32"; "unknown type" for a number that is not a type.
const char *rl_dtype_name(enum rl_scalar_type dtype);

#endif
