// SPDX-License-Identifier: Apache-2.0
//
// aten::maximum, minimum, clamp, hardtanh and relu. A NaN in an operand is the result.
#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/host/element_loop.h"

static rl_real larger_real(rl_real a, rl_real b)
{
    return a > b || a != a ? a : b;
}

static rl_real smaller_real(rl_real a, rl_real b)
{
    return a < b || a != a ? a : b;
}

static int64_t larger_integer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller_integer(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- of two tensors

static rl_real maximum_reals(const union rl_number *x)
{
    return larger_real(x[0].real, x[1].real);
}

static int64_t maximum_integers(const union rl_number *x)
{
    return larger_integer(x[0].integer, x[1].integer);
}

static rl_real minimum_reals(const union rl_number *x)
{
    return smaller_real(x[0].real, x[1].real);
}

static int64_t minimum_integers(const union rl_number *x)
{
    return smaller_integer(x[0].integer, x[1].integer);
}

RL_ELEMENT_LOOP(maximum_reals)
static const struct rl_elementwise maximum = {maximum_reals, maximum_integers,         2, RL_TYPE_OF_BOTH, false,
                                              false,         RL_LOOP_OF(maximum_reals)};
RL_ELEMENT_LOOP(minimum_reals)
static const struct rl_elementwise minimum = {minimum_reals, minimum_integers,         2, RL_TYPE_OF_BOTH, false,
                                              false,         RL_LOOP_OF(minimum_reals)};

enum rl_status RL_RUN(aten_maximum)(struct rl_call *call)
{
    return rl_run_elementwise(call, &maximum, 2);
}

enum rl_status RL_RUN(aten_minimum)(struct rl_call *call)
{
    return rl_run_elementwise(call, &minimum, 2);
}

// ---- clamp to a range; the upper limit is the result if it is below the lower one

static rl_real from_below_reals(const union rl_number *x)
{
    return larger_real(x[0].real, x[1].real);
}

static int64_t from_below_integers(const union rl_number *x)
{
    return larger_integer(x[0].integer, x[1].integer);
}

static rl_real from_above_reals(const union rl_number *x)
{
    return smaller_real(x[0].real, x[2].real);
}

static int64_t from_above_integers(const union rl_number *x)
{
    return smaller_integer(x[0].integer, x[2].integer);
}

static rl_real between_reals(const union rl_number *x)
{
    return smaller_real(from_below_reals(x), x[2].real);
}

static int64_t between_integers(const union rl_number *x)
{
    return smaller_integer(from_below_integers(x), x[2].integer);
}

// An int8 tensor may have float limits, which are converted to integers.
enum { TYPE = RL_TYPE_OF_FIRST | RL_TYPE_OF_OUTPUT };

RL_ELEMENT_LOOP(between_reals)
static const struct rl_elementwise between = {between_reals, between_integers,         3, TYPE, false,
                                              false,         RL_LOOP_OF(between_reals)};
static const struct rl_elementwise from_below = {from_below_reals, from_below_integers, 2, TYPE, false, false};
static const struct rl_elementwise from_above = {from_above_reals, from_above_integers, 3, TYPE, false, false};

static enum rl_status run_clamp(struct rl_call *call)
{
    enum { LOWEST = 1, HIGHEST, OUTPUT };
    bool limits_below = rl_call_kind(call, LOWEST) != RL_PTE_NULL;
    bool limits_above = rl_call_kind(call, HIGHEST) != RL_PTE_NULL;
    rl_expect(call, limits_below || limits_above, LOWEST, "neither limit is given");
    if (limits_below && limits_above) {
        return rl_run_elementwise_bytes(call, &between, rl_limit_bytes, OUTPUT);
    }
    return limits_above ? rl_run_elementwise_bytes(call, &from_above, rl_limit_bytes_above, OUTPUT)
                        : rl_run_elementwise_bytes(call, &from_below, rl_limit_bytes_below, OUTPUT);
}

enum rl_status RL_RUN(aten_clamp)(struct rl_call *call)
{
    return run_clamp(call);
}

enum rl_status RL_RUN(aten_clamp_tensor)(struct rl_call *call)
{
    return run_clamp(call);
}

enum rl_status RL_RUN(aten_hardtanh)(struct rl_call *call)
{
    return rl_run_elementwise_bytes(call, &between, rl_limit_bytes, 3);
}

static rl_real relu_reals(const union rl_number *x)
{
    return x[0].real < 0 ? 0 : x[0].real;
}

static int64_t relu_integers(const union rl_number *x)
{
    return x[0].integer < 0 ? 0 : x[0].integer;
}

RL_ELEMENT_LOOP(relu_reals)
static const struct rl_elementwise relu = {relu_reals, relu_integers,         1, RL_TYPE_OF_FIRST, false,
                                           false,      RL_LOOP_OF(relu_reals)};

enum rl_status RL_RUN(aten_relu)(struct rl_call *call)
{
    return rl_run_elementwise_bytes(call, &relu, rl_relu_of_bytes, 1);
}
