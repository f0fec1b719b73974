// SPDX-License-Identifier: Apache-2.0
//
// Samples of one tensor, from arrays of any number of samples each.
#ifndef RL_COMPILER_DATA_BATCHES_H
#define RL_COMPILER_DATA_BATCHES_H

#include "compiler/data/array.h"

struct rl_batch {
    struct rl_array *array;
    const char *place; // file, for messages
    int64_t sample_count;
    struct rl_batch *next;
};

// Zero-initialise, with the type of one sample.
struct rl_batches {
    struct rl_tensor_type type;
    int64_t sample_count;
    struct rl_batch *first, *last;
};

// Appends an array, described but maybe not loaded, after a check of its shape (rules: dataset.h). `name` is the
// tensor's, for messages.
enum rl_status rl_batches_add(struct rl_context *context, struct rl_arena *arena, const char *place, const char *name,
                              struct rl_array *array, struct rl_batches *batches);

// All samples, one after the other, converted and in the memory order of the type. Loads arrays that are still in their
// files: one alone to stay, if it can be used as it is, each of several only until it is converted.
enum rl_status rl_batches_join(struct rl_context *context, struct rl_arena *arena, const char *name,
                               const struct rl_batches *batches, const unsigned char **samples);

#endif
