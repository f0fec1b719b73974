// SPDX-License-Identifier: Apache-2.0
//
// Activations of floats: aten::sigmoid, logit, tanh, gelu, elu and leaky_relu.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/text.h"

static rl_real sigmoid(const union rl_number *x)
{
    return RL_MATH(sigmoid)(x[0].real);
}

static rl_real hyperbolic_tangent(const union rl_number *x)
{
    return RL_MATH(tanh)(x[0].real);
}

static rl_real gelu(const union rl_number *x)
{
    return 0.5f * x[0].real * (1 + RL_MATH(erf)(x[0].real * (rl_real)0.70710678118654752));
}

static rl_real gelu_by_tanh(const union rl_number *numbers)
{
    rl_real x = numbers[0].real;
    return 0.5f * x * (1 + RL_MATH(tanh)((rl_real)0.79788456080286536 * (x + (rl_real)0.044715 * x * x * x)));
}

// The operands after the first are alpha, scale and the scale of the input.
static rl_real elu(const union rl_number *x)
{
    rl_real alpha = x[1].real, scale = x[2].real, input_scale = x[3].real;
    if (x[0].real > 0) {
        return scale * x[0].real;
    }
    return scale * alpha * RL_MATH(expm1)(x[0].real * input_scale);
}

static rl_real leaky_relu(const union rl_number *x)
{
    return x[0].real > 0 ? x[0].real : x[0].real * x[1].real;
}

static rl_real logit(const union rl_number *x)
{
    return RL_MATH(log)(x[0].real / (1 - x[0].real));
}

// Keeps the argument away from 0 and 1 by at least the second operand.
static rl_real limited_logit(const union rl_number *x)
{
    union rl_number limited = x[0];
    if (limited.real < x[1].real) {
        limited.real = x[1].real;
    } else if (limited.real > 1 - x[1].real) {
        limited.real = 1 - x[1].real;
    }
    return logit(&limited);
}

static const struct rl_elementwise sigmoids = {sigmoid, NULL, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise tangents = {hyperbolic_tangent, NULL, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise gelus = {gelu, NULL, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise gelus_by_tanh = {gelu_by_tanh, NULL, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise elus = {elu, NULL, 4, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise leaky_relus = {leaky_relu, NULL, 2, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise logits = {logit, NULL, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise limited_logits = {limited_logit, NULL, 2, RL_TYPE_OF_FIRST, false, false};

enum rl_status RL_RUN(aten_sigmoid)(struct rl_call *call)
{
    return rl_run_elementwise(call, &sigmoids, 1);
}

enum rl_status RL_RUN(aten_tanh)(struct rl_call *call)
{
    return rl_run_elementwise(call, &tangents, 1);
}

enum rl_status RL_RUN(aten_gelu)(struct rl_call *call)
{
    enum { APPROXIMATE = 1, OUTPUT };
    const char *form = rl_call_string(call, APPROXIMATE);
    bool by_tanh = rl_is_text(form, "tanh");
    rl_expect(call, by_tanh || rl_is_text(form, "none"), APPROXIMATE, "only 'none' and 'tanh' are supported");
    return rl_run_elementwise(call, by_tanh ? &gelus_by_tanh : &gelus, OUTPUT);
}

enum rl_status RL_RUN(aten_elu)(struct rl_call *call)
{
    return rl_run_elementwise(call, &elus, 4);
}

enum rl_status RL_RUN(aten_leaky_relu)(struct rl_call *call)
{
    return rl_run_elementwise(call, &leaky_relus, 2);
}

enum rl_status RL_RUN(aten_logit)(struct rl_call *call)
{
    enum { EPSILON = 1, OUTPUT };
    bool is_limited = rl_call_kind(call, EPSILON) != RL_PTE_NULL;
    return rl_run_elementwise(call, is_limited ? &limited_logits : &logits, OUTPUT);
}
