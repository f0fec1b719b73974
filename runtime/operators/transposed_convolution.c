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

// What a call becomes.
struct transposed {
    const int8_t *input, *weight;
    int8_t *output;
    const int32_t *bias;
    cmsis_nn_per_channel_quant_params scales;
    cmsis_nn_context context, reverse;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    cmsis_nn_transpose_conv_params params;
};

_Static_assert(sizeof(struct transposed) <= RL_KEPT_MOST, "more than requirements count with");

struct tensors {
    struct rl_tensor input, weight, output;
};

static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t extra, int32_t output)
{
    int64_t expected = (int64_t)(input - 1) * stride - 2 * (int64_t)padding + kernel + extra;
    return input > 0 && kernel > 0 && expected == output;
}

// Weights are output channels, rows, columns, input channels in memory, as their logical sizes say.
static void read_tensors(struct rl_call *call, const uint8_t *order, struct tensors *tensors, struct transposed *t)
{
    struct rl_image input = {0}, filter = {0}, output = {0};
    rl_call_image(call, INPUT, order, &tensors->input, &input);
    rl_call_image(call, WEIGHT, rl_order_contiguous, &tensors->weight, &filter);
    rl_call_output_image(call, OUTPUT, order, &tensors->output, &output);
    t->input_dims = rl_cmsis_dims(input);
    t->filter_dims = rl_cmsis_dims(filter);
    t->output_dims = rl_cmsis_dims(output);
    rl_expect_apart(call, OUTPUT, &tensors->output, &tensors->input);
    rl_expect_apart(call, OUTPUT, &tensors->output, &tensors->weight);
    if (call->status != RL_OK) {
        return;
    }
    t->input = tensors->input.data;
    t->weight = tensors->weight.data;
    t->output = tensors->output.data;
    rl_expect(call, t->filter_dims.n == t->output_dims.c && t->filter_dims.c == t->input_dims.c, WEIGHT,
              "the weights have another number of channels");
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
    const int64_t rows = (int64_t)larger(stride->w, stride->h) * larger(filter->h, stride->h);
    rl_expect_work(call, WEIGHT, rows < INT32_MAX ? (uint32_t)rows : INT32_MAX,
                   (uint32_t)t->input_dims.w + (uint32_t)filter->w, (uint32_t)t->output_dims.c);
    rl_expect_work(call, WEIGHT, (uint32_t)filter->h, (uint32_t)filter->w + 16, (uint32_t)t->input_dims.c);
}

static void read_params(struct rl_call *call, struct transposed *t)
{
    cmsis_nn_transpose_conv_params *params = &t->params;
    params->input_offset = rl_call_input_offset(call, INPUT_OFFSET);
    params->output_offset = rl_call_zero_point(call, OUTPUT_OFFSET);
    rl_cmsis_tile(call, STRIDE, 1, &params->stride);
    rl_cmsis_tile(call, PADDING, 0, &params->padding);
    rl_cmsis_tile(call, OUTPUT_PADDING, 0, &params->padding_offsets);
    rl_cmsis_tile(call, DILATION, 1, &params->dilation);
    rl_cmsis_activation(call, ACTIVATION_MIN, ACTIVATION_MAX, &params->activation);
    rl_expect(call, params->dilation.h == 1 && params->dilation.w == 1, DILATION,
              "a dilation other than 1 is not supported");
    const cmsis_nn_dims *in = &t->input_dims, *filter = &t->filter_dims, *out = &t->output_dims;
    rl_expect(call,
              in->n == out->n &&
                  fits(in->h, filter->h, params->stride.h, params->padding.h, params->padding_offsets.h, out->h) &&
                  fits(in->w, filter->w, params->stride.w, params->padding.w, params->padding_offsets.w, out->w),
              OUTPUT, "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, t);
}

// Reads a call; NULL when it is refused.
static const struct transposed *read_transposed(struct rl_call *call, const uint8_t *order, struct transposed *t)
{
    struct tensors tensors;
    read_tensors(call, order, &tensors, t);
    if (call->status == RL_OK) {
        read_params(call, t);
    }
    if (call->status != RL_OK) {
        return NULL;
    }
    struct rl_scales scales;
    rl_call_scales(call, MULTIPLIERS, t->output_dims.c, &scales);
    t->scales = (cmsis_nn_per_channel_quant_params){(int32_t *)(uintptr_t)scales.multiplier,
                                                    (int32_t *)(uintptr_t)scales.shift};
    t->bias = rl_call_bias(call, BIAS, t->output_dims.c);
    struct rl_scratch scratch;
    rl_call_scratch(call, SCRATCH, 0, &tensors.input, &tensors.output, &scratch);
    t->context = rl_cmsis_context(scratch);
    rl_call_scratch(call, OUTPUT_SCRATCH, 0, &tensors.input, &tensors.output, &scratch);
    t->reverse = rl_cmsis_context(scratch);
    return rl_call_keep(call, t, sizeof *t);
}

static enum rl_status run_transposed(struct rl_call *call, const uint8_t *order)
{
    struct transposed made;
    const struct transposed *t = call->kept ? call->kept : read_transposed(call, order, &made);
    if (!t) {
        return call->status;
    }
    return rl_kernel_result(call, arm_transpose_conv_wrapper_s8(&t->context, &t->reverse, &t->params, &t->scales,
                                                                &t->input_dims, t->input, &t->filter_dims, t->weight,
                                                                &t->output_dims, t->bias, &t->output_dims, t->output));
}

enum rl_status rl_run_cm_quantized_transpose_conv2d(struct rl_call *call)
{
    return run_transposed(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_transpose_conv2d_nhwc(struct rl_call *call)
{
    return run_transposed(call, rl_order_contiguous);
}
