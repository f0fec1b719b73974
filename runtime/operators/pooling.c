// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_avg_pool2d and cortex_m::quantized_max_pool2d, also as _nhwc.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

enum { INPUT, KERNEL, STRIDE, PADDING };

// What a call of either becomes.
struct pooling {
    const int8_t *input;
    int8_t *output;
    cmsis_nn_context context;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    cmsis_nn_pool_params params;
};

struct tensors {
    struct rl_tensor input, output;
};

// PyTorch's rule: windows that would start in the padding behind the input are left out. All amounts are at most
// RL_MAX_WINDOW, so that nothing leaves 32 bits.
static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, bool ceil_mode, int32_t output)
{
    uint32_t padded = (uint32_t)input + 2 * (uint32_t)padding, step = (uint32_t)stride;
    if (padded < (uint32_t)kernel || padding > kernel / 2) {
        return false;
    }
    uint32_t room = padded - (uint32_t)kernel, expected = room / step + 1;
    if (ceil_mode && room % step != 0) {
        expected++;
    }
    if (ceil_mode && (expected - 1) * step >= (uint32_t)input + (uint32_t)padding) {
        expected--;
    }
    return expected == (uint32_t)output;
}

static void read_pooling(struct rl_call *call, uint32_t ceil_argument, uint32_t output_argument, const uint8_t *order,
                         struct tensors *t, struct pooling *p)
{
    const cmsis_nn_dims *in = &p->input_dims, *out = &p->output_dims;
    cmsis_nn_pool_params *params = &p->params;
    struct rl_image input = {0}, output = {0};
    rl_call_image(call, INPUT, order, &t->input, &input);
    rl_call_output_image(call, output_argument, order, &t->output, &output);
    p->input_dims = rl_cmsis_dims(input);
    p->output_dims = rl_cmsis_dims(output);
    rl_expect_apart(call, output_argument, &t->output, &t->input);
    cmsis_nn_tile kernel;
    rl_cmsis_tile(call, KERNEL, 1, &kernel);
    rl_cmsis_tile(call, STRIDE, 1, &params->stride);
    rl_cmsis_tile(call, PADDING, 0, &params->padding);
    const bool ceil_mode = rl_call_bool(call, ceil_argument);
    if (call->status != RL_OK) {
        return;
    }
    p->input = t->input.data;
    p->output = t->output.data;
    p->filter_dims = (cmsis_nn_dims){.n = 1, .h = kernel.h, .w = kernel.w, .c = 1};
    rl_expect(call,
              in->n == out->n && in->c == out->c &&
                  fits(in->h, kernel.h, params->stride.h, params->padding.h, ceil_mode, out->h) &&
                  fits(in->w, kernel.w, params->stride.w, params->padding.w, ceil_mode, out->w),
              output_argument, "the output's shape does not follow from input, kernel, stride and padding");
}

// Zero point, multiplier and shift are in the schema but not in the result: input and output share their scale.
static const struct pooling *read_average(struct rl_call *call, const uint8_t *order, struct pooling *p)
{
    enum { CEIL_MODE = 4, SCRATCH = 8, OUTPUT };
    struct tensors t;
    read_pooling(call, CEIL_MODE, OUTPUT, order, &t, p);
    p->params.activation = (cmsis_nn_activation){.min = INT8_MIN, .max = INT8_MAX};
    struct rl_scratch scratch;
    rl_call_scratch(call, SCRATCH, 0, &t.input, &t.output, &scratch);
    p->context = rl_cmsis_context(scratch);
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_average(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_average(call, order, &made);
    if (!p) {
        return call->status;
    }
    return rl_kernel_result(call, arm_avgpool_s8(&p->context, &p->params, &p->input_dims, p->input, &p->filter_dims,
                                                 &p->output_dims, p->output));
}

static const struct pooling *read_maximum(struct rl_call *call, const uint8_t *order, struct pooling *p)
{
    enum { DILATION = 4, CEIL_MODE, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, ACTIVATION_MIN, ACTIVATION_MAX, OUTPUT };
    struct tensors t;
    read_pooling(call, CEIL_MODE, OUTPUT, order, &t, p);
    cmsis_nn_tile dilation;
    rl_cmsis_tile(call, DILATION, 1, &dilation);
    rl_cmsis_activation(call, ACTIVATION_MIN, ACTIVATION_MAX, &p->params.activation);
    p->context = (cmsis_nn_context){.buf = NULL, .size = 0};
    rl_expect(call, dilation.h == 1 && dilation.w == 1, DILATION, "a dilation other than 1 is not supported");
    rl_expect(call, rl_call_zero_point(call, INPUT_ZERO_POINT) == rl_call_zero_point(call, OUTPUT_ZERO_POINT),
              OUTPUT_ZERO_POINT, "the zero points of input and output differ");
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_maximum(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_maximum(call, order, &made);
    if (!p) {
        return call->status;
    }
    return rl_kernel_result(call, arm_max_pool_s8(&p->context, &p->params, &p->input_dims, p->input, &p->filter_dims,
                                                  &p->output_dims, p->output));
}

enum rl_status rl_run_cm_quantized_avg_pool2d(struct rl_call *call)
{
    return run_average(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_avg_pool2d_nhwc(struct rl_call *call)
{
    return run_average(call, rl_order_contiguous);
}

enum rl_status rl_run_cm_quantized_max_pool2d(struct rl_call *call)
{
    return run_maximum(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_max_pool2d_nhwc(struct rl_call *call)
{
    return run_maximum(call, rl_order_contiguous);
}
