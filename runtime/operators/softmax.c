// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::softmax over the last dimension.
#include "runtime/operators/cmsis.h"

enum rl_status rl_run_cm_softmax(struct rl_call *call)
{
    enum { INPUT, DIM, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, MULTIPLIER, SHIFT, DIFF_MIN, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    int32_t dim = rl_call_int32(call, DIM);
    rl_call_zero_point(call, INPUT_ZERO_POINT);
    const cmsis_nn_per_tensor_quant_params scale = rl_call_scale(call, MULTIPLIER, SHIFT);
    int32_t diff_min = rl_bounded_int(call, DIFF_MIN, -INT32_MAX, 0);
    rl_expect(call, rl_call_zero_point(call, OUTPUT_ZERO_POINT) == INT8_MIN, OUTPUT_ZERO_POINT,
              "the output's zero point must be -128");
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    rl_expect(call, input.rank > 0 && (dim == -1 || dim == input.rank - 1), DIM,
              "only the last dimension is supported");
    if (call->status != RL_OK || input.bytes == 0)
        return call->status;
    int32_t row = input.sizes[input.rank - 1];
    rl_expect(call, row == 1 || rl_is_ordered(&input, rl_order_nchw), INPUT, "a tensor is not contiguous");
    if (call->status == RL_OK)
        arm_softmax_s8(input.data, (int32_t)input.bytes / row, row, scale.multiplier, scale.shift, diff_min,
                       output.data);
    return call->status;
}
