// SPDX-License-Identifier: Apache-2.0
//
// Samples for the inputs of a graph, from .npz and .npy files, images, recordings and tables.
#ifndef RL_COMPILER_DATA_DATASET_H
#define RL_COMPILER_DATA_DATASET_H

#include "compiler/data/array.h"

struct rl_dataset_input {
    const char *name;
    struct rl_tensor_type type; // of one sample: the graph input's
    // One after the other, each in the memory order of `type`; NULL: they are in `file`.
    const unsigned char *samples;
    size_t sample_bytes;
    const struct rl_array *file; // see rl_dataset_open
};

struct rl_batch;

struct rl_dataset {
    int64_t sample_count;
    const struct rl_batch *files; // which files the samples of the first input come from, in this order (batches.h)
    int64_t sequence; // a model with state starts with its first state after so many samples; 0: it never does again
    int input_count;  // the graph's
    struct rl_dataset_input *inputs;
    // From arrays named "labels" (or "label"), whose first axis counts samples; NULL if a file has none.
    const int64_t *labels;
    int64_t labels_per_sample; // 1, or more where a model answers several times a sample
};

// Loads samples for all inputs of the graph from the files, in this order. Of a file, only the arrays that belong to an
// input are read, and labels. A folder stands for the files that rl_data_files finds in it; those in the folder of a
// class have its number as their label. Images, recordings and tables become arrays as media/media.h says, named after
// their files. Without paths, the samples are the inputs stored in the .pt2 of the graph (graph->source).
//
// An array belongs to the input of its name. Otherwise arrays `input_K` and `arr_K` belong to input K, counted from 0;
// `input` belongs to the one input that is left over. If the graph has a single input, so does the only array of a
// file, unless it holds labels. Warnings name arrays that belong to no input, and each array of int64 or int32 for
// an input of floats. An array for an input of shape [B, ...] holds
//   [k * B, ...]      k samples (B is 1 in most models);
//   [k, B, ...]       k samples;
//   [...] if B is 1   one sample.
// Values are converted to the input's type if that keeps each of them (float64 may be rounded). Several files are
// appended. In the end, all inputs must have the same number of samples.
enum rl_status rl_dataset_load(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                               int path_count, const struct rl_graph *graph, struct rl_dataset *dataset);

// The same, but large samples of floats may stay in their file, a .npz without compression: only rl_dataset_fetch has
// them all. The file must not change while the dataset is used.
enum rl_status rl_dataset_open(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                               int path_count, const struct rl_graph *graph, struct rl_dataset *dataset);

// The same from arrays in memory, which count as one file; messages call it `place`.
enum rl_status rl_dataset_from_arrays(struct rl_context *context, struct rl_arena *arena, const char *place,
                                      const struct rl_array *arrays, int count, const struct rl_graph *graph,
                                      struct rl_dataset *dataset);

// Whether a sample is the first of a sequence: the state of a model is then its first one.
bool rl_dataset_starts(const struct rl_dataset *dataset, int64_t sample);

// The data of one sample for one input, ready for the program: rl_tensor_bytes in the input's memory order, aligned to
// its elements.
const void *rl_dataset_sample(const struct rl_dataset *dataset, int input, int64_t sample);

// The bytes of room that rl_dataset_fetch needs for a sample of an input; 0 if its samples are in memory.
size_t rl_dataset_room(const struct rl_dataset *dataset, int input);

// Room for a sample of each input, as rl_dataset_fetch needs it.
void **rl_dataset_rooms(const struct rl_dataset *dataset, struct rl_arena *arena);

// As rl_dataset_sample, of any dataset: reads the sample into `room`, if it is in its file. May be called in several
// threads, each with a context of its own.
enum rl_status rl_dataset_fetch(struct rl_context *context, const struct rl_dataset *dataset, int input, int64_t sample,
                                void *room, const void **data);

#endif
