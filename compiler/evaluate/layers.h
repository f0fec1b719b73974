// SPDX-License-Identifier: Apache-2.0
//
// How far each layer of a quantized program is from the same layer of the float model.
//
// The program's calls and the float graph's nodes come from the same front end in the same order, so layers are paired
// by kind and shape, one after the other. The scale of an int8 tensor inside a program is not in the file. It is taken
// to be the one that fits the float values best by least squares, given the zero point in the call's arguments. What
// remains is rounding, clipping and the errors of earlier layers.
#ifndef RL_COMPILER_EVALUATE_LAYERS_H
#define RL_COMPILER_EVALUATE_LAYERS_H

#include "compiler/ir/graph.h"
#include "rushlight/operator.h"

// Sums over all elements and samples: the squares of the float values, the products of float and program values, the
// squares of the program's values, and the squares of the differences.
struct rl_similarity {
    double reference, product, quantized, difference;
};

struct rl_layer {
    const char *name; // of the model's node
    const char *op;   // that the program calls
    struct rl_similarity similarity;
    const struct rl_value *value; // of the float graph
    float *reference;             // its elements in logical order, of the current sample
    int64_t count;
    uint32_t instruction;
    int zero_point_argument; // -1: the program's result is floating point too
};

struct rl_layers {
    struct rl_layer *items;
    int count;
};

enum { RL_SQNR_EQUAL = 200 }; // dB, stands for no difference at all

// Pairs the nodes of a canonical float graph with the calls of a program. Nodes and calls without a partner are left
// out.
void rl_layers_pair(struct rl_arena *arena, const struct rl_graph *graph, const struct rl_method *method,
                    struct rl_layers *layers);

// For each sample: pass the first to rl_graph_runner_run, then run the program with the second as its hook `after`.
void rl_layers_observe(void *layers, const struct rl_value *value, const void *data);
enum rl_status rl_layers_after_call(void *layers, struct rl_call *call);

void rl_similarity_add(struct rl_similarity *similarity, const float *reference, const float *quantized, int64_t count);

// 10 log10 of signal over noise. `fit`: after scaling the quantized values by least squares.
double rl_similarity_db(const struct rl_similarity *similarity, bool fit);

#endif
