// SPDX-License-Identifier: Apache-2.0
//
// The .npz format of numpy: a ZIP archive of .npy members.
#ifndef RL_COMPILER_DATA_NPZ_H
#define RL_COMPILER_DATA_NPZ_H

#include "compiler/data/array.h"

// Reads all arrays, stored or deflated, in the order of the archive, named after the members without ".npy". Arrays of
// an element type that is not supported are there, marked as skipped.
enum rl_status rl_npz_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count);

// Writes the arrays uncompressed; the same arrays give the same bytes. The file is replaced at once or not at all.
enum rl_status rl_npz_write(struct rl_context *context, const char *path, const struct rl_array *arrays, int count);

#endif
