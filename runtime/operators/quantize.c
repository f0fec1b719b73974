// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantize_per_tensor and cortex_m::dequantize_per_tensor, to and from int8 and int16.
#include "runtime/operators/operator.h"

enum { INPUT, SCALE, ZERO_POINT, QUANT_MIN, QUANT_MAX, DTYPE_ARGUMENT, OUTPUT };

struct quantization {
    float scale;
    int32_t zero_point, min, max;
};

// Arguments 1 to 5; `quantized` is the tensor of integers.
static struct quantization read_quantization(struct rl_call *call, const struct rl_tensor *quantized,
                                             uint32_t argument)
{
    int32_t dtype = rl_call_int32(call, DTYPE_ARGUMENT);
    int32_t lowest = dtype == RL_INT8 ? INT8_MIN : INT16_MIN;
    int32_t highest = dtype == RL_INT8 ? INT8_MAX : INT16_MAX;
    struct quantization q = {.scale = (float)rl_call_double(call, SCALE)};
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

// Rounds to nearest, ties to even, without a library call: adding 1.5 * 2^23 leaves no bit for the fraction.
// The argument is clamped to less than 2^17 before.
static int32_t round_even(float number)
{
    const float magic = 12582912.0f;
    volatile float shifted = number + magic; // volatile: the compiler must not cancel the two additions
    return (int32_t)(shifted - magic);
}

// As the stock kernel computes it: multiply by the reciprocal, round, add the zero point, clamp. Clamping
// first gives the same result, because the bounds are integers, and keeps infinities and NaN out of the
// conversion.
static int32_t quantize_one(float number, float inverse, float lowest, float highest, int32_t zero_point)
{
    float scaled = number * inverse;
    if (!(scaled > lowest))
        scaled = lowest;
    if (scaled > highest)
        scaled = highest;
    return round_even(scaled) + zero_point;
}

enum rl_status rl_run_cm_quantize_per_tensor(struct rl_call *call)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    struct quantization q = read_quantization(call, &output, OUTPUT);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK)
        return call->status;
    const float *from = input.data;
    const float inverse = 1.0f / q.scale;
    const float lowest = (float)(q.min - q.zero_point), highest = (float)(q.max - q.zero_point);
    uint32_t count = rl_tensor_count(&input);
    if (output.dtype == RL_INT8) {
        int8_t *to = output.data;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (int8_t)quantize_one(from[i], inverse, lowest, highest, q.zero_point);
    } else {
        int16_t *to = output.data;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (int16_t)quantize_one(from[i], inverse, lowest, highest, q.zero_point);
    }
    return RL_OK;
}

enum rl_status rl_run_cm_dequantize_per_tensor(struct rl_call *call)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    struct quantization q = read_quantization(call, &input, INPUT);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK)
        return call->status;
    float *to = output.data;
    uint32_t count = rl_tensor_count(&input);
    if (input.dtype == RL_INT8) {
        const int8_t *from = input.data;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (float)(from[i] - q.zero_point) * q.scale;
    } else {
        const int16_t *from = input.data;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (float)(from[i] - q.zero_point) * q.scale;
    }
    return RL_OK;
}
