// SPDX-License-Identifier: Apache-2.0
//
// The one loop of all operators that reduce several elements to one: sums, extrema, variances. The elements of an
// output are folded one after the other, in logical order whatever the layout.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_REDUCE_H
#define RL_RUNTIME_OPERATORS_PORTABLE_REDUCE_H

#include "runtime/operators/portable/number.h"

// The state of a reduction after the elements folded so far.
struct rl_fold {
    union rl_number value; // at first 0 or, with starts_at_one, 1
    union rl_number other; // at first 0
    uint32_t position;     // the position of the element `value` among those folded
    uint32_t count;        // the number of elements before the current one
    rl_real parameter;     // from rl_reduced
};

// A result that is written: to the call's outputs in this order.
enum rl_fold_result { RL_FOLD_NONE, RL_FOLD_VALUE, RL_FOLD_OTHER, RL_FOLD_POSITION };

struct rl_reduction {
    void (*reals)(struct rl_fold *fold, rl_real x);
    void (*integers)(struct rl_fold *fold, int64_t x); // NULL: integers become floats first
    // Folds int8 elements `step` apart as `integers` would; NULL: one at a time.
    void (*bytes)(struct rl_fold *fold, const int8_t *from, uint32_t step, uint32_t count);
    void (*finish)(struct rl_fold *fold); // after the last element; may be NULL
    enum rl_fold_result results[2];
    bool typed_by_output; // whether the output, and not the input, decides if elements are folded as floats
    bool starts_at_one;
    bool needs_elements; // whether an empty reduction is refused, as for extrema
};

// A reduction of argument 0: over which dimensions (bit i: dimension i), to which outputs.
struct rl_reduced {
    uint32_t dims;
    bool keeps_dims; // as dimensions of size 1
    uint32_t output_argument;
    rl_real parameter;
};

enum rl_status rl_run_reduction(struct rl_call *call, const struct rl_reduction *op, const struct rl_reduced *reduced);

enum { RL_ALL_DIMS = (1 << RL_TENSOR_MAX_RANK) - 1 };

// The dimensions of argument 0 that an int or a list of ints names; all of them for None and for an empty list.
uint32_t rl_dims_of_int(struct rl_call *call, uint32_t argument);
uint32_t rl_dims_of_list(struct rl_call *call, uint32_t argument);

#endif
