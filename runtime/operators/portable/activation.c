// SPDX-License-Identifier: Apache-2.0
//
// aten::sigmoid and aten::tanh in float.
#include "runtime/operators/portable/exponential.h"
#include "runtime/operators/portable/walk.h"

// The exponential of a negative number only: it cannot overflow.
static float sigmoid(float x)
{
    float power = rl_exponential(x < 0 ? x : -x);
    return (x < 0 ? power : 1) / (1 + power);
}

// Near zero, where one minus the power would lose digits, the series up to x^9.
static float hyperbolic_tangent(float x)
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

static enum rl_status run_unary(struct rl_call *call, float (*function)(float))
{
    enum { INPUT, OUTPUT };
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_expect(call, rl_same_sizes(&input, &output), OUTPUT, "input and output differ in shape");
    if (call->status != RL_OK)
        return call->status;
    if (rl_same_layout(&input, &output))
        rl_expect_aligned(call, OUTPUT, &output, &input);
    else
        rl_expect_apart(call, OUTPUT, &output, &input);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (call->status != RL_OK ||
        !rl_walk_start(&walk, &output, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides))
        return call->status;
    do {
        float *to = (float *)output.data + walk.offset[0];
        const float *from = (const float *)input.data + walk.offset[1];
        for (uint32_t i = 0; i < walk.count; i++)
            to[i * walk.step[0]] = function(from[i * walk.step[1]]);
    } while (rl_walk_next(&walk));
    return RL_OK;
}

enum rl_status rl_run_aten_sigmoid(struct rl_call *call)
{
    return run_unary(call, sigmoid);
}

enum rl_status rl_run_aten_tanh(struct rl_call *call)
{
    return run_unary(call, hyperbolic_tangent);
}
