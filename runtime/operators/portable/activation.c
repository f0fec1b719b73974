// SPDX-License-Identifier: Apache-2.0
//
// Activations of floats: aten::sigmoid, logit, tanh, gelu, elu and leaky_relu.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/exponential.h"
#include "runtime/operators/portable/text.h"

static float sigmoid(const union rl_number *x)
{
    return rl_sigmoid(x[0].real);
}

// Near zero, where one minus the power would lose digits, the series up to x^9.
static float tanh_of(float x)
{
    float size = x < 0 ? -x : x;
    if (size < 0.3f) {
        float square = x * x;
        float tail = square * (-17.0f / 315.0f + square * (62.0f / 2835.0f));
        return x * (1 + square * (-1.0f / 3.0f + square * (2.0f / 15.0f + tail)));
    }
    float power = rl_exponential(-2 * size);
    float result = (1 - power) / (1 + power);
    return x < 0 ? -result : result;
}

static float hyperbolic_tangent(const union rl_number *x)
{
    return tanh_of(x[0].real);
}

static float gelu(const union rl_number *x)
{
    return 0.5f * x[0].real * (1 + erff(x[0].real * 0.70710678f));
}

static float gelu_by_tanh(const union rl_number *numbers)
{
    float x = numbers[0].real;
    return 0.5f * x * (1 + tanh_of(0.79788456f * (x + 0.044715f * x * x * x)));
}

// e to the x, less 1: near zero by the series, which keeps the digits that the difference would lose.
static float power_less_one(float x)
{
    if (x < -0.3f || x > 0.3f)
        return rl_exponential(x) - 1;
    float tail = x / 5 * (1 + x / 6 * (1 + x / 7));
    return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + tail))));
}

// The operands after the first: alpha, scale, scale of the input.
static float elu(const union rl_number *x)
{
    float alpha = x[1].real, scale = x[2].real, input_scale = x[3].real;
    if (x[0].real > 0)
        return scale * x[0].real;
    return scale * alpha * power_less_one(x[0].real * input_scale);
}

static float leaky_relu(const union rl_number *x)
{
    return x[0].real > 0 ? x[0].real : x[0].real * x[1].real;
}

static float logit(const union rl_number *x)
{
    return logf(x[0].real / (1 - x[0].real));
}

// With an argument away from 0 and 1 by at least the second operand.
static float limited_logit(const union rl_number *x)
{
    union rl_number limited = x[0];
    if (limited.real < x[1].real)
        limited.real = x[1].real;
    else if (limited.real > 1 - x[1].real)
        limited.real = 1 - x[1].real;
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

enum rl_status rl_run_aten_sigmoid(struct rl_call *call)
{
    return rl_run_elementwise(call, &sigmoids, 1);
}

enum rl_status rl_run_aten_tanh(struct rl_call *call)
{
    return rl_run_elementwise(call, &tangents, 1);
}

enum rl_status rl_run_aten_gelu(struct rl_call *call)
{
    enum { APPROXIMATE = 1, OUTPUT };
    const char *form = rl_call_string(call, APPROXIMATE);
    bool by_tanh = rl_is_text(form, "tanh");
    rl_expect(call, by_tanh || rl_is_text(form, "none"), APPROXIMATE, "only 'none' and 'tanh' are supported");
    return rl_run_elementwise(call, by_tanh ? &gelus_by_tanh : &gelus, OUTPUT);
}

enum rl_status rl_run_aten_elu(struct rl_call *call)
{
    return rl_run_elementwise(call, &elus, 4);
}

enum rl_status rl_run_aten_leaky_relu(struct rl_call *call)
{
    return rl_run_elementwise(call, &leaky_relus, 2);
}

enum rl_status rl_run_aten_logit(struct rl_call *call)
{
    enum { EPSILON = 1, OUTPUT };
    bool is_limited = rl_call_kind(call, EPSILON) != RL_PTE_NULL;
    return rl_run_elementwise(call, is_limited ? &limited_logits : &logits, OUTPUT);
}
