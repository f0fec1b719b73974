// SPDX-License-Identifier: Apache-2.0
//
// aten::sum, mean, prod, any, var and var_mean.
#include "runtime/operators/portable/reduce.h"

// ---- sums and products: computed in the type of the output

static void add_real(struct rl_fold *fold, float x)
{
    fold->value.real += x;
}

static void add_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = (int64_t)((uint64_t)fold->value.integer + (uint64_t)x);
}

static void divide_by_count(struct rl_fold *fold)
{
    fold->value.real /= (float)fold->count;
}

static void multiply_real(struct rl_fold *fold, float x)
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
    const struct rl_reduced reduced = {.dims = rl_dims_of_list(call, DIM),
                                       .keeps_dims = rl_call_bool(call, KEEPDIM),
                                       .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_int(struct rl_call *call, const struct rl_reduction *op, uint32_t output)
{
    enum { DIM = 1, KEEPDIM };
    const struct rl_reduced reduced = {.dims = rl_dims_of_int(call, DIM),
                                       .keeps_dims = rl_call_bool(call, KEEPDIM),
                                       .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_all(struct rl_call *call, const struct rl_reduction *op, uint32_t output)
{
    const struct rl_reduced reduced = {.dims = RL_ALL_DIMS, .output_argument = output};
    return rl_run_reduction(call, op, &reduced);
}

enum rl_status rl_run_aten_sum_dim_intlist(struct rl_call *call)
{
    return run_over_list(call, &sum, 4);
}

enum rl_status rl_run_aten_mean(struct rl_call *call)
{
    return run_over_list(call, &mean, 4);
}

enum rl_status rl_run_aten_mean_all(struct rl_call *call)
{
    return run_over_all(call, &mean, 2);
}

enum rl_status rl_run_aten_prod(struct rl_call *call)
{
    return run_over_all(call, &product, 2);
}

enum rl_status rl_run_aten_prod_dim_int(struct rl_call *call)
{
    return run_over_int(call, &product, 4);
}

// ---- whether any is true

static void or_real(struct rl_fold *fold, float x)
{
    fold->value.real = fold->value.real != 0 || x != 0;
}

static void or_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = fold->value.integer != 0 || x != 0;
}

static const struct rl_reduction any = {.reals = or_real, .integers = or_integer, .results = {RL_FOLD_VALUE}};

enum rl_status rl_run_aten_any(struct rl_call *call)
{
    return run_over_all(call, &any, 1);
}

enum rl_status rl_run_aten_any_dim(struct rl_call *call)
{
    return run_over_int(call, &any, 3);
}

enum rl_status rl_run_aten_any_dims(struct rl_call *call)
{
    return run_over_list(call, &any, 3);
}

// ---- variance, by Welford's method: `other` is the mean so far, `value` the sum of squared distances to it

static void take_deviation(struct rl_fold *fold, float x)
{
    float distance = x - fold->other.real;
    fold->other.real += distance / (float)(fold->count + 1);
    fold->value.real += distance * (x - fold->other.real);
}

// The parameter is the correction: how many elements less the sum is divided by.
static void divide_corrected(struct rl_fold *fold)
{
    float divisor = (float)fold->count - fold->parameter;
    fold->value.real /= divisor > 0 ? divisor : 0;
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
                                       .parameter =
                                           given ? rl_call_scalar_as(call, CORRECTION, true).real : 1};
    return rl_run_reduction(call, op, &reduced);
}

enum rl_status rl_run_aten_var_dim(struct rl_call *call)
{
    return run_corrected(call, &variance); // a bool in place of the correction, which counts as 0 or 1
}

enum rl_status rl_run_aten_var_correction(struct rl_call *call)
{
    return run_corrected(call, &variance);
}

enum rl_status rl_run_aten_var_mean_correction(struct rl_call *call)
{
    return run_corrected(call, &variance_and_mean);
}
