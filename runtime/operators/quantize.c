// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantize_per_tensor and cortex_m::dequantize_per_tensor, to and from int8 and int16.
#include "runtime/operators/operator.h"
#include "runtime/operators/quantize_elements.h"

enum { INPUT, SCALE, ZERO_POINT, QUANT_MIN, QUANT_MAX, DTYPE_ARGUMENT, OUTPUT };

// Arguments 1 to 5; `quantized` is the tensor of integers.
static struct rl_quantization read_quantization(struct rl_call *call, const struct rl_tensor *quantized,
                                                uint32_t argument)
{
    int32_t dtype = rl_call_int32(call, DTYPE_ARGUMENT);
    int32_t lowest = dtype == RL_INT8 ? INT8_MIN : INT16_MIN;
    int32_t highest = dtype == RL_INT8 ? INT8_MAX : INT16_MAX;
    struct rl_quantization q = {.scale = (float)rl_call_double(call, SCALE)};
    q.min = rl_bounded_int(call, QUANT_MIN, lowest, highest);
    q.max = rl_bounded_int(call, QUANT_MAX, q.min, highest);
    q.zero_point = rl_bounded_int(call, ZERO_POINT, lowest, highest);
    rl_expect(call, dtype == RL_INT8 || dtype == RL_INT16, DTYPE_ARGUMENT,
              "only int8 and int16 are supported");
    rl_expect(call, quantized->dtype == dtype, argument,
              "the tensor has another type than the dtype argument");
    rl_expect(call, q.scale > 0, SCALE, "a scale must be positive");
    return q;
}

enum rl_status rl_run_cm_quantize_per_tensor(struct rl_call *call)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    struct rl_quantization q = read_quantization(call, &output, OUTPUT);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK)
        return call->status;
    rl_quantize_elements(input.data, rl_tensor_count(&input), &q, output.dtype == RL_INT16, output.data);
    return RL_OK;
}

enum rl_status rl_run_cm_dequantize_per_tensor(struct rl_call *call)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    struct rl_quantization q = read_quantization(call, &input, INPUT);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK)
        return call->status;
    rl_dequantize_elements(input.data, input.dtype == RL_INT16, rl_tensor_count(&input), &q, output.data);
    return RL_OK;
}
