// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_add and cortex_m::quantized_mul. Both tensors have the same shape, or one of them has a single
// value per channel.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

struct operand {
    const int8_t *data;
    int32_t offset;                         // minus the zero point
    cmsis_nn_per_tensor_quant_params scale; // addition only
};

// What a call of either becomes.
struct pair {
    struct operand large, small; // the same size, or `small` has one value per channel
    int8_t *output;
    uint32_t bytes;
    int32_t block; // elements that go together in one kernel call
    int32_t zero_point;
    cmsis_nn_per_tensor_quant_params scale;
    cmsis_nn_activation activation; // addition only
};

static bool is_one_value_per_channel(const struct rl_tensor *tensor, const struct rl_tensor *other)
{
    return tensor->rank == 4 && other->rank == 4 && tensor->sizes[1] == other->sizes[1] &&
           tensor->bytes == (uint32_t)tensor->sizes[1];
}

// Reads the tensors, of which the second one comes as argument `right_argument`, decides how they go together and
// checks shapes and memory. The pair has `large` as the first and `small` as the second.
static void read_tensors(struct rl_call *call, uint32_t right_argument, uint32_t output_argument, struct pair *pair)
{
    struct rl_tensor tensors[2], output;
    rl_call_tensor(call, 0, &tensors[0]);
    rl_call_tensor(call, right_argument, &tensors[1]);
    rl_call_output(call, output_argument, &output);
    rl_expect_type(call, 0, &tensors[0], RL_INT8, -1);
    rl_expect_type(call, right_argument, &tensors[1], RL_INT8, -1);
    rl_expect_type(call, output_argument, &output, RL_INT8, -1);
    if (call->status != RL_OK) {
        return;
    }
    const bool swapped = tensors[0].bytes < tensors[1].bytes;
    const struct rl_tensor *large = &tensors[swapped], *small = &tensors[!swapped];
    if (swapped) {
        const struct operand first = pair->large;
        pair->large = pair->small;
        pair->small = first;
    }
    pair->large.data = large->data;
    pair->small.data = small->data;
    pair->output = output.data;
    pair->bytes = output.bytes;
    pair->block = (int32_t)small->bytes;
    rl_expect(call, rl_same_layout(large, &output), output_argument,
              "the output differs from the input in shape or layout");
    rl_expect_aligned(call, output_argument, &output, large);
    if (rl_same_layout(large, small)) {
        rl_expect_aligned(call, output_argument, &output, small);
        return;
    }
    rl_expect(call, is_one_value_per_channel(small, large), 0,
              "the inputs neither have the same shape and layout nor one value per channel");
    rl_expect(call, call->status != RL_OK || rl_is_ordered(large, rl_order_channels_last), 0,
              "a tensor is not channels-last in memory");
    rl_expect_apart(call, output_argument, &output, small);
}

// Reads a call; NULL when it is refused.
static const struct pair *read_addition(struct rl_call *call, struct pair *pair)
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
    pair->large.offset = -rl_call_zero_point(call, LEFT_ZERO_POINT);
    pair->small.offset = -rl_call_zero_point(call, RIGHT_ZERO_POINT);
    rl_cmsis_scale(call, LEFT_MULTIPLIER, &pair->large.scale);
    rl_cmsis_scale(call, RIGHT_MULTIPLIER, &pair->small.scale);
    pair->zero_point = rl_call_zero_point(call, ZERO_POINT);
    rl_cmsis_scale(call, MULTIPLIER, &pair->scale);
    rl_cmsis_activation(call, ACTIVATION_MIN, ACTIVATION_MAX, &pair->activation);
    read_tensors(call, RIGHT, OUTPUT, pair);
    return rl_call_keep(call, pair, sizeof *pair);
}

enum rl_status rl_run_cm_quantized_add(struct rl_call *call)
{
    const int32_t left_shift = 20; // as the stock operator
    struct pair made;
    const struct pair *p = call->kept ? call->kept : read_addition(call, &made);
    struct rl_scratch scratch = {0};
    rl_call_spare(call, &scratch);
    const cmsis_nn_context context = {scratch.memory, scratch.bytes};
    for (uint32_t done = 0; p && call->status == RL_OK && done < p->bytes; done += (uint32_t)p->block) {
        rl_kernel_result(call, rl_elementwise_add_s8(&context, p->large.data + done, p->small.data, p->large.offset,
                                                     p->large.scale.multiplier, p->large.scale.shift, p->small.offset,
                                                     p->small.scale.multiplier, p->small.scale.shift, left_shift,
                                                     p->output + done, p->zero_point, p->scale.multiplier,
                                                     p->scale.shift, p->activation.min, p->activation.max, p->block));
    }
    return call->status;
}

// That of a factor: of hardswish's, which stock programs cut off at 6, it lies far outside int8. Sums with a value fit
// 16 bits.
static int32_t factor_zero_point(struct rl_call *call, uint32_t argument)
{
    return rl_call_bounded(call, argument, INT8_MAX - INT16_MAX, INT16_MAX - INT8_MAX);
}

static const struct pair *read_multiplication(struct rl_call *call, struct pair *pair)
{
    enum { LEFT, LEFT_ZERO_POINT, RIGHT, RIGHT_ZERO_POINT, ZERO_POINT, MULTIPLIER, SHIFT, OUTPUT };
    *pair = (struct pair){.large.offset = -factor_zero_point(call, LEFT_ZERO_POINT),
                          .small.offset = -factor_zero_point(call, RIGHT_ZERO_POINT),
                          .zero_point = rl_call_zero_point(call, ZERO_POINT)};
    rl_cmsis_scale(call, MULTIPLIER, &pair->scale);
    read_tensors(call, RIGHT, OUTPUT, pair);
    return rl_call_keep(call, pair, sizeof *pair);
}

enum rl_status rl_run_cm_quantized_mul(struct rl_call *call)
{
    struct pair made;
    const struct pair *p = call->kept ? call->kept : read_multiplication(call, &made);
    for (uint32_t done = 0; p && call->status == RL_OK && done < p->bytes; done += (uint32_t)p->block) {
        rl_kernel_result(call,
                         arm_elementwise_mul_s8(p->large.data + done, p->small.data, p->large.offset, p->small.offset,
                                                p->output + done, p->zero_point, p->scale.multiplier, p->scale.shift,
                                                INT8_MIN, INT8_MAX, p->block));
    }
    return call->status;
}
