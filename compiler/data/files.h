// SPDX-License-Identifier: Apache-2.0
//
// Data files by path: .npz, .npy, folders of them.
#ifndef RL_COMPILER_DATA_FILES_H
#define RL_COMPILER_DATA_FILES_H

#include "compiler/data/array.h"

// Replaces each folder by its .npz and .npy files, sorted by name. A path that is neither: an error.
enum rl_status rl_data_files(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                             int path_count, const char *const **files, int *count);

// All arrays of a file, by its ending.
enum rl_status rl_data_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                            struct rl_array **arrays, int *count);

#endif
