// SPDX-License-Identifier: Apache-2.0
//
// The .npz format of numpy: a ZIP archive of .npy members.
#ifndef RL_COMPILER_DATA_NPZ_H
#define RL_COMPILER_DATA_NPZ_H

#include "compiler/data/array.h"

// The arrays, stored or deflated, in the order of the archive, named after the members without ".npy". Only the
// archive's directory is read: of each array `name` and `file` are known. No two may have one name.
enum rl_status rl_npz_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count);

// Reads the headers of arrays that lie side by side in a list: all but the elements is then known. Arrays of an element
// type that is not supported are marked as skipped.
enum rl_status rl_npz_describe(struct rl_context *context, struct rl_arena *arena, struct rl_array *arrays, int count);

// Reads them with their elements. The limit of rl_zip_limit holds for one call.
enum rl_status rl_npz_load(struct rl_context *context, struct rl_arena *arena, struct rl_array *arrays, int count);

// Checks the CRC of the member. Then parts of it, `count` bytes from `offset` on, may be read, if array->file.elements
// is not 0: in several threads as well, each with a context of its own.
enum rl_status rl_npz_check(struct rl_context *context, const struct rl_array *array);
enum rl_status rl_npz_read_part(struct rl_context *context, const struct rl_array *array, uint64_t offset, void *bytes,
                                size_t count);

// Lists and loads all arrays.
enum rl_status rl_npz_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count);

// Writes the arrays uncompressed; the same arrays give the same bytes. The file is replaced at once or not at all.
enum rl_status rl_npz_write(struct rl_context *context, const char *path, const struct rl_array *arrays, int count);

#endif
