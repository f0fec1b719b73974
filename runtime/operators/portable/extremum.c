// SPDX-License-Identifier: Apache-2.0
//
// aten::amax, amin, max, min, argmax and argmin. The first of equal elements counts, and a NaN before all others.
#include "runtime/operators/portable/reduce.h"

static void take_real(struct rl_fold *fold, rl_real x)
{
    fold->value.real = x;
    fold->position = fold->count;
}

static void take_integer(struct rl_fold *fold, int64_t x)
{
    fold->value.integer = x;
    fold->position = fold->count;
}

static bool wins(const struct rl_fold *fold, rl_real x, bool is_beyond)
{
    rl_real best = fold->value.real;
    return fold->count == 0 || (best == best && (is_beyond || x != x));
}

static void larger_real(struct rl_fold *fold, rl_real x)
{
    if (wins(fold, x, x > fold->value.real)) {
        take_real(fold, x);
    }
}

static void larger_integer(struct rl_fold *fold, int64_t x)
{
    if (fold->count == 0 || x > fold->value.integer) {
        take_integer(fold, x);
    }
}

static void larger_bytes(struct rl_fold *fold, const int8_t *from, uint32_t step, uint32_t count)
{
    int32_t best = fold->count > 0 ? (int32_t)fold->value.integer : INT8_MIN - 1;
    for (uint32_t i = 0; i < count; i++, from += step) {
        if (*from > best) {
            best = *from;
            fold->position = fold->count + i;
        }
    }
    fold->value.integer = best;
}

static void smaller_real(struct rl_fold *fold, rl_real x)
{
    if (wins(fold, x, x < fold->value.real)) {
        take_real(fold, x);
    }
}

static void smaller_integer(struct rl_fold *fold, int64_t x)
{
    if (fold->count == 0 || x < fold->value.integer) {
        take_integer(fold, x);
    }
}

static void smaller_bytes(struct rl_fold *fold, const int8_t *from, uint32_t step, uint32_t count)
{
    int32_t best = fold->count > 0 ? (int32_t)fold->value.integer : INT8_MAX + 1;
    for (uint32_t i = 0; i < count; i++, from += step) {
        if (*from < best) {
            best = *from;
            fold->position = fold->count + i;
        }
    }
    fold->value.integer = best;
}

static const struct rl_reduction largest = {.reals = larger_real,
                                            .integers = larger_integer,
                                            .bytes = larger_bytes,
                                            .results = {RL_FOLD_VALUE},
                                            .needs_elements = true};
static const struct rl_reduction smallest = {.reals = smaller_real,
                                             .integers = smaller_integer,
                                             .bytes = smaller_bytes,
                                             .results = {RL_FOLD_VALUE},
                                             .needs_elements = true};
static const struct rl_reduction largest_and_place = {.reals = larger_real,
                                                      .integers = larger_integer,
                                                      .bytes = larger_bytes,
                                                      .results = {RL_FOLD_VALUE, RL_FOLD_POSITION},
                                                      .needs_elements = true};
static const struct rl_reduction smallest_and_place = {.reals = smaller_real,
                                                       .integers = smaller_integer,
                                                       .bytes = smaller_bytes,
                                                       .results = {RL_FOLD_VALUE, RL_FOLD_POSITION},
                                                       .needs_elements = true};
static const struct rl_reduction place_of_largest = {.reals = larger_real,
                                                     .integers = larger_integer,
                                                     .bytes = larger_bytes,
                                                     .results = {RL_FOLD_POSITION},
                                                     .needs_elements = true};
static const struct rl_reduction place_of_smallest = {.reals = smaller_real,
                                                      .integers = smaller_integer,
                                                      .bytes = smaller_bytes,
                                                      .results = {RL_FOLD_POSITION},
                                                      .needs_elements = true};

enum { DIM = 1, KEEPDIM, OUTPUT };

static enum rl_status run_over_list(struct rl_call *call, const struct rl_reduction *op)
{
    const struct rl_reduced reduced = {
        .dims = rl_dims_of_list(call, DIM), .keeps_dims = rl_call_bool(call, KEEPDIM), .output_argument = OUTPUT};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_int(struct rl_call *call, const struct rl_reduction *op)
{
    const struct rl_reduced reduced = {
        .dims = rl_dims_of_int(call, DIM), .keeps_dims = rl_call_bool(call, KEEPDIM), .output_argument = OUTPUT};
    return rl_run_reduction(call, op, &reduced);
}

static enum rl_status run_over_all(struct rl_call *call, const struct rl_reduction *op)
{
    const struct rl_reduced reduced = {.dims = RL_ALL_DIMS, .output_argument = 1};
    return rl_run_reduction(call, op, &reduced);
}

enum rl_status RL_RUN(aten_amax)(struct rl_call *call)
{
    return run_over_list(call, &largest);
}

enum rl_status RL_RUN(aten_amin)(struct rl_call *call)
{
    return run_over_list(call, &smallest);
}

enum rl_status RL_RUN(aten_max)(struct rl_call *call)
{
    return run_over_all(call, &largest);
}

enum rl_status RL_RUN(aten_min)(struct rl_call *call)
{
    return run_over_all(call, &smallest);
}

enum rl_status RL_RUN(aten_max_dim)(struct rl_call *call)
{
    return run_over_int(call, &largest_and_place);
}

enum rl_status RL_RUN(aten_min_dim)(struct rl_call *call)
{
    return run_over_int(call, &smallest_and_place);
}

enum rl_status RL_RUN(aten_argmax)(struct rl_call *call)
{
    return run_over_int(call, &place_of_largest);
}

enum rl_status RL_RUN(aten_argmin)(struct rl_call *call)
{
    return run_over_int(call, &place_of_smallest);
}
