// SPDX-License-Identifier: Apache-2.0
//
// Which axis of a model's output counts classes.
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
    const struct rl_value *logits; // what the softmax takes, where there is one
};

// The axis is the one of a softmax, the channels of a convolution or the last one of a linear layer, wherever views,
// permutations and elementwise operators after them put it. When the output comes from anything else, it is the last
// axis of up to two. There is none in integers, in an output with one number along that axis, and in one that has the
// sizes of an input without being a softmax: that is a signal, not a choice.
struct rl_classes rl_classes_of_output(const struct rl_graph *graph, int output);

// Index of the largest number of answer `index`, counted from 0 to outer * inner.
int64_t rl_classes_choice(const struct rl_classes *classes, const float *values, int64_t index);

// The probabilities of answer `index`, whatever the form of the output.
void rl_classes_probabilities(const struct rl_classes *classes, const float *values, int64_t index,
                              double *probabilities);

#endif
