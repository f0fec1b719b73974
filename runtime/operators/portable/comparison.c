// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of tensors with tensors or numbers: aten::eq, ne, lt, le, gt, ge. Also aten::isnan and isinf.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"

static rl_real eq_reals(const union rl_number *x)
{
    return x[0].real == x[1].real;
}

static int64_t eq_integers(const union rl_number *x)
{
    return x[0].integer == x[1].integer;
}

static rl_real ne_reals(const union rl_number *x)
{
    return x[0].real != x[1].real;
}

static int64_t ne_integers(const union rl_number *x)
{
    return x[0].integer != x[1].integer;
}

static rl_real lt_reals(const union rl_number *x)
{
    return x[0].real < x[1].real;
}

static int64_t lt_integers(const union rl_number *x)
{
    return x[0].integer < x[1].integer;
}

static rl_real le_reals(const union rl_number *x)
{
    return x[0].real <= x[1].real;
}

static int64_t le_integers(const union rl_number *x)
{
    return x[0].integer <= x[1].integer;
}

static rl_real gt_reals(const union rl_number *x)
{
    return x[0].real > x[1].real;
}

static int64_t gt_integers(const union rl_number *x)
{
    return x[0].integer > x[1].integer;
}

static rl_real ge_reals(const union rl_number *x)
{
    return x[0].real >= x[1].real;
}

static int64_t ge_integers(const union rl_number *x)
{
    return x[0].integer >= x[1].integer;
}

static const struct rl_elementwise eq = {eq_reals, eq_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise ne = {ne_reals, ne_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise lt = {lt_reals, lt_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise le = {le_reals, le_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise gt = {gt_reals, gt_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise ge = {ge_reals, ge_integers, 2, RL_TYPE_OF_BOTH, true, false};

enum { OUTPUT = 2 };

enum rl_status RL_RUN(aten_eq_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &eq, OUTPUT);
}

enum rl_status RL_RUN(aten_eq_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &eq, OUTPUT);
}

enum rl_status RL_RUN(aten_ne_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &ne, OUTPUT);
}

enum rl_status RL_RUN(aten_ne_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &ne, OUTPUT);
}

enum rl_status RL_RUN(aten_lt_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &lt, OUTPUT);
}

enum rl_status RL_RUN(aten_lt_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &lt, OUTPUT);
}

enum rl_status RL_RUN(aten_le_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &le, OUTPUT);
}

enum rl_status RL_RUN(aten_le_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &le, OUTPUT);
}

enum rl_status RL_RUN(aten_gt_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &gt, OUTPUT);
}

enum rl_status RL_RUN(aten_gt_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &gt, OUTPUT);
}

enum rl_status RL_RUN(aten_ge_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &ge, OUTPUT);
}

enum rl_status RL_RUN(aten_ge_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &ge, OUTPUT);
}

// ---- predicates of one element

static rl_real isnan_reals(const union rl_number *x)
{
    return x[0].real != x[0].real;
}

static rl_real isinf_reals(const union rl_number *x)
{
    return x[0].real == INFINITY || x[0].real == -INFINITY;
}

static const struct rl_elementwise nans = {isnan_reals, NULL, 1, RL_TYPE_OF_FIRST, true, false};
static const struct rl_elementwise infinities = {isinf_reals, NULL, 1, RL_TYPE_OF_FIRST, true, false};

enum rl_status RL_RUN(aten_isnan)(struct rl_call *call)
{
    return rl_run_elementwise(call, &nans, 1);
}

enum rl_status RL_RUN(aten_isinf)(struct rl_call *call)
{
    return rl_run_elementwise(call, &infinities, 1);
}
