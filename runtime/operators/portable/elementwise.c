// SPDX-License-Identifier: Apache-2.0
//
// Operators on one element at a time: aten::add, sub, mul, div, relu, hardtanh, clamp. The last
// three take int8 as well: activations that no other operator could take in.
#include <math.h>

#include "runtime/operators/portable/walk.h"

// ---- two inputs, with broadcasting

struct binary {
    struct rl_tensor left, right, output;
    struct rl_walk walk;
    bool empty;
};

static void read_binary(struct rl_call *call, uint32_t output_argument, struct binary *b)
{
    uint32_t strides[3][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, 0, &b->left);
    rl_call_tensor(call, 1, &b->right);
    rl_call_output(call, output_argument, &b->output);
    rl_expect_type(call, 0, &b->left, RL_FLOAT32, -1);
    rl_expect_type(call, 1, &b->right, RL_FLOAT32, -1);
    rl_expect_type(call, output_argument, &b->output, RL_FLOAT32, -1);
    if (call->status != RL_OK)
        return;
    rl_tensor_element_strides(&b->output, strides[0]);
    rl_expect(call,
              rl_broadcast_strides(&b->left, &b->output, strides[1]) &&
                  rl_broadcast_strides(&b->right, &b->output, strides[2]),
              output_argument, "the inputs do not broadcast to the output's shape");
    // Writing over an input is safe only where each element is read right before it is written.
    if (rl_same_layout(&b->left, &b->output))
        rl_expect_aligned(call, output_argument, &b->output, &b->left);
    else
        rl_expect_apart(call, output_argument, &b->output, &b->left);
    if (rl_same_layout(&b->right, &b->output))
        rl_expect_aligned(call, output_argument, &b->output, &b->right);
    else
        rl_expect_apart(call, output_argument, &b->output, &b->right);
    b->empty = !rl_walk_start(&b->walk, &b->output, 3, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

static enum rl_status run_add(struct rl_call *call, float sign)
{
    enum { ALPHA = 2, OUTPUT };
    struct binary b;
    read_binary(call, OUTPUT, &b);
    float alpha = sign * (float)rl_call_number(call, ALPHA);
    if (call->status != RL_OK || b.empty)
        return call->status;
    const struct rl_walk *walk = &b.walk;
    do {
        float *to = (float *)b.output.data + walk->offset[0];
        const float *left = (const float *)b.left.data + walk->offset[1];
        const float *right = (const float *)b.right.data + walk->offset[2];
        for (uint32_t i = 0; i < walk->count; i++)
            to[i * walk->step[0]] = left[i * walk->step[1]] + alpha * right[i * walk->step[2]];
    } while (rl_walk_next(&b.walk));
    return RL_OK;
}

enum rl_status rl_run_aten_add(struct rl_call *call)
{
    return run_add(call, 1);
}

enum rl_status rl_run_aten_sub_tensor(struct rl_call *call)
{
    return run_add(call, -1);
}

enum rl_status rl_run_aten_mul(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct binary b;
    read_binary(call, OUTPUT, &b);
    if (call->status != RL_OK || b.empty)
        return call->status;
    const struct rl_walk *walk = &b.walk;
    do {
        float *to = (float *)b.output.data + walk->offset[0];
        const float *left = (const float *)b.left.data + walk->offset[1];
        const float *right = (const float *)b.right.data + walk->offset[2];
        for (uint32_t i = 0; i < walk->count; i++)
            to[i * walk->step[0]] = left[i * walk->step[1]] * right[i * walk->step[2]];
    } while (rl_walk_next(&b.walk));
    return RL_OK;
}

enum rl_status rl_run_aten_div_tensor(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct binary b;
    read_binary(call, OUTPUT, &b);
    if (call->status != RL_OK || b.empty)
        return call->status;
    const struct rl_walk *walk = &b.walk;
    do {
        float *to = (float *)b.output.data + walk->offset[0];
        const float *left = (const float *)b.left.data + walk->offset[1];
        const float *right = (const float *)b.right.data + walk->offset[2];
        for (uint32_t i = 0; i < walk->count; i++)
            to[i * walk->step[0]] = left[i * walk->step[1]] / right[i * walk->step[2]];
    } while (rl_walk_next(&b.walk));
    return RL_OK;
}

// A NaN in either input is the result, as in PyTorch.
static float larger(float left, float right)
{
    return left > right || left != left ? left : right;
}

static float smaller(float left, float right)
{
    return left < right || left != left ? left : right;
}

static enum rl_status run_extremum(struct rl_call *call, float (*function)(float, float))
{
    enum { OUTPUT = 2 };
    struct binary b;
    read_binary(call, OUTPUT, &b);
    if (call->status != RL_OK || b.empty)
        return call->status;
    const struct rl_walk *walk = &b.walk;
    do {
        float *to = (float *)b.output.data + walk->offset[0];
        const float *left = (const float *)b.left.data + walk->offset[1];
        const float *right = (const float *)b.right.data + walk->offset[2];
        for (uint32_t i = 0; i < walk->count; i++)
            to[i * walk->step[0]] = function(left[i * walk->step[1]], right[i * walk->step[2]]);
    } while (rl_walk_next(&b.walk));
    return RL_OK;
}

enum rl_status rl_run_aten_maximum(struct rl_call *call)
{
    return run_extremum(call, larger);
}

enum rl_status rl_run_aten_minimum(struct rl_call *call)
{
    return run_extremum(call, smaller);
}

// ---- one input, limited to a range

static void clamp_floats(struct rl_walk *walk, const struct rl_tensor *input, const struct rl_tensor *output,
                         float lowest, float highest)
{
    do {
        float *to = (float *)output->data + walk->offset[0];
        const float *from = (const float *)input->data + walk->offset[1];
        for (uint32_t i = 0; i < walk->count; i++) {
            float number = from[i * walk->step[1]];
            number = number < lowest ? lowest : number;
            to[i * walk->step[0]] = number > highest ? highest : number; // a NaN passes, as in PyTorch
        }
    } while (rl_walk_next(walk));
}

// A bound as an int8 value; what lies outside its range limits nothing more than the range does.
static int8_t int8_bound(float bound)
{
    if (!(bound > INT8_MIN))
        return INT8_MIN;
    return bound < INT8_MAX ? (int8_t)bound : INT8_MAX;
}

static void clamp_int8(struct rl_walk *walk, const struct rl_tensor *input, const struct rl_tensor *output,
                       int8_t lowest, int8_t highest)
{
    do {
        int8_t *to = (int8_t *)output->data + walk->offset[0];
        const int8_t *from = (const int8_t *)input->data + walk->offset[1];
        for (uint32_t i = 0; i < walk->count; i++) {
            int8_t number = from[i * walk->step[1]];
            number = number < lowest ? lowest : number;
            to[i * walk->step[0]] = number > highest ? highest : number;
        }
    } while (rl_walk_next(walk));
}

static enum rl_status run_clamp(struct rl_call *call, uint32_t output_argument, float lowest, float highest)
{
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, 0, &input);
    rl_call_output(call, output_argument, &output);
    const int type = input.dtype == RL_INT8 ? RL_INT8 : RL_FLOAT32;
    rl_expect_type(call, 0, &input, type, -1);
    rl_expect_type(call, output_argument, &output, type, -1);
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
    if (type == RL_INT8)
        clamp_int8(&walk, &input, &output, int8_bound(lowest), int8_bound(highest));
    else
        clamp_floats(&walk, &input, &output, lowest, highest);
    return RL_OK;
}

enum rl_status rl_run_aten_relu(struct rl_call *call)
{
    enum { OUTPUT = 1 };
    return run_clamp(call, OUTPUT, 0, INFINITY);
}

enum rl_status rl_run_aten_hardtanh(struct rl_call *call)
{
    enum { MINIMUM = 1, MAXIMUM, OUTPUT };
    float lowest = (float)rl_call_number(call, MINIMUM), highest = (float)rl_call_number(call, MAXIMUM);
    return run_clamp(call, OUTPUT, lowest, highest);
}

enum rl_status rl_run_aten_clamp(struct rl_call *call)
{
    enum { MINIMUM = 1, MAXIMUM, OUTPUT };
    float lowest = -INFINITY, highest = INFINITY;
    if (rl_call_kind(call, MINIMUM) != RL_PTE_NULL)
        lowest = (float)rl_call_number(call, MINIMUM);
    if (rl_call_kind(call, MAXIMUM) != RL_PTE_NULL)
        highest = (float)rl_call_number(call, MAXIMUM);
    return run_clamp(call, OUTPUT, lowest, highest);
}
