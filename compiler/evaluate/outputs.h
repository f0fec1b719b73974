// SPDX-License-Identifier: Apache-2.0
//
// The errors of a program's outputs against those of the float model, over all samples.
#ifndef RL_COMPILER_EVALUATE_OUTPUTS_H
#define RL_COMPILER_EVALUATE_OUTPUTS_H

#include "compiler/evaluate/classes.h"
#include "compiler/evaluate/similarity.h"

// One output. Zero-initialise, then rl_output_start.
struct rl_output {
    const char *name;
    struct rl_tensor_type type; // the model's
    bool is_exact;              // integers or bools: elements are equal or not
    struct rl_classes classes;
    double step; // the scale of the program's last integers, as if they had 8 bits; 0: not known

    int64_t samples, elements;
    struct rl_similarity values, probabilities;
    double largest_difference;
    int64_t equal, equal_samples;                           // is_exact: elements, and samples in which all are
    int64_t answers, agreeing;                              // of outputs with classes
    int64_t labelled_answers, right_float, right_quantized; // those with a label
    double *scratch;
};

void rl_output_start(struct rl_arena *arena, const struct rl_graph *graph, int index, struct rl_output *output);

// Adds one sample of floats. `labels`: one for each answer, or NULL.
void rl_output_add_floats(struct rl_output *output, const float *model, const float *program, const int64_t *labels);

// Adds one sample of an exact output, elements of output->type.
void rl_output_add_exact(struct rl_output *output, const void *model, const void *program);

// Answers in one sample; 0 without classes.
int64_t rl_output_answers(const struct rl_output *output);

#endif
