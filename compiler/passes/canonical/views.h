// SPDX-License-Identifier: Apache-2.0
//
// The values that are other names of the same memory when PyTorch runs the model, and the view that makes each.
// functionalize carries a change from one name to the others.
#ifndef RL_COMPILER_PASSES_CANONICAL_VIEWS_H
#define RL_COMPILER_PASSES_CANONICAL_VIEWS_H

#include "compiler/ir/graph.h"

enum rl_view_kind {
    RL_VIEW_NOT,     // a value with memory of its own
    RL_VIEW_UNKNOWN, // perhaps a view, of a kind that is not known here
    RL_VIEW_SAME,    // the same elements under the same sizes
    RL_VIEW_RESHAPE, // the same elements in the same order under other sizes
    RL_VIEW_PERMUTE, // of the parent's dimensions `dims`
    RL_VIEW_SELECT,  // index `start` of dimension `dim`, which is dropped
    RL_VIEW_SLICE,   // `start` to `end` of dimension `dim` in steps of `step`
    RL_VIEW_EXPAND   // elements repeated without a copy
};

// How a value is made of `parent`. Dimensions and bounds are within the parent's sizes.
struct rl_view {
    enum rl_view_kind kind;
    struct rl_value *parent;     // NULL: RL_VIEW_NOT
    const struct rl_value *root; // the first name of the memory; the value itself for RL_VIEW_NOT
    int dim;
    int64_t start, end, step;
    int64_t dims[RL_MAX_RANK];
    bool knows_strides;
    int64_t strides[RL_MAX_RANK]; // of the value, in elements of the memory
};

struct rl_view rl_view_of(const struct rl_value *value);

#endif
