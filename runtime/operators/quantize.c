// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantize_per_tensor and cortex_m::dequantize_per_tensor, to and from int8 and int16.
#include "runtime/flow.h"
#include "runtime/operators/operator.h"
#include "rushlight/kernels/quantization.h"

enum { INPUT, SCALE, ZERO_POINT, QUANT_MIN, QUANT_MAX, DTYPE_ARGUMENT, OUTPUT };

// A call of either that was read.
struct conversion {
    const void *from;
    void *to;
    uint32_t count;
    bool wide;
    struct rl_quantization q;
};

static void read_quantization(struct rl_call *call, bool wide, struct rl_quantization *q)
{
    const int32_t lowest = wide ? INT16_MIN : INT8_MIN, highest = wide ? INT16_MAX : INT8_MAX;
    q->scale = rl_call_positive_float(call, SCALE);
    q->min = rl_bounded_int(call, QUANT_MIN, lowest, highest);
    q->max = rl_bounded_int(call, QUANT_MAX, q->min, highest);
    q->zero_point = rl_bounded_int(call, ZERO_POINT, lowest, highest);
}

// Reads a call, given which argument is the tensor of integers; NULL when it is refused.
static const struct conversion *read_conversion(struct rl_call *call, uint32_t integers, struct conversion *c)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    // Does not call rl_resize_like, which firmware without flow then does not link. Nearly all has these operators.
    if (call->slots) {
        call->method->flow->resize_output(call, OUTPUT, 0, input.rank, input.sizes);
    }
    rl_call_output(call, OUTPUT, &output);
    const enum rl_scalar_type dtype = (enum rl_scalar_type)rl_bounded_int(call, DTYPE_ARGUMENT, RL_INT8, RL_INT16);
    const bool from_integers = integers == INPUT;
    rl_expect_type(call, INPUT, &input, from_integers ? dtype : RL_FLOAT32, -1);
    rl_expect_type(call, OUTPUT, &output, from_integers ? RL_FLOAT32 : dtype, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    c->from = input.data;
    c->to = output.data;
    c->count = (from_integers ? output : input).bytes / (uint32_t)sizeof(float);
    c->wide = dtype == RL_INT16;
    read_quantization(call, c->wide, &c->q);
    return rl_call_keep(call, c, sizeof *c);
}

enum rl_status rl_run_cm_quantize_per_tensor(struct rl_call *call)
{
    struct conversion made;
    const struct conversion *c = call->kept ? call->kept : read_conversion(call, OUTPUT, &made);
    if (c) {
        rl_quantize_elements(c->from, c->count, &c->q, c->wide, c->to);
    }
    return call->status;
}

enum rl_status rl_run_cm_dequantize_per_tensor(struct rl_call *call)
{
    struct conversion made;
    const struct conversion *c = call->kept ? call->kept : read_conversion(call, INPUT, &made);
    if (c) {
        rl_dequantize_elements(c->from, c->wide, c->count, &c->q, c->to);
    }
    return call->status;
}
