// SPDX-License-Identifier: Apache-2.0
//
// Functions of one element that keep its type: aten::neg, abs, sign, ceil, floor, round, trunc.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"

static int64_t negative(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static rl_real neg_real(const union rl_number *x)
{
    return -x[0].real;
}

static int64_t neg_integer(const union rl_number *x)
{
    return negative(x[0].integer);
}

static const struct rl_elementwise neg_of = {neg_real, neg_integer, 1, RL_TYPE_OF_FIRST, false, false};

enum rl_status RL_RUN(aten_neg)(struct rl_call *call)
{
    return rl_run_elementwise(call, &neg_of, 1);
}

static rl_real abs_real(const union rl_number *x)
{
    return RL_EXACT(fabs)(x[0].real);
}

static int64_t abs_integer(const union rl_number *x)
{
    return x[0].integer < 0 ? negative(x[0].integer) : x[0].integer;
}

static const struct rl_elementwise abs_of = {abs_real, abs_integer, 1, RL_TYPE_OF_FIRST, false, false};

enum rl_status RL_RUN(aten_abs)(struct rl_call *call)
{
    return rl_run_elementwise(call, &abs_of, 1);
}

static rl_real sign_real(const union rl_number *x)
{
    return x[0].real != x[0].real ? x[0].real : (rl_real)((x[0].real > 0) - (x[0].real < 0));
}

static int64_t sign_integer(const union rl_number *x)
{
    return (x[0].integer > 0) - (x[0].integer < 0);
}

static const struct rl_elementwise sign_of = {sign_real, sign_integer, 1, RL_TYPE_OF_FIRST, false, false};

enum rl_status RL_RUN(aten_sign)(struct rl_call *call)
{
    return rl_run_elementwise(call, &sign_of, 1);
}

// ---- rounding

static int64_t whole(const union rl_number *x)
{
    return x[0].integer;
}

static enum rl_status run_rounding(struct rl_call *call, rl_real (*function)(const union rl_number *x))
{
    const struct rl_elementwise op = {function, whole, 1, RL_TYPE_OF_FIRST, false, false};
    return rl_run_elementwise(call, &op, 1);
}

static rl_real ceil_real(const union rl_number *x)
{
    return RL_EXACT(ceil)(x[0].real);
}

enum rl_status RL_RUN(aten_ceil)(struct rl_call *call)
{
    return run_rounding(call, ceil_real);
}

static rl_real floor_real(const union rl_number *x)
{
    return RL_EXACT(floor)(x[0].real);
}

enum rl_status RL_RUN(aten_floor)(struct rl_call *call)
{
    return run_rounding(call, floor_real);
}

// Rounds ties to even.
static rl_real round_real(const union rl_number *x)
{
    return RL_EXACT(rint)(x[0].real);
}

enum rl_status RL_RUN(aten_round)(struct rl_call *call)
{
    return run_rounding(call, round_real);
}

static rl_real trunc_real(const union rl_number *x)
{
    return RL_EXACT(trunc)(x[0].real);
}

enum rl_status RL_RUN(aten_trunc)(struct rl_call *call)
{
    return run_rounding(call, trunc_real);
}
