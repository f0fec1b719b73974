// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_conv2d and cortex_m::quantized_depthwise_conv2d, also as _nhwc.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

// What both have in common.
struct convolution {
    struct rl_tensor input, weight, output;
    cmsis_nn_dims input_dims, filter_dims, output_dims, bias_dims;
    cmsis_nn_tile stride, padding, dilation;
};

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION };

// True when a dimension of the output is what the window makes of the input. At the far end the window may
// hang over by `spare` more than the padding: the kernels pad there as far as the output asks, and programs
// use it for padding that is uneven by one. All amounts are at most RL_MAX_WINDOW, so that nothing leaves 32
// bits.
static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t dilation,
                 int32_t spare, int32_t output)
{
    if (kernel < 1 || kernel > RL_MAX_WINDOW)
        return false;
    uint32_t span = (uint32_t)dilation * (uint32_t)(kernel - 1) + 1;
    uint32_t padded = (uint32_t)input + 2 * (uint32_t)padding;
    bool even = padded >= span && (padded - span) / (uint32_t)stride + 1 == (uint32_t)output;
    padded += (uint32_t)spare;
    return even || (padded >= span && (padded - span) / (uint32_t)stride + 1 == (uint32_t)output);
}

// Reads tensors and window. Weights are O, H, W, I in memory (depthwise: 1, H, W, O), as their logical sizes
// say.
static void read_convolution(struct rl_call *call, uint32_t output_argument, const uint8_t *order,
                             struct convolution *c)
{
    rl_call_tensor(call, INPUT, &c->input);
    rl_call_tensor(call, WEIGHT, &c->weight);
    rl_call_output(call, output_argument, &c->output);
    rl_expect_image(call, INPUT, &c->input, order);
    rl_expect_image(call, output_argument, &c->output, order);
    rl_expect_type(call, WEIGHT, &c->weight, RL_INT8, 4);
    c->stride = rl_call_tile(call, STRIDE, 1);
    c->padding = rl_call_tile(call, PADDING, 0);
    c->dilation = rl_call_tile(call, DILATION, 1);
    if (call->status != RL_OK)
        return;
    const int32_t *weight = c->weight.sizes;
    c->input_dims = rl_image_dims(&c->input, order);
    c->output_dims = rl_image_dims(&c->output, order);
    c->filter_dims = (cmsis_nn_dims){.n = weight[0], .h = weight[1], .w = weight[2], .c = weight[3]};
    c->bias_dims = (cmsis_nn_dims){.n = 1, .h = 1, .w = 1, .c = c->output_dims.c};
    rl_expect(call, rl_is_ordered(&c->weight, rl_order_nchw), WEIGHT, "the weights are not contiguous");
    const int32_t spare = weight[1] > 1 && weight[2] > 1;
    rl_expect(call,
              c->input_dims.n == c->output_dims.n &&
                  fits(c->input_dims.h, weight[1], c->stride.h, c->padding.h, c->dilation.h, spare,
                       c->output_dims.h) &&
                  fits(c->input_dims.w, weight[2], c->stride.w, c->padding.w, c->dilation.w, spare,
                       c->output_dims.w),
              output_argument, "the output's shape does not follow from input, weights, stride and padding");
    rl_expect_apart(call, output_argument, &c->output, &c->input);
    rl_expect_apart(call, output_argument, &c->output, &c->weight);
    // Kernels keep at most four patches of the input, rounded up to 16 bytes, or four of their rows with
    // padding.
    const int64_t patches[] = {4, weight[1], (int64_t)weight[2] + 2 * c->padding.w + 16, c->input_dims.c};
    rl_expect_work(call, WEIGHT, patches, 4);
}

// The work space must not be read or written through any other tensor.
static void expect_scratch_apart(struct rl_call *call, uint32_t argument, const cmsis_nn_context *context,
                                 const struct convolution *c)
{
    struct rl_tensor scratch = {.data = context->buf, .bytes = (uint32_t)context->size};
    rl_expect_apart(call, argument, &scratch, &c->input);
    rl_expect_apart(call, argument, &scratch, &c->output);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    enum {
        INPUT_OFFSET = 6,
        OUTPUT_OFFSET,
        MULTIPLIERS,
        SHIFTS,
        ACTIVATION_MIN,
        ACTIVATION_MAX,
        SCRATCH,
        OUTPUT
    };
    struct convolution c;
    read_convolution(call, OUTPUT, order, &c);
    if (call->status != RL_OK)
        return call->status;
    const cmsis_nn_conv_params params = {.input_offset = rl_call_input_offset(call, INPUT_OFFSET),
                                         .output_offset = rl_call_zero_point(call, OUTPUT_OFFSET),
                                         .stride = c.stride,
                                         .padding = c.padding,
                                         .dilation = c.dilation,
                                         .activation =
                                             rl_call_activation(call, ACTIVATION_MIN, ACTIVATION_MAX)};
    rl_expect(call, c.filter_dims.n == c.output_dims.c, WEIGHT,
              "the weights have another number of output channels");
    rl_expect(call, c.filter_dims.c > 0 && c.input_dims.c > 0 && c.input_dims.c % c.filter_dims.c == 0,
              WEIGHT, "the input's channels are no multiple of the weights'");
    rl_expect(call, call->status != RL_OK || c.output_dims.c % (c.input_dims.c / c.filter_dims.c) == 0,
              WEIGHT, "the output's channels are no multiple of the groups");
    const int32_t *bias = rl_call_bias(call, BIAS, c.output_dims.c);
    const cmsis_nn_per_channel_quant_params scales =
        rl_call_channel_scales(call, MULTIPLIERS, SHIFTS, c.output_dims.c);
    if (call->status != RL_OK)
        return call->status;
    const cmsis_nn_context context = rl_call_scratch(
        call, SCRATCH,
        arm_convolve_wrapper_s8_get_buffer_size(&params, &c.input_dims, &c.filter_dims, &c.output_dims));
    expect_scratch_apart(call, SCRATCH, &context, &c);
    if (call->status != RL_OK)
        return call->status;
    return rl_kernel_result(call, arm_convolve_wrapper_s8(&context, &params, &scales, &c.input_dims,
                                                          c.input.data, &c.filter_dims, c.weight.data,
                                                          &c.bias_dims, bias, &c.output_dims, c.output.data));
}

static enum rl_status run_depthwise(struct rl_call *call, const uint8_t *order)
{
    enum {
        DEPTH_MULTIPLIER = 6,
        INPUT_OFFSET,
        OUTPUT_OFFSET,
        MULTIPLIERS,
        SHIFTS,
        ACTIVATION_MIN,
        ACTIVATION_MAX,
        SCRATCH,
        OUTPUT
    };
    struct convolution c;
    read_convolution(call, OUTPUT, order, &c);
    if (call->status != RL_OK)
        return call->status;
    const cmsis_nn_dw_conv_params params = {.input_offset = rl_call_input_offset(call, INPUT_OFFSET),
                                            .output_offset = rl_call_zero_point(call, OUTPUT_OFFSET),
                                            .ch_mult = rl_bounded_int(call, DEPTH_MULTIPLIER, 1, INT32_MAX),
                                            .stride = c.stride,
                                            .padding = c.padding,
                                            .dilation = c.dilation,
                                            .activation =
                                                rl_call_activation(call, ACTIVATION_MIN, ACTIVATION_MAX)};
    rl_expect(call, c.input_dims.n == 1 && c.filter_dims.n == 1, INPUT, "only a batch of 1 is supported");
    rl_expect(call,
              c.filter_dims.c == c.output_dims.c &&
                  (int64_t)c.input_dims.c * params.ch_mult == (int64_t)c.output_dims.c,
              WEIGHT, "the channels of input, weights and output do not agree with the depth multiplier");
    // And, on Helium, blocks of 124 channels of four patches, or a copy of the weights beside the patches.
    const int64_t blocks[] = {4 * 124, c.filter_dims.h, c.filter_dims.w};
    const int64_t copies[] = {8, c.filter_dims.h, (int64_t)c.filter_dims.w + 2 * c.padding.w + 16,
                              c.filter_dims.c};
    rl_expect_work(call, WEIGHT, blocks, 3);
    rl_expect_work(call, WEIGHT, copies, 4);
    const int32_t *bias = rl_call_bias(call, BIAS, c.output_dims.c);
    const cmsis_nn_per_channel_quant_params scales =
        rl_call_channel_scales(call, MULTIPLIERS, SHIFTS, c.output_dims.c);
    if (call->status != RL_OK)
        return call->status;
    const cmsis_nn_context context =
        rl_call_scratch(call, SCRATCH,
                        arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &c.input_dims, &c.filter_dims,
                                                                      &c.output_dims));
    expect_scratch_apart(call, SCRATCH, &context, &c);
    if (call->status != RL_OK)
        return call->status;
    return rl_kernel_result(call, arm_depthwise_conv_wrapper_s8(
                                      &context, &params, &scales, &c.input_dims, c.input.data, &c.filter_dims,
                                      c.weight.data, &c.bias_dims, bias, &c.output_dims, c.output.data));
}

enum rl_status rl_run_cm_quantized_conv2d(struct rl_call *call)
{
    return run_convolution(call, rl_order_nhwc);
}

enum rl_status rl_run_cm_quantized_conv2d_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_nchw);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d(struct rl_call *call)
{
    return run_depthwise(call, rl_order_nhwc);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d_nhwc(struct rl_call *call)
{
    return run_depthwise(call, rl_order_nchw);
}
