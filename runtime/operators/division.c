// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_div. It computes in float like the stock operator, because no integer kernel does it.
#include <math.h>

#include "runtime/operators/operator.h"

struct division {
    int32_t left_zero_point, right_zero_point, zero_point;
    float scale, lowest, highest;
};

// A divisor of zero gives zero. The limits apply in float: the quotient may be far outside of int32.
static int32_t divide(const struct division *d, int32_t left, int32_t right)
{
    int32_t numerator = left - d->left_zero_point, denominator = right - d->right_zero_point;
    // In integers: the assembler of gcc 12 takes the conditional conversion to float, vcvtne, for another instruction
    // of Helium.
    if (denominator == 0) {
        numerator = 0;
        denominator = 1;
    }
    float quotient = (float)numerator / (float)denominator;
    float scaled = roundf(quotient * d->scale) + (float)d->zero_point;
    scaled = scaled < d->highest ? scaled : d->highest;
    scaled = scaled > d->lowest ? scaled : d->lowest;
    return (int32_t)scaled;
}

enum rl_status rl_run_cm_quantized_div(struct rl_call *call)
{
    enum { LEFT, LEFT_ZERO_POINT, RIGHT, RIGHT_ZERO_POINT, ZERO_POINT, SCALE, OUTPUT };
    struct rl_tensor left, right, output;
    rl_call_tensor(call, LEFT, &left);
    rl_call_tensor(call, RIGHT, &right);
    rl_call_output(call, OUTPUT, &output);
    bool is_int8 = output.dtype == RL_INT8;
    rl_expect(call, is_int8 || output.dtype == RL_INT16, OUTPUT, "only int8 and int16 are supported");
    rl_expect(call, left.dtype == output.dtype && right.dtype == output.dtype, LEFT,
              "the tensors differ in element type");
    rl_expect(call, rl_same_layout(&left, &output) && rl_same_layout(&right, &output), OUTPUT,
              "the tensors differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &left);
    rl_expect_aligned(call, OUTPUT, &output, &right);
    int32_t lowest = is_int8 ? INT8_MIN : INT16_MIN, highest = is_int8 ? INT8_MAX : INT16_MAX;
    const struct division d = {.left_zero_point = rl_bounded_int(call, LEFT_ZERO_POINT, lowest, highest),
                               .right_zero_point = rl_bounded_int(call, RIGHT_ZERO_POINT, lowest, highest),
                               .zero_point = rl_bounded_int(call, ZERO_POINT, lowest, highest),
                               .scale = (float)rl_call_double(call, SCALE),
                               .lowest = (float)lowest,
                               .highest = (float)highest};
    if (!rl_call_ready(call)) {
        return call->status;
    }
    uint32_t count = rl_tensor_count(&output);
    if (is_int8) {
        const int8_t *from = left.data, *by = right.data;
        int8_t *to = output.data;
        for (uint32_t i = 0; i < count; i++) {
            to[i] = (int8_t)divide(&d, from[i], by[i]);
        }
    } else {
        const int16_t *from = left.data, *by = right.data;
        int16_t *to = output.data;
        for (uint32_t i = 0; i < count; i++) {
            to[i] = (int16_t)divide(&d, from[i], by[i]);
        }
    }
    return RL_OK;
}
