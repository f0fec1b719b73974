// SPDX-License-Identifier: Apache-2.0
//
// Mathematical functions of one element: aten::exp, expm1, log and its relatives, sqrt, rsqrt, reciprocal,
// erf, trigonometric and hyperbolic functions and their inverses. Integers become floats first. All but exp,
// sqrt and what is made of them give the bits of the C library.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/exponential.h"

static enum rl_status run_unary(struct rl_call *call, float (*function)(const union rl_number *x))
{
    const struct rl_elementwise op = {function, NULL, 1, RL_TYPE_OF_FIRST, false, false};
    return rl_run_elementwise(call, &op, 1);
}

static float exp_of(const union rl_number *x)
{
    return rl_exponential(x[0].real);
}

enum rl_status rl_run_aten_exp(struct rl_call *call)
{
    return run_unary(call, exp_of);
}

static float expm1_of(const union rl_number *x)
{
    return expm1f(x[0].real);
}

enum rl_status rl_run_aten_expm1(struct rl_call *call)
{
    return run_unary(call, expm1_of);
}

static float log_of(const union rl_number *x)
{
    return logf(x[0].real);
}

enum rl_status rl_run_aten_log(struct rl_call *call)
{
    return run_unary(call, log_of);
}

static float log2_of(const union rl_number *x)
{
    return log2f(x[0].real);
}

enum rl_status rl_run_aten_log2(struct rl_call *call)
{
    return run_unary(call, log2_of);
}

static float log10_of(const union rl_number *x)
{
    return log10f(x[0].real);
}

enum rl_status rl_run_aten_log10(struct rl_call *call)
{
    return run_unary(call, log10_of);
}

static float log1p_of(const union rl_number *x)
{
    return log1pf(x[0].real);
}

enum rl_status rl_run_aten_log1p(struct rl_call *call)
{
    return run_unary(call, log1p_of);
}

static float sqrt_of(const union rl_number *x)
{
    return sqrtf(x[0].real);
}

enum rl_status rl_run_aten_sqrt(struct rl_call *call)
{
    return run_unary(call, sqrt_of);
}

static float rsqrt_of(const union rl_number *x)
{
    return 1.0f / sqrtf(x[0].real);
}

enum rl_status rl_run_aten_rsqrt(struct rl_call *call)
{
    return run_unary(call, rsqrt_of);
}

static float reciprocal_of(const union rl_number *x)
{
    return 1.0f / x[0].real;
}

enum rl_status rl_run_aten_reciprocal(struct rl_call *call)
{
    return run_unary(call, reciprocal_of);
}

static float erf_of(const union rl_number *x)
{
    return erff(x[0].real);
}

enum rl_status rl_run_aten_erf(struct rl_call *call)
{
    return run_unary(call, erf_of);
}

static float sin_of(const union rl_number *x)
{
    return sinf(x[0].real);
}

enum rl_status rl_run_aten_sin(struct rl_call *call)
{
    return run_unary(call, sin_of);
}

static float cos_of(const union rl_number *x)
{
    return cosf(x[0].real);
}

enum rl_status rl_run_aten_cos(struct rl_call *call)
{
    return run_unary(call, cos_of);
}

static float tan_of(const union rl_number *x)
{
    return tanf(x[0].real);
}

enum rl_status rl_run_aten_tan(struct rl_call *call)
{
    return run_unary(call, tan_of);
}

static float asin_of(const union rl_number *x)
{
    return asinf(x[0].real);
}

enum rl_status rl_run_aten_asin(struct rl_call *call)
{
    return run_unary(call, asin_of);
}

static float acos_of(const union rl_number *x)
{
    return acosf(x[0].real);
}

enum rl_status rl_run_aten_acos(struct rl_call *call)
{
    return run_unary(call, acos_of);
}

static float atan_of(const union rl_number *x)
{
    return atanf(x[0].real);
}

enum rl_status rl_run_aten_atan(struct rl_call *call)
{
    return run_unary(call, atan_of);
}

static float sinh_of(const union rl_number *x)
{
    return sinhf(x[0].real);
}

enum rl_status rl_run_aten_sinh(struct rl_call *call)
{
    return run_unary(call, sinh_of);
}

static float cosh_of(const union rl_number *x)
{
    return coshf(x[0].real);
}

enum rl_status rl_run_aten_cosh(struct rl_call *call)
{
    return run_unary(call, cosh_of);
}

static float asinh_of(const union rl_number *x)
{
    return asinhf(x[0].real);
}

enum rl_status rl_run_aten_asinh(struct rl_call *call)
{
    return run_unary(call, asinh_of);
}

static float acosh_of(const union rl_number *x)
{
    return acoshf(x[0].real);
}

enum rl_status rl_run_aten_acosh(struct rl_call *call)
{
    return run_unary(call, acosh_of);
}

static float atanh_of(const union rl_number *x)
{
    return atanhf(x[0].real);
}

enum rl_status rl_run_aten_atanh(struct rl_call *call)
{
    return run_unary(call, atanh_of);
}
