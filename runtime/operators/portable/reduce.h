// SPDX-License-Identifier: Apache-2.0
//
// The one loop of all operators that make one element of several: sums, extrema, variances. The elements that an output
// stands for are taken in one after the other, in logical order whatever the layout.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_REDUCE_H
#define RL_RUNTIME_OPERATORS_PORTABLE_REDUCE_H

#include "runtime/operators/portable/number.h"

// What is known of the elements taken in so far.
struct rl_fold {
    union rl_number value; // at first 0 or, with starts_at_one, 1
    union rl_number other; // at first 0
    uint32_t position;     // of the element that `value` is, among those taken in
    uint32_t count;        // of the elements before the one that is taken in
    rl_real parameter;     // from rl_reduced
};

// A result that is written: to the call's outputs in this order.
enum rl_fold_result { RL_FOLD_NONE, RL_FOLD_VALUE, RL_FOLD_OTHER, RL_FOLD_POSITION };

struct rl_reduction {
    void (*reals)(struct rl_fold *fold, rl_real x);
    void (*integers)(struct rl_fold *fold, int64_t x); // NULL: integers become floats first
    void (*finish)(struct rl_fold *fold);              // after the last element; may be NULL
    enum rl_fold_result results[2];
    bool typed_by_output; // whether the output decides if floats are taken in, rather than the input
    bool starts_at_one;
    bool needs_elements; // nothing has no extremum
};

// Of argument 0, over which dimensions (bit i: dimension i), to which outputs.
struct rl_reduced {
    uint32_t dims;
    bool keeps_dims; // as dimensions of size 1
    uint32_t output_argument;
    rl_real parameter;
};

enum rl_status rl_run_reduction(struct rl_call *call, const struct rl_reduction *op, const struct rl_reduced *reduced);

enum { RL_ALL_DIMS = (1 << RL_TENSOR_MAX_RANK) - 1 };

// The dimensions of argument 0 that an int, or a list of them, names; all for None and for an empty list.
uint32_t rl_dims_of_int(struct rl_call *call, uint32_t argument);
uint32_t rl_dims_of_list(struct rl_call *call, uint32_t argument);

#endif
