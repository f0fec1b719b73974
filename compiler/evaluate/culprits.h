// SPDX-License-Identifier: Apache-2.0
//
// What each layer of a program costs: the error of an output if that layer alone computes with integers.
//
// The error that a layer makes itself is what its integers and the model's floats differ by on the same input. So
// program and model run side by side. After each layer, both go on with the model's result, rounded to the grid of the
// program. What the results differed by before that is due to this layer: to its weights, its arithmetic, and the
// rounding and clipping of its result. Then this difference is added to the layer's result in a run of the model that
// is otherwise untouched.
//
// The calls, for some samples in order:
//   for each sample      rl_culprits_see_model in a run of the model; rl_culprits_force_model in a run of a second copy
//                        of it; rl_culprits_force_program as the hook `after` in a run of the program
//   for each culprit c   rl_culprits_add_error in a run of the model on each sample, with `current` = c
//   at the end           rl_culprits_rank
#ifndef RL_COMPILER_EVALUATE_CULPRITS_H
#define RL_COMPILER_EVALUATE_CULPRITS_H

#include "compiler/evaluate/classes.h"
#include "compiler/evaluate/layers.h"

// What most of the error of a layer's result comes from, as far as its share can be estimated.
enum rl_cause {
    RL_CAUSE_NONE,     // there is no error
    RL_CAUSE_ROUNDING, // of the result to its grid
    RL_CAUSE_OUTLIERS, // the same, where less than one value in a thousand exceeds a quarter of the largest possible
    RL_CAUSE_CLIPPING, // the result leaves its grid
    RL_CAUSE_WEIGHTS   // rounded weights
};

// A line of layers, or an input of the model.
struct rl_culprit {
    const char *name;
    const struct rl_layer *line; // NULL: an input
    bool has_weights;
    struct rl_similarity alone;     // of the output, with this culprit alone
    double share;                   // of the sum of all culprits' noise
    double total, clipped, rounded; // squares of errors of the result: all; what clipping and rounding explain
    int64_t elements, beyond;       // of the result: all; beyond a quarter of the largest magnitude on the grid
};

// How the program rounds an input.
struct rl_culprit_input {
    struct rl_io_grid grid;
    enum rl_scalar_type dtype; // of the integers
};

struct rl_culprits {
    struct rl_arena *arena;
    const struct rl_layers *layers;
    struct rl_culprit *items;
    int count;
    int current;          // culprit
    int64_t sample;       // set by the caller before each run
    const char *measured; // the value of the model whose error counts
    int64_t measured_count;
    float **expected; // by sample: its elements in the untouched model
    struct rl_culprit_value *values;
    int value_count;
    struct rl_name_map by_name; // of the model's values
    struct rl_culprit_value **by_instruction;
    float *scratch;
};

// How many samples take about a second, at least 1 and at most 8. `graph` is the model as it runs.
int64_t rl_culprits_samples(const struct rl_graph *graph, const struct rl_layers *layers);

// The culprits are the lines of `layers`, and the inputs of the model with the grids `inputs`, one each (scale 0: the
// program gets floats and does not round them), for `samples` samples. What counts is the error of output `output`, or
// of the logits in front of its softmax.
void rl_culprits_start(struct rl_arena *arena, const struct rl_graph *graph, const struct rl_layers *layers,
                       const struct rl_culprit_input *inputs, const struct rl_classes *classes, int output,
                       int64_t samples, struct rl_culprits *culprits);

void rl_culprits_see_model(void *culprits, const struct rl_value *value, void *data);
void rl_culprits_force_model(void *culprits, const struct rl_value *value, void *data);
enum rl_status rl_culprits_force_program(void *culprits, struct rl_call *call);
void rl_culprits_add_error(void *culprits, const struct rl_value *value, void *data);

// Sorts the culprits, the one that costs most first, and finds their shares.
void rl_culprits_rank(struct rl_culprits *culprits);

enum rl_cause rl_culprit_cause(const struct rl_culprit *culprit);

#endif
