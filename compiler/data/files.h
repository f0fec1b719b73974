// SPDX-License-Identifier: Apache-2.0
//
// Data files by path: .npz, .npy, images, recordings and tables (media/media.h), folders of them. Their arrays are
// listed, described and loaded in three steps, so that only what is used is read. `type` is that of the input that an
// array is for; only media need it, and it may be NULL for the others.
#ifndef RL_COMPILER_DATA_FILES_H
#define RL_COMPILER_DATA_FILES_H

#include "compiler/data/array.h"

struct rl_data_files {
    const char *const *paths;
    const int64_t *classes; // of each file: the number of its folder, if that is one of several classes; else -1
    int count;
};

// Replaces each folder by its .npz and .npy files; or if it has none, by its images and recordings; or if it has none
// of them either, by those in its folders, which are classes, numbered from 0. Files and folders are sorted by name. A
// path that is not there, or a folder without files: an error.
enum rl_status rl_data_files(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                             int path_count, struct rl_data_files *files);

// The arrays of a file, by its ending: `name` and `file` only.
enum rl_status rl_data_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                            struct rl_array **arrays, int *count);

// Reads the headers of `count` arrays that lie side by side in a list: type and sizes, or why they are skipped. Arrays
// made in memory are described already.
enum rl_status rl_data_describe(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                                struct rl_array *arrays, int count);

// Reads the elements of an array of a file, which must not have changed since it was described.
enum rl_status rl_data_load(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                            struct rl_array *array);

#endif
