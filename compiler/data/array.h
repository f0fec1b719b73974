// SPDX-License-Identifier: Apache-2.0
//
// A named array as .npy and .npz files hold it. Its elements may still be in the file (files.h).
#ifndef RL_COMPILER_DATA_ARRAY_H
#define RL_COMPILER_DATA_ARRAY_H

#include <stdbool.h>

#include "compiler/ir/elements.h"
#include "compiler/ir/graph.h"

// Where an array comes from.
struct rl_array_file {
    const char *path;    // NULL: it was made in memory
    const char *member;  // of a .npz; NULL for a .npy
    uint64_t bytes;      // of its header and its elements
    uint64_t file_bytes; // of the whole file, which may be compressed
    uint64_t elements;   // where they begin in a member that holds them as memory does; 0: it does not
};

struct rl_array {
    const char *name;
    enum rl_scalar_type dtype;
    int rank;
    int64_t sizes[RL_MAX_RANK];
    const void *data;    // dense, C order (the last axis is innermost), little-endian; NULL when skipped or not loaded
    const char *skipped; // numpy's name of an element type that is not supported ("<U16"); NULL for all others
    bool is_turned;      // a photo that lies on its side: its EXIF data ask for a turn, which its elements have not got
    struct rl_array_file file;
};

int64_t rl_array_numel(const struct rl_array *array);

// Copies one tensor between C order and the memory order of `type` (rl_tensor_bytes each, no overlap).
void rl_tensor_from_c_order(const struct rl_tensor_type *type, const void *source, void *target);
void rl_tensor_to_c_order(const struct rl_tensor_type *type, const void *source, void *target);

#endif
