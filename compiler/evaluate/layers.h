// SPDX-License-Identifier: Apache-2.0
//
// The error of each layer of a program against the same layer of the float model.
//
// A call of the program and a value of the model are a pair if the compiler makes the call from the value (trace.h).
// Integers become real numbers with the scale and zero point that follow from the file (grids.h).
#ifndef RL_COMPILER_EVALUATE_LAYERS_H
#define RL_COMPILER_EVALUATE_LAYERS_H

#include "compiler/emit/interface.h"
#include "compiler/evaluate/similarity.h"
#include "compiler/ir/graph.h"
#include "compiler/options.h"
#include "compiler/support/name_map.h"
#include "rushlight/operator.h"

// A call that is compared. Calls of one operator inside a recurrent layer, one a step, share a line: the similarity of
// the first of them counts for all.
struct rl_layer {
    struct rl_layer *line; // the first of them, mostly the layer itself
    int calls;             // of a line
    bool is_inside;        // a recurrent layer
    const char *name;      // of the model's node that the call computes
    const char *value;     // the value that is compared: of that node, or of the activation that is part of the call
    const char *op;        // the operator that the program calls
    struct rl_similarity similarity;
    float *reference; // elements of the model's value in logical order, of the current sample
    int64_t count;
    int64_t own_count;     // elements of the program's result: fewer if channels were dropped
    const int64_t *places; // of each the index in the model's value, negative: none; NULL: its own index
    uint32_t instruction;
    uint32_t result;            // which argument of the call holds it
    const struct rl_value *own; // the value of the second compilation, whose dimensions may be turned
    struct rl_io_grid grid;     // scale 0: the program's result is floating point too
};

struct rl_layers {
    struct rl_layer *items;
    int count;
    struct rl_name_map by_value;      // the items
    struct rl_layer **by_instruction; // NULL where the call is not a layer
    int instruction_count;
    double *found; // room for the elements of any layer
};

// Pairs the values of a canonical float graph with the calls of a program that compute them. Calls that only move
// values are not layers. Those without a partner are left out, as are integers whose grid does not follow from the
// file. `lowered` is the graph as its runner computes it, with the layers inside recurrent ones. `data` are the
// samples for which the model is compiled once more.
enum rl_status rl_layers_pair(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                              const struct rl_graph *lowered, const struct rl_method *method, const char *const *data,
                              int data_count, struct rl_layers *layers);

// For each sample: pass the first to rl_graph_runner_run, then run the program with the second as its hook `after`.
void rl_layers_observe(void *layers, const struct rl_value *value, void *data);
enum rl_status rl_layers_after_call(void *layers, struct rl_call *call);

#endif
