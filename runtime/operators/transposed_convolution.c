// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_transpose_conv2d, also as _nhwc.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

enum {
    INPUT,
    WEIGHT,
    BIAS,
    STRIDE,
    PADDING,
    OUTPUT_PADDING,
    DILATION,
    INPUT_OFFSET,
    OUTPUT_OFFSET,
    MULTIPLIERS,
    SHIFTS,
    ACTIVATION_MIN,
    ACTIVATION_MAX,
    SCRATCH,
    OUTPUT_SCRATCH,
    OUTPUT
};

struct transposed {
    struct rl_tensor input, weight, output;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    cmsis_nn_transpose_conv_params params;
};

static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t extra,
                 int32_t output)
{
    int64_t expected = (int64_t)(input - 1) * stride - 2 * (int64_t)padding + kernel + extra;
    return input > 0 && kernel > 0 && expected == output;
}

static void read_tensors(struct rl_call *call, const uint8_t *order, struct transposed *t)
{
    rl_call_tensor(call, INPUT, &t->input);
    rl_call_tensor(call, WEIGHT, &t->weight);
    rl_call_output(call, OUTPUT, &t->output);
    rl_expect_image(call, INPUT, &t->input, order);
    rl_expect_image(call, OUTPUT, &t->output, order);
    rl_expect_type(call, WEIGHT, &t->weight, RL_INT8, 4);
    if (call->status != RL_OK)
        return;
    const int32_t *weight = t->weight.sizes; // output channels, rows, columns, input channels
    t->input_dims = rl_image_dims(&t->input, order);
    t->output_dims = rl_image_dims(&t->output, order);
    t->filter_dims = (cmsis_nn_dims){.n = weight[0], .h = weight[1], .w = weight[2], .c = weight[3]};
    rl_expect(call, rl_is_ordered(&t->weight, rl_order_nchw), WEIGHT, "the weights are not contiguous");
    rl_expect(call, weight[0] == t->output_dims.c && weight[3] == t->input_dims.c, WEIGHT,
              "the weights have another number of channels");
    rl_expect_apart(call, OUTPUT, &t->output, &t->input);
    rl_expect_apart(call, OUTPUT, &t->output, &t->weight);
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Kernels keep rows of sums as long and as many as a window spreads over, or patches of the input.
static void expect_moderate(struct rl_call *call, const struct transposed *t)
{
    const cmsis_nn_dims *filter = &t->filter_dims;
    const cmsis_nn_tile *stride = &t->params.stride;
    const int64_t rows[] = {4, (int64_t)t->input_dims.w + filter->w, larger(stride->w, stride->h),
                            t->output_dims.c, larger(filter->h, stride->h)};
    const int64_t patches[] = {4, filter->h, (int64_t)filter->w + 16, t->input_dims.c};
    rl_expect_work(call, WEIGHT, rows, 5);
    rl_expect_work(call, WEIGHT, patches, 4);
}

static void read_params(struct rl_call *call, struct transposed *t)
{
    cmsis_nn_transpose_conv_params *params = &t->params;
    params->input_offset = rl_call_input_offset(call, INPUT_OFFSET);
    params->output_offset = rl_call_zero_point(call, OUTPUT_OFFSET);
    params->stride = rl_call_tile(call, STRIDE, 1);
    params->padding = rl_call_tile(call, PADDING, 0);
    params->padding_offsets = rl_call_tile(call, OUTPUT_PADDING, 0);
    params->dilation = rl_call_tile(call, DILATION, 1);
    params->activation = rl_call_activation(call, ACTIVATION_MIN, ACTIVATION_MAX);
    rl_expect(call, params->dilation.h == 1 && params->dilation.w == 1, DILATION,
              "a dilation other than 1 is not supported");
    const cmsis_nn_dims *in = &t->input_dims, *filter = &t->filter_dims, *out = &t->output_dims;
    rl_expect(
        call,
        in->n == out->n &&
            fits(in->h, filter->h, params->stride.h, params->padding.h, params->padding_offsets.h, out->h) &&
            fits(in->w, filter->w, params->stride.w, params->padding.w, params->padding_offsets.w, out->w),
        OUTPUT, "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, t);
}

// A work space that no other tensor of the call may touch.
static cmsis_nn_context read_scratch(struct rl_call *call, uint32_t argument, const struct transposed *t)
{
    const cmsis_nn_context context = rl_call_scratch(call, argument, 0);
    const struct rl_tensor scratch = {.data = context.buf, .bytes = (uint32_t)context.size};
    rl_expect_apart(call, argument, &scratch, &t->input);
    rl_expect_apart(call, argument, &scratch, &t->output);
    return context;
}

static enum rl_status run_transposed(struct rl_call *call, const uint8_t *order)
{
    struct transposed t;
    read_tensors(call, order, &t);
    if (call->status == RL_OK)
        read_params(call, &t);
    if (call->status != RL_OK)
        return call->status;
    const int32_t *bias = rl_call_bias(call, BIAS, t.output_dims.c);
    const cmsis_nn_per_channel_quant_params scales =
        rl_call_channel_scales(call, MULTIPLIERS, SHIFTS, t.output_dims.c);
    const cmsis_nn_dims bias_dims = {.n = 1, .h = 1, .w = 1, .c = t.output_dims.c};
    const cmsis_nn_context context = read_scratch(call, SCRATCH, &t);
    const cmsis_nn_context reverse = read_scratch(call, OUTPUT_SCRATCH, &t);
    if (call->status != RL_OK)
        return call->status;
    return rl_kernel_result(call, arm_transpose_conv_wrapper_s8(&context, &reverse, &t.params, &scales,
                                                                &t.input_dims, t.input.data, &t.filter_dims,
                                                                t.weight.data, &bias_dims, bias,
                                                                &t.output_dims, t.output.data));
}

enum rl_status rl_run_cm_quantized_transpose_conv2d(struct rl_call *call)
{
    return run_transposed(call, rl_order_nhwc);
}

enum rl_status rl_run_cm_quantized_transpose_conv2d_nhwc(struct rl_call *call)
{
    return run_transposed(call, rl_order_nchw);
}
