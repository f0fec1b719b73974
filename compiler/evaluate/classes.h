// SPDX-License-Identifier: Apache-2.0
//
// The axis of a model's output that counts classes.
#ifndef RL_COMPILER_EVALUATE_CLASSES_H
#define RL_COMPILER_EVALUATE_CLASSES_H

#include "compiler/ir/graph.h"

enum rl_class_form {
    RL_CLASSES_LOGITS,
    RL_CLASSES_PROBABILITIES,    // of a softmax
    RL_CLASSES_LOG_PROBABILITIES // of a log_softmax
};

// The classes of one output: `outer` * `inner` answers of `classes` numbers each, which lie `inner` elements apart.
struct rl_classes {
    int axis; // -1: the output has no classes
    int64_t outer, classes, inner;
    enum rl_class_form form;
    const struct rl_value *logits; // the input of the softmax, if there is one
};

// The axis is that of a softmax, the channels of a convolution or the last one of a linear layer, followed through
// views, permutations and elementwise operators behind it. If the output comes from anything else, it is the last axis
// of up to two. Outputs of integers, outputs with one number along that axis, and outputs that have the sizes of an
// input and are not a softmax have no such axis: those are signals.
struct rl_classes rl_classes_of_output(const struct rl_graph *graph, int output);

// Index of the largest number of answer `index`, counted from 0 to outer * inner.
int64_t rl_classes_choice(const struct rl_classes *classes, const float *values, int64_t index);

// The probabilities of answer `index`, whatever the form of the output.
void rl_classes_probabilities(const struct rl_classes *classes, const float *values, int64_t index,
                              double *probabilities);

#endif
