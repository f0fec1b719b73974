// SPDX-License-Identifier: Apache-2.0
//
// aten::sum, mean, prod, any, var and var_mean.
#include <math.h>

#include "runtime/operators/portable/reduce.h"

// ---- whether any, or each, is true

static void or_real(struct rl_fold *fold, rl_real x)
{
    fold->value.real = fold->value.real != 0 || x != 0;
}

static void or_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = fold->value.integer != 0 || x != 0;
}

static void and_real(struct rl_fold *fold, rl_real x)
{
    fold->value.real = fold->value.real != 0 && x != 0;
}

static void and_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = fold->value.integer != 0 && x != 0;
}

static const struct rl_reduction any = {.reals = or_real, .integers = or_integer, .results = {RL_FOLD_VALUE}};
static const struct rl_reduction all = {
    .reals = and_real, .integers = and_integer, .results = {RL_FOLD_VALUE}, .starts_at_one = true};

// ---- sums and products: computed in the type of the output

static void add_real(struct rl_fold *fold, rl_real x)
{
    fold->value.real += x;
}

static void add_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = (int64_t)((uint64_t)fold->value.integer + (uint64_t)x);
}

static void divide_by_count(struct rl_fold *fold)
{
    fold->value.real /= (rl_real)fold->count;
}

static void multiply_real(struct rl_fold *fold, rl_real x)
{
    fold->value.real *= x;
}

static void multiply_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = (int64_t)((uint64_t)fold->value.integer * (uint64_t)x);
}

static const struct rl_reduction sum = {
    .reals = add_real, .integers = add_integer, .results = {RL_FOLD_VALUE}, .typed_by_output = true};
static const struct rl_reduction mean = {
    .reals = add_real, .finish = divide_by_count, .results = {RL_FOLD_VALUE}, .typed_by_output = true};
static const struct rl_reduction product = {.reals = multiply_real,
                                            .integers = multiply_integer,
                                            .results = {RL_FOLD_VALUE},
                                            .typed_by_output = true,
                                            .starts_at_one = true};

static enum rl_status run_over_list(struct rl_call *call, const struct rl_reduction *op, uint32_t output)
{
    enum { DIM = 1, KEEPDIM };
    const struct rl_reduced reduced = {
        .dims = rl_dims_of_list(call, DIM), .keeps_dims = rl_call_bool(call, KEEPDIM), .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_int(struct rl_call *call, const struct rl_reduction *op, uint32_t output)
{
    enum { DIM = 1, KEEPDIM };
    const struct rl_reduced reduced = {
        .dims = rl_dims_of_int(call, DIM), .keeps_dims = rl_call_bool(call, KEEPDIM), .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_all(struct rl_call *call, const struct rl_reduction *op, uint32_t output)
{
    const struct rl_reduced reduced = {.dims = RL_ALL_DIMS, .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

// Whether a reduction of bools has a bool as its result. The sum is then true if any is, the product if all are.
static bool gives_truth(struct rl_call *call, uint32_t output_argument)
{
    struct rl_tensor output;
    rl_call_output(call, output_argument, &output);
    return output.dtype == RL_BOOL;
}

enum rl_status RL_RUN(aten_sum_dim_intlist)(struct rl_call *call)
{
    enum { OUTPUT = 4 };
    return run_over_list(call, gives_truth(call, OUTPUT) ? &any : &sum, OUTPUT);
}

enum rl_status RL_RUN(aten_mean)(struct rl_call *call)
{
    return run_over_list(call, &mean, 4);
}

enum rl_status RL_RUN(aten_mean_all)(struct rl_call *call)
{
    return run_over_all(call, &mean, 2);
}

enum rl_status RL_RUN(aten_prod)(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    return run_over_all(call, gives_truth(call, OUTPUT) ? &all : &product, OUTPUT);
}

enum rl_status RL_RUN(aten_prod_dim_int)(struct rl_call *call)
{
    enum { OUTPUT = 4 };
    return run_over_int(call, gives_truth(call, OUTPUT) ? &all : &product, OUTPUT);
}

// ---- truth values

enum rl_status RL_RUN(aten_any)(struct rl_call *call)
{
    return run_over_all(call, &any, 1);
}

enum rl_status RL_RUN(aten_any_dim)(struct rl_call *call)
{
    return run_over_int(call, &any, 3);
}

// An empty list means no dimensions here, unlike in the other operators.
enum rl_status RL_RUN(aten_any_dims)(struct rl_call *call)
{
    enum { DIM = 1, KEEPDIM, OUTPUT };
    int32_t dims[RL_TENSOR_MAX_RANK];
    const bool is_list = rl_call_kind(call, DIM) != RL_PTE_NULL;
    const bool is_empty = is_list && rl_call_ints(call, DIM, dims, RL_TENSOR_MAX_RANK) == 0;
    const struct rl_reduced reduced = {.dims = is_empty ? 0 : rl_dims_of_list(call, DIM),
                                       .keeps_dims = rl_call_bool(call, KEEPDIM),
                                       .output_argument = OUTPUT};
    return rl_run_reduction(call, &any, &reduced);
}

// ---- variance, by Welford's method: `other` is the mean so far, `value` the sum of squared distances to it

static void take_deviation(struct rl_fold *fold, rl_real x)
{
    rl_real distance = x - fold->other.real;
    fold->other.real += distance / (rl_real)(fold->count + 1);
    fold->value.real += distance * (x - fold->other.real);
}

// The parameter is the correction: the divisor is the number of elements less the correction.
static void divide_corrected(struct rl_fold *fold)
{
    rl_real divisor = (rl_real)fold->count - fold->parameter;
    fold->value.real /= divisor > 0 ? divisor : 0;
    if (fold->count == 0) {
        fold->other.real = NAN;
    }
}

static const struct rl_reduction variance = {
    .reals = take_deviation, .finish = divide_corrected, .results = {RL_FOLD_VALUE}};
static const struct rl_reduction variance_and_mean = {
    .reals = take_deviation, .finish = divide_corrected, .results = {RL_FOLD_VALUE, RL_FOLD_OTHER}};

static enum rl_status run_corrected(struct rl_call *call, const struct rl_reduction *op)
{
    enum { DIM = 1, CORRECTION, KEEPDIM, OUTPUT };
    bool given = rl_call_kind(call, CORRECTION) != RL_PTE_NULL;
    const struct rl_reduced reduced = {.dims = rl_dims_of_list(call, DIM),
                                       .keeps_dims = rl_call_bool(call, KEEPDIM),
                                       .output_argument = OUTPUT,
                                       .parameter = given ? rl_call_scalar_as(call, CORRECTION, true).real : 1};
    return rl_run_reduction(call, op, &reduced);
}

enum rl_status RL_RUN(aten_var_dim)(struct rl_call *call)
{
    return run_corrected(call, &variance); // a bool in place of the correction, which counts as 0 or 1
}

enum rl_status RL_RUN(aten_var_correction)(struct rl_call *call)
{
    return run_corrected(call, &variance);
}

enum rl_status RL_RUN(aten_var_mean_correction)(struct rl_call *call)
{
    return run_corrected(call, &variance_and_mean);
}
