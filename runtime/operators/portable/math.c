// SPDX-License-Identifier: Apache-2.0
//
// Mathematical functions of one element: aten::exp, expm1, log and its relatives, sqrt, rsqrt, reciprocal, erf,
// trigonometric and hyperbolic functions and their inverses. Integers become floats first.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"

static enum rl_status run_unary(struct rl_call *call, rl_real (*function)(const union rl_number *x))
{
    const struct rl_elementwise op = {function, NULL, 1, RL_TYPE_OF_FIRST, false, false};
    return rl_run_elementwise(call, &op, 1);
}

static rl_real exp_of(const union rl_number *x)
{
    return RL_MATH(exp)(x[0].real);
}

enum rl_status RL_RUN(aten_exp)(struct rl_call *call)
{
    return run_unary(call, exp_of);
}

static rl_real expm1_of(const union rl_number *x)
{
    return RL_MATH(expm1)(x[0].real);
}

enum rl_status RL_RUN(aten_expm1)(struct rl_call *call)
{
    return run_unary(call, expm1_of);
}

static rl_real log_of(const union rl_number *x)
{
    return RL_MATH(log)(x[0].real);
}

enum rl_status RL_RUN(aten_log)(struct rl_call *call)
{
    return run_unary(call, log_of);
}

static rl_real log2_of(const union rl_number *x)
{
    return RL_MATH(log2)(x[0].real);
}

enum rl_status RL_RUN(aten_log2)(struct rl_call *call)
{
    return run_unary(call, log2_of);
}

static rl_real log10_of(const union rl_number *x)
{
    return RL_MATH(log10)(x[0].real);
}

enum rl_status RL_RUN(aten_log10)(struct rl_call *call)
{
    return run_unary(call, log10_of);
}

static rl_real log1p_of(const union rl_number *x)
{
    return RL_MATH(log1p)(x[0].real);
}

enum rl_status RL_RUN(aten_log1p)(struct rl_call *call)
{
    return run_unary(call, log1p_of);
}

static rl_real sqrt_of(const union rl_number *x)
{
    return RL_EXACT(sqrt)(x[0].real);
}

enum rl_status RL_RUN(aten_sqrt)(struct rl_call *call)
{
    return run_unary(call, sqrt_of);
}

static rl_real rsqrt_of(const union rl_number *x)
{
    return 1 / RL_EXACT(sqrt)(x[0].real);
}

enum rl_status RL_RUN(aten_rsqrt)(struct rl_call *call)
{
    return run_unary(call, rsqrt_of);
}

static rl_real reciprocal_of(const union rl_number *x)
{
    return 1 / x[0].real;
}

enum rl_status RL_RUN(aten_reciprocal)(struct rl_call *call)
{
    return run_unary(call, reciprocal_of);
}

static rl_real erf_of(const union rl_number *x)
{
    return RL_MATH(erf)(x[0].real);
}

enum rl_status RL_RUN(aten_erf)(struct rl_call *call)
{
    return run_unary(call, erf_of);
}

static rl_real sin_of(const union rl_number *x)
{
    return RL_MATH(sin)(x[0].real);
}

enum rl_status RL_RUN(aten_sin)(struct rl_call *call)
{
    return run_unary(call, sin_of);
}

static rl_real cos_of(const union rl_number *x)
{
    return RL_MATH(cos)(x[0].real);
}

enum rl_status RL_RUN(aten_cos)(struct rl_call *call)
{
    return run_unary(call, cos_of);
}

static rl_real tan_of(const union rl_number *x)
{
    return RL_MATH(tan)(x[0].real);
}

enum rl_status RL_RUN(aten_tan)(struct rl_call *call)
{
    return run_unary(call, tan_of);
}

static rl_real asin_of(const union rl_number *x)
{
    return RL_MATH(asin)(x[0].real);
}

enum rl_status RL_RUN(aten_asin)(struct rl_call *call)
{
    return run_unary(call, asin_of);
}

static rl_real acos_of(const union rl_number *x)
{
    return RL_MATH(acos)(x[0].real);
}

enum rl_status RL_RUN(aten_acos)(struct rl_call *call)
{
    return run_unary(call, acos_of);
}

static rl_real atan_of(const union rl_number *x)
{
    return RL_MATH(atan)(x[0].real);
}

enum rl_status RL_RUN(aten_atan)(struct rl_call *call)
{
    return run_unary(call, atan_of);
}

static rl_real sinh_of(const union rl_number *x)
{
    return RL_MATH(sinh)(x[0].real);
}

enum rl_status RL_RUN(aten_sinh)(struct rl_call *call)
{
    return run_unary(call, sinh_of);
}

static rl_real cosh_of(const union rl_number *x)
{
    return RL_MATH(cosh)(x[0].real);
}

enum rl_status RL_RUN(aten_cosh)(struct rl_call *call)
{
    return run_unary(call, cosh_of);
}

static rl_real asinh_of(const union rl_number *x)
{
    return RL_MATH(asinh)(x[0].real);
}

enum rl_status RL_RUN(aten_asinh)(struct rl_call *call)
{
    return run_unary(call, asinh_of);
}

static rl_real acosh_of(const union rl_number *x)
{
    return RL_MATH(acosh)(x[0].real);
}

enum rl_status RL_RUN(aten_acosh)(struct rl_call *call)
{
    return run_unary(call, acosh_of);
}

static rl_real atanh_of(const union rl_number *x)
{
    return RL_MATH(atanh)(x[0].real);
}

enum rl_status RL_RUN(aten_atanh)(struct rl_call *call)
{
    return run_unary(call, atanh_of);
}
