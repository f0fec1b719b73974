// SPDX-License-Identifier: Apache-2.0
//
// The .npy format of numpy, versions 1 to 3 (numpy/lib/format.py).
#ifndef RL_COMPILER_DATA_NPY_H
#define RL_COMPILER_DATA_NPY_H

#include "compiler/data/array.h"

// Reads a .npy file; the array is named after the file, without folder and ".npy". Accepted: little-endian floats of 2,
// 4 and 8 bytes, integers of 1 to 8 bytes, booleans; C or Fortran order (converted); up to RL_MAX_RANK axes.
enum rl_status rl_npy_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array *array);

// The same in steps: the name and where it comes from; then the header as well.
enum rl_status rl_npy_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array *array);
enum rl_status rl_npy_describe(struct rl_context *context, struct rl_arena *arena, struct rl_array *array);

// The same from memory; `place` names the array in messages. The array may refer to `bytes`, which must be aligned to
// 16. An element type that is not supported gives RL_OK and `array->skipped`.
enum rl_status rl_npy_parse(struct rl_context *context, struct rl_arena *arena, const char *place, const char *name,
                            const void *bytes, size_t size, struct rl_array *array);

// Where the elements are.
struct rl_npy_layout {
    size_t data; // bytes before them
    bool fortran_order;
};

// Type and sizes alone, from the first `count` of `size` bytes. Sets `dtype`, `rank`, `sizes` and `skipped` of `array`,
// which the caller has cleared, and nothing else. A skipped array has no layout.
enum rl_status rl_npy_parse_header(struct rl_context *context, struct rl_arena *arena, const char *place,
                                   const void *bytes, size_t count, size_t size, struct rl_array *array,
                                   struct rl_npy_layout *layout);

// How many bytes rl_npy_parse_header wants, told by the first `count` of them: RL_NPY_START, or all if there are fewer.
enum { RL_NPY_START = 12 };
size_t rl_npy_header_bytes(const unsigned char *bytes, size_t count);

// The header (version 1) that comes before the elements of an array in C order.
const char *rl_npy_header(struct rl_arena *arena, const struct rl_array *array, size_t *size);

#endif
