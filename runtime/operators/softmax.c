// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::softmax, rushlight::quantized_log_softmax and quantized_softmax_s16 over the last dimension.
#include "rushlight/kernels/softmax.h"
#include "runtime/operators/layer.h"

enum { INPUT, DIM };

// A call that was read.
struct softmax {
    const void *input; // of int8 or int16
    void *output;      // likewise
    bool is_wide;      // of int16
    struct rl_softmax layer;
};

struct log_softmax {
    const void *input;
    void *output;
    bool is_wide;
    struct rl_log_softmax layer;
};

// The arguments of the exponentials, multiplier, shift and diff_min from `first` on.
static void read_exponentials(struct rl_call *call, uint32_t first, struct rl_softmax *layer)
{
    enum { MULTIPLIER, SHIFT, DIFF_MIN };
    // The factor of differences to the maximum is not negative, and its shift is to the left.
    layer->scale.multiplier = rl_bounded_int(call, first + MULTIPLIER, 0, INT32_MAX);
    layer->scale.shift = rl_bounded_int(call, first + SHIFT, 0, 31);
    layer->diff_min = rl_bounded_int(call, first + DIFF_MIN, -INT32_MAX, 0);
}

// Reads the tensors and the sizes of the rows. They are not set if the call is refused.
static void read_rows(struct rl_call *call, uint32_t output_argument, enum rl_scalar_type dtype, const void **in,
                      void **out, struct rl_softmax *layer, bool *is_wide)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, output_argument, &output);
    *is_wide = dtype == RL_INT16 && output.dtype == RL_INT16;
    rl_expect_type(call, INPUT, &input, dtype, -1);
    rl_expect_type(call, output_argument, &output, *is_wide ? RL_INT16 : RL_INT8, -1);
    const int32_t dim = rl_call_int32(call, DIM);
    rl_expect(call, rl_same_layout(&input, &output), output_argument, "input and output differ in shape or layout");
    rl_expect_aligned(call, output_argument, &output, &input);
    rl_expect(call, input.rank > 0 && (dim == -1 || dim == input.rank - 1), DIM,
              "only the last dimension is supported");
    if (call->status != RL_OK) {
        return;
    }
    *in = input.data;
    *out = output.data;
    layer->row = input.sizes[input.rank - 1];
    layer->rows = input.bytes > 0 ? (int32_t)rl_tensor_count(&input) / layer->row : 0;
    rl_expect(call, layer->row <= 1 || rl_is_ordered(&input, rl_order_contiguous), INPUT, "a tensor is not contiguous");
}

static const struct softmax *read_softmax(struct rl_call *call, struct softmax *s)
{
    enum { INPUT_ZERO_POINT = 2, OUTPUT_ZERO_POINT, MULTIPLIER, OUTPUT = 7 };
    rl_call_zero_point(call, INPUT_ZERO_POINT);
    read_exponentials(call, MULTIPLIER, &s->layer);
    rl_expect(call, rl_call_zero_point(call, OUTPUT_ZERO_POINT) == INT8_MIN, OUTPUT_ZERO_POINT,
              "the output's zero point must be -128");
    read_rows(call, OUTPUT, RL_INT8, &s->input, &s->output, &s->layer, &s->is_wide);
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

static const struct softmax *read_softmax_s16(struct rl_call *call, struct softmax *s)
{
    enum { MULTIPLIER = 2, OUTPUT = 5 };
    read_exponentials(call, MULTIPLIER, &s->layer);
    read_rows(call, OUTPUT, RL_INT16, &s->input, &s->output, &s->layer, &s->is_wide);
    return rl_call_keep(call, s, sizeof *s);
}

enum rl_status rl_run_rl_quantized_softmax_s16(struct rl_call *call)
{
    struct softmax made;
    const struct softmax *s = call->kept ? call->kept : read_softmax_s16(call, &made);
    if (!s) {
        return call->status;
    }
    if (s->is_wide) {
        rl_softmax_wide_run(&s->layer, s->input, s->output);
    } else {
        rl_softmax_s16_s8_run(&s->layer, s->input, s->output);
    }
    return call->status;
}

static const struct log_softmax *read_log_softmax(struct rl_call *call, struct log_softmax *s)
{
    enum { INPUT_MULTIPLIER = 2, STEP = 5, FRACTION, LOG_MULTIPLIER, LOG_SHIFT, OUTPUT_ZERO_POINT, OUTPUT };
    struct rl_log_softmax *layer = &s->layer;
    read_exponentials(call, INPUT_MULTIPLIER, &layer->exponentials);
    layer->step = rl_bounded_int(call, STEP, 0, RL_LOG_SOFTMAX_MOST_STEP);
    layer->fraction = rl_bounded_int(call, FRACTION, 0, RL_LOG_SOFTMAX_MOST_FRACTION);
    layer->log_multiplier = rl_bounded_int(call, LOG_MULTIPLIER, 0, INT32_MAX);
    layer->log_shift = rl_bounded_int(call, LOG_SHIFT, 1, 62);
    layer->output_offset = rl_call_zero_point(call, OUTPUT_ZERO_POINT);
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    const bool is_wide = call->status == RL_OK && input.dtype == RL_INT16;
    read_rows(call, OUTPUT, is_wide ? RL_INT16 : RL_INT8, &s->input, &s->output, &layer->exponentials, &s->is_wide);
    rl_expect_by(call, RL_BY_TYPES, s->is_wide == is_wide, OUTPUT, "input and output differ in element type");
    return rl_call_keep(call, s, sizeof *s);
}

enum rl_status rl_run_rl_quantized_log_softmax(struct rl_call *call)
{
    struct log_softmax made;
    const struct log_softmax *s = call->kept ? call->kept : read_log_softmax(call, &made);
    if (!s) {
        return call->status;
    }
    if (s->is_wide) {
        rl_log_softmax_s16_run(&s->layer, s->input, s->output);
    } else {
        rl_log_softmax_run(&s->layer, s->input, s->output);
    }
    return call->status;
}
