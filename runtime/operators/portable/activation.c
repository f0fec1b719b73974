// SPDX-License-Identifier: Apache-2.0
//
// Float functions of one element: aten::sigmoid, tanh, gelu, elu, leaky_relu, exp, log, sqrt, rsqrt,
// reciprocal, neg, abs, and the four operations with a number.
#include <math.h>

#include "runtime/operators/portable/exponential.h"
#include "runtime/operators/portable/walk.h"

// A function of an element and of up to three numbers of the call.
typedef float element_function(float x, const float *numbers);

static enum rl_status run_unary(struct rl_call *call, uint32_t output_argument, element_function *function,
                                const float *numbers)
{
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, 0, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_type(call, 0, &input, RL_FLOAT32, -1);
    rl_expect_type(call, output_argument, &output, RL_FLOAT32, -1);
    rl_expect(call, rl_same_sizes(&input, &output), output_argument, "input and output differ in shape");
    if (call->status != RL_OK)
        return call->status;
    if (rl_same_layout(&input, &output))
        rl_expect_aligned(call, output_argument, &output, &input);
    else
        rl_expect_apart(call, output_argument, &output, &input);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (call->status != RL_OK ||
        !rl_walk_start(&walk, &output, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides))
        return call->status;
    do {
        float *to = (float *)output.data + walk.offset[0];
        const float *from = (const float *)input.data + walk.offset[1];
        for (uint32_t i = 0; i < walk.count; i++)
            to[i * walk.step[0]] = function(from[i * walk.step[1]], numbers);
    } while (rl_walk_next(&walk));
    return RL_OK;
}

// ---- without numbers

// The exponential of a negative number only: it cannot overflow.
static float sigmoid(float x, const float *numbers)
{
    (void)numbers;
    float power = rl_exponential(x < 0 ? x : -x);
    return (x < 0 ? power : 1) / (1 + power);
}

// Near zero, where one minus the power would lose digits, the series up to x^9.
static float hyperbolic_tangent(float x, const float *numbers)
{
    (void)numbers;
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

static float gelu(float x, const float *numbers)
{
    (void)numbers;
    return 0.5f * x * (1 + erff(x * 0.70710678f));
}

static float gelu_by_tanh(float x, const float *numbers)
{
    return 0.5f * x * (1 + hyperbolic_tangent(0.79788456f * (x + 0.044715f * x * x * x), numbers));
}

static float exponential(float x, const float *numbers)
{
    (void)numbers;
    return rl_exponential(x);
}

static float logarithm(float x, const float *numbers)
{
    (void)numbers;
    return logf(x);
}

static float square_root(float x, const float *numbers)
{
    (void)numbers;
    return sqrtf(x);
}

static float reciprocal_square_root(float x, const float *numbers)
{
    (void)numbers;
    return 1.0f / sqrtf(x);
}

static float reciprocal(float x, const float *numbers)
{
    (void)numbers;
    return 1.0f / x;
}

static float negative(float x, const float *numbers)
{
    (void)numbers;
    return -x;
}

static float absolute(float x, const float *numbers)
{
    (void)numbers;
    return fabsf(x);
}

enum rl_status rl_run_aten_sigmoid(struct rl_call *call)
{
    return run_unary(call, 1, sigmoid, NULL);
}

enum rl_status rl_run_aten_tanh(struct rl_call *call)
{
    return run_unary(call, 1, hyperbolic_tangent, NULL);
}

enum rl_status rl_run_aten_exp(struct rl_call *call)
{
    return run_unary(call, 1, exponential, NULL);
}

enum rl_status rl_run_aten_log(struct rl_call *call)
{
    return run_unary(call, 1, logarithm, NULL);
}

enum rl_status rl_run_aten_sqrt(struct rl_call *call)
{
    return run_unary(call, 1, square_root, NULL);
}

enum rl_status rl_run_aten_rsqrt(struct rl_call *call)
{
    return run_unary(call, 1, reciprocal_square_root, NULL);
}

enum rl_status rl_run_aten_reciprocal(struct rl_call *call)
{
    return run_unary(call, 1, reciprocal, NULL);
}

enum rl_status rl_run_aten_neg(struct rl_call *call)
{
    return run_unary(call, 1, negative, NULL);
}

enum rl_status rl_run_aten_abs(struct rl_call *call)
{
    return run_unary(call, 1, absolute, NULL);
}

// ---- with numbers of the call

static float elu(float x, const float *numbers)
{
    float alpha = numbers[0], scale = numbers[1], input_scale = numbers[2];
    return x > 0 ? scale * x : scale * alpha * (rl_exponential(x * input_scale) - 1);
}

static float leaky_relu(float x, const float *numbers)
{
    return x > 0 ? x : x * numbers[0];
}

static float add(float x, const float *numbers)
{
    return x + numbers[0];
}

static float multiply(float x, const float *numbers)
{
    return x * numbers[0];
}

static float divide(float x, const float *numbers)
{
    return x / numbers[0];
}

static bool is_text(const char *text, const char *expected)
{
    while (*expected != 0 && *text == *expected) {
        text++;
        expected++;
    }
    return *text == *expected;
}

enum rl_status rl_run_aten_gelu(struct rl_call *call)
{
    enum { APPROXIMATE = 1, OUTPUT };
    const char *form = rl_call_string(call, APPROXIMATE);
    bool by_tanh = is_text(form, "tanh");
    rl_expect(call, by_tanh || is_text(form, "none"), APPROXIMATE, "only 'none' and 'tanh' are supported");
    return run_unary(call, OUTPUT, by_tanh ? gelu_by_tanh : gelu, NULL);
}

enum rl_status rl_run_aten_elu(struct rl_call *call)
{
    enum { ALPHA = 1, SCALE, INPUT_SCALE, OUTPUT };
    const float numbers[] = {(float)rl_call_number(call, ALPHA), (float)rl_call_number(call, SCALE),
                             (float)rl_call_number(call, INPUT_SCALE)};
    return run_unary(call, OUTPUT, elu, numbers);
}

enum rl_status rl_run_aten_leaky_relu(struct rl_call *call)
{
    enum { SLOPE = 1, OUTPUT };
    const float slope = (float)rl_call_number(call, SLOPE);
    return run_unary(call, OUTPUT, leaky_relu, &slope);
}

// Adds the number times alpha, or subtracts it.
static enum rl_status run_add_number(struct rl_call *call, double sign)
{
    enum { NUMBER = 1, ALPHA, OUTPUT };
    const float number = (float)(sign * rl_call_number(call, NUMBER) * rl_call_number(call, ALPHA));
    return run_unary(call, OUTPUT, add, &number);
}

enum rl_status rl_run_aten_add_scalar(struct rl_call *call)
{
    return run_add_number(call, 1);
}

enum rl_status rl_run_aten_sub_scalar(struct rl_call *call)
{
    return run_add_number(call, -1);
}

enum rl_status rl_run_aten_mul_scalar(struct rl_call *call)
{
    enum { NUMBER = 1, OUTPUT };
    const float number = (float)rl_call_number(call, NUMBER);
    return run_unary(call, OUTPUT, multiply, &number);
}

enum rl_status rl_run_aten_div_scalar(struct rl_call *call)
{
    enum { NUMBER = 1, OUTPUT };
    const float number = (float)rl_call_number(call, NUMBER);
    return run_unary(call, OUTPUT, divide, &number);
}
