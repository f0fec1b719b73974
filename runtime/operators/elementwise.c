// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_add and cortex_m::quantized_mul. Both tensors have the same shape, or one of them has a
// single value per channel.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

struct operand {
    struct rl_tensor tensor;
    int32_t offset;                         // minus the zero point
    cmsis_nn_per_tensor_quant_params scale; // addition only
};

struct pair {
    struct operand large, small; // the same size, or `small` has one value per channel
    struct rl_tensor output;
    int32_t block; // elements that go together in one kernel call
};

static bool is_one_value_per_channel(const struct rl_tensor *tensor, const struct rl_tensor *other)
{
    return tensor->rank == 4 && other->rank == 4 && tensor->sizes[1] == other->sizes[1] &&
           tensor->bytes == (uint32_t)tensor->sizes[1];
}

// Decides how the operands go together and checks shapes and memory.
static void combine(struct rl_call *call, struct operand *left, struct operand *right,
                    uint32_t output_argument, struct pair *pair)
{
    struct rl_tensor *output = &pair->output;
    rl_call_output(call, output_argument, output);
    rl_expect_type(call, 0, &left->tensor, RL_INT8, -1);
    rl_expect_type(call, 0, &right->tensor, RL_INT8, -1);
    rl_expect_type(call, output_argument, output, RL_INT8, -1);
    if (call->status != RL_OK)
        return;
    bool swapped = left->tensor.bytes < right->tensor.bytes;
    pair->large = swapped ? *right : *left;
    pair->small = swapped ? *left : *right;
    const struct rl_tensor *large = &pair->large.tensor, *small = &pair->small.tensor;
    rl_expect(call, rl_same_layout(large, output), output_argument,
              "the output differs from the input in shape or layout");
    rl_expect_aligned(call, output_argument, output, large);
    if (rl_same_layout(large, small)) {
        pair->block = (int32_t)large->bytes;
        rl_expect_aligned(call, output_argument, output, small);
        return;
    }
    rl_expect(call, is_one_value_per_channel(small, large), 0,
              "the inputs neither have the same shape and layout nor one value per channel");
    rl_expect(call, call->status != RL_OK || rl_is_ordered(large, rl_order_nhwc), 0,
              "a tensor is not channels-last in memory");
    rl_expect_apart(call, output_argument, output, small);
    pair->block = (int32_t)small->bytes;
}

enum rl_status rl_run_cm_quantized_add(struct rl_call *call)
{
    enum {
        LEFT,
        LEFT_ZERO_POINT,
        LEFT_MULTIPLIER,
        LEFT_SHIFT,
        RIGHT,
        RIGHT_ZERO_POINT,
        RIGHT_MULTIPLIER,
        RIGHT_SHIFT,
        ZERO_POINT,
        MULTIPLIER,
        SHIFT,
        ACTIVATION_MIN,
        ACTIVATION_MAX,
        OUTPUT
    };
    const int32_t left_shift = 20; // as the stock operator
    struct operand left, right;
    struct pair pair;
    rl_call_tensor(call, LEFT, &left.tensor);
    rl_call_tensor(call, RIGHT, &right.tensor);
    left.offset = -rl_call_zero_point(call, LEFT_ZERO_POINT);
    right.offset = -rl_call_zero_point(call, RIGHT_ZERO_POINT);
    left.scale = rl_call_scale(call, LEFT_MULTIPLIER, LEFT_SHIFT);
    right.scale = rl_call_scale(call, RIGHT_MULTIPLIER, RIGHT_SHIFT);
    int32_t zero_point = rl_call_zero_point(call, ZERO_POINT);
    cmsis_nn_per_tensor_quant_params scale = rl_call_scale(call, MULTIPLIER, SHIFT);
    cmsis_nn_activation activation = rl_call_activation(call, ACTIVATION_MIN, ACTIVATION_MAX);
    combine(call, &left, &right, OUTPUT, &pair);
    const int8_t *from = pair.large.tensor.data;
    int8_t *to = pair.output.data;
    for (uint32_t done = 0; call->status == RL_OK && done < pair.output.bytes; done += (uint32_t)pair.block) {
        rl_kernel_result(call, arm_elementwise_add_s8(from + done, pair.small.tensor.data, pair.large.offset,
                                                      pair.large.scale.multiplier, pair.large.scale.shift,
                                                      pair.small.offset, pair.small.scale.multiplier,
                                                      pair.small.scale.shift, left_shift, to + done,
                                                      zero_point, scale.multiplier, scale.shift,
                                                      activation.min, activation.max, pair.block));
    }
    return call->status;
}

enum rl_status rl_run_cm_quantized_mul(struct rl_call *call)
{
    enum { LEFT, LEFT_ZERO_POINT, RIGHT, RIGHT_ZERO_POINT, ZERO_POINT, MULTIPLIER, SHIFT, OUTPUT };
    struct operand left = {.offset = 0}, right = {.offset = 0};
    struct pair pair;
    rl_call_tensor(call, LEFT, &left.tensor);
    rl_call_tensor(call, RIGHT, &right.tensor);
    left.offset = -rl_call_zero_point(call, LEFT_ZERO_POINT);
    right.offset = -rl_call_zero_point(call, RIGHT_ZERO_POINT);
    int32_t zero_point = rl_call_zero_point(call, ZERO_POINT);
    cmsis_nn_per_tensor_quant_params scale = rl_call_scale(call, MULTIPLIER, SHIFT);
    combine(call, &left, &right, OUTPUT, &pair);
    const int8_t *from = pair.large.tensor.data;
    int8_t *to = pair.output.data;
    for (uint32_t done = 0; call->status == RL_OK && done < pair.output.bytes; done += (uint32_t)pair.block) {
        rl_kernel_result(call,
                         arm_elementwise_mul_s8(from + done, pair.small.tensor.data, pair.large.offset,
                                                pair.small.offset, to + done, zero_point, scale.multiplier,
                                                scale.shift, INT8_MIN, INT8_MAX, pair.block));
    }
    return call->status;
}
