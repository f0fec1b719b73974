// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::softmax over the last dimension.
#include "rushlight/kernels/softmax.h"
#include "runtime/operators/layer.h"

struct softmax {
    const int8_t *input;
    int8_t *output;
    struct rl_softmax layer;
};

// Reads a call; NULL when it is refused.
static const struct softmax *read_softmax(struct rl_call *call, struct softmax *s)
{
    enum { INPUT, DIM, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, MULTIPLIER, SHIFT, DIFF_MIN, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    int32_t dim = rl_call_int32(call, DIM);
    rl_call_zero_point(call, INPUT_ZERO_POINT);
    // The factor of differences to the maximum is not negative, and its shift is to the left.
    s->layer.scale.multiplier = rl_bounded_int(call, MULTIPLIER, 0, INT32_MAX);
    s->layer.scale.shift = rl_bounded_int(call, SHIFT, 0, 31);
    s->layer.diff_min = rl_bounded_int(call, DIFF_MIN, -INT32_MAX, 0);
    rl_expect(call, rl_call_zero_point(call, OUTPUT_ZERO_POINT) == INT8_MIN, OUTPUT_ZERO_POINT,
              "the output's zero point must be -128");
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    rl_expect(call, input.rank > 0 && (dim == -1 || dim == input.rank - 1), DIM,
              "only the last dimension is supported");
    if (call->status != RL_OK) {
        return NULL;
    }
    s->input = input.data;
    s->output = output.data;
    s->layer.row = input.sizes[input.rank - 1];
    s->layer.rows = input.bytes > 0 ? (int32_t)input.bytes / s->layer.row : 0;
    rl_expect(call, s->layer.row <= 1 || rl_is_ordered(&input, rl_order_contiguous), INPUT,
              "a tensor is not contiguous");
    return rl_call_keep(call, s, sizeof *s);
}

enum rl_status rl_run_cm_softmax(struct rl_call *call)
{
    struct softmax made;
    const struct softmax *s = call->kept ? call->kept : read_softmax(call, &made);
    if (s) {
        rl_softmax_run(&s->layer, s->input, s->output);
    }
    return call->status;
}
