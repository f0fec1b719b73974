// SPDX-License-Identifier: Apache-2.0
//
// The sample inputs that torch.export.save stores beside a model: the inputs that it was exported with.
#ifndef RL_COMPILER_READ_SAMPLES_H
#define RL_COMPILER_READ_SAMPLES_H

#include "compiler/data/array.h"

// Reads the tensors of the sample inputs of the .pt2 at `path`, in the order of the graph's inputs and named after
// them. They are stored as a Python pickle, of which only the description of plain tensors is understood; nothing is
// executed. If the graph has other sizes than the model was exported with (--shape), they are cut or repeated along
// each dimension. RL_ERROR_UNSUPPORTED if there are none, or some are not tensors.
enum rl_status rl_pt2_read_samples(struct rl_context *context, struct rl_arena *arena, const char *path,
                                   const struct rl_graph *graph, struct rl_array **arrays, int *count);

#endif
