// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_batch_matmul. What the schema calls zero points of the inputs are offsets: minus the
// zero points.
#include "runtime/operators/cmsis.h"

enum { LEFT, LEFT_OFFSET, RIGHT, RIGHT_OFFSET, ZERO_POINT, MULTIPLIER, SHIFT, SCRATCH, OUTPUT };

static void read_matrix(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    if (argument == OUTPUT)
        rl_call_output(call, argument, tensor);
    else
        rl_call_tensor(call, argument, tensor);
    rl_expect_type(call, argument, tensor, RL_INT8, 3);
    if (call->status == RL_OK)
        rl_expect(call, rl_is_ordered(tensor, rl_order_nchw), argument, "a tensor is not contiguous");
}

enum rl_status rl_run_cm_quantized_batch_matmul(struct rl_call *call)
{
    struct rl_tensor left, right, output;
    read_matrix(call, LEFT, &left);
    read_matrix(call, RIGHT, &right);
    read_matrix(call, OUTPUT, &output);
    if (call->status != RL_OK)
        return call->status;
    const int32_t batch = left.sizes[0], rows = left.sizes[1], depth = left.sizes[2],
                  columns = right.sizes[1];
    rl_expect(call, right.sizes[0] == batch && right.sizes[2] == depth, RIGHT,
              "the matrices do not go together");
    rl_expect(call, output.sizes[0] == batch && output.sizes[1] == rows && output.sizes[2] == columns, OUTPUT,
              "the output's shape is not that of the product");
    rl_expect_apart(call, OUTPUT, &output, &left);
    rl_expect_apart(call, OUTPUT, &output, &right);
    const cmsis_nn_bmm_params params = {
        .adj_x = false,
        .adj_y = false,
        .fc_params = {.input_offset = rl_call_input_offset(call, LEFT_OFFSET),
                      .filter_offset = rl_call_input_offset(call, RIGHT_OFFSET),
                      .output_offset = rl_call_zero_point(call, ZERO_POINT),
                      .activation = {.min = INT8_MIN, .max = INT8_MAX}}};
    const cmsis_nn_per_tensor_quant_params scale = rl_call_scale(call, MULTIPLIER, SHIFT);
    const cmsis_nn_dims left_dims = {.n = 1, .h = batch, .w = rows, .c = depth};
    const cmsis_nn_dims right_dims = {.n = 1, .h = batch, .w = columns, .c = depth};
    const cmsis_nn_dims output_dims = {.n = 1, .h = batch, .w = rows, .c = columns};
    const cmsis_nn_context context =
        rl_call_scratch(call, SCRATCH, arm_fully_connected_s8_get_buffer_size(&output_dims));
    const struct rl_tensor scratch = {.data = context.buf, .bytes = (uint32_t)context.size};
    rl_expect_apart(call, SCRATCH, &scratch, &left);
    rl_expect_apart(call, SCRATCH, &scratch, &right);
    rl_expect_apart(call, SCRATCH, &scratch, &output);
    if (call->status != RL_OK || output.bytes == 0)
        return call->status;
    return rl_kernel_result(call, arm_batch_matmul_s8(&context, &params, &scale, &left_dims, left.data,
                                                      &right_dims, right.data, &output_dims, output.data));
}
