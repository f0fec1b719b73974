// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_conv2d and cortex_m::quantized_depthwise_conv2d, also as _nhwc.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

// What a call of either becomes.
struct convolution {
    const int8_t *input, *weight;
    int8_t *output;
    const int32_t *bias;
    cmsis_nn_per_channel_quant_params scales;
    cmsis_nn_context context;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    union {
        cmsis_nn_conv_params plain;
        cmsis_nn_dw_conv_params depthwise;
    } params;
};

_Static_assert(sizeof(struct convolution) <= RL_KEPT_MOST, "more than requirements count with");

struct tensors {
    struct rl_tensor input, weight, output;
};

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, DEPTH_MULTIPLIER };

// Arguments that follow, from the first of them on.
enum {
    INPUT_OFFSET,
    OUTPUT_OFFSET,
    MULTIPLIERS,
    SHIFTS,
    ACTIVATION_MIN,
    ACTIVATION_MAX,
    SCRATCH,
    OUTPUT,
    FIRST = DILATION + 1,
    FIRST_DEPTHWISE
};

// True when a dimension of the output is what the window makes of the input. At the far end the window may hang over by
// `spare` more than the padding: the kernels pad there as far as the output asks, and programs use it for padding that
// is uneven by one. All amounts are at most RL_MAX_WINDOW, so that nothing leaves 32 bits.
static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t dilation, int32_t spare,
                 int32_t output)
{
    if (kernel < 1 || kernel > RL_MAX_WINDOW) {
        return false;
    }
    uint32_t span = (uint32_t)dilation * (uint32_t)(kernel - 1) + 1;
    uint32_t padded = (uint32_t)input + 2 * (uint32_t)padding;
    bool even = padded >= span && (padded - span) / (uint32_t)stride + 1 == (uint32_t)output;
    padded += (uint32_t)spare;
    return even || (padded >= span && (padded - span) / (uint32_t)stride + 1 == (uint32_t)output);
}

// Weights are O, H, W, I in memory (depthwise: 1, H, W, O), as their logical sizes say.
static void read_tensors(struct rl_call *call, uint32_t output_argument, const uint8_t *order, struct tensors *t,
                         struct convolution *c)
{
    rl_call_image(call, INPUT, order, &t->input, &c->input_dims);
    rl_call_image(call, WEIGHT, rl_order_contiguous, &t->weight, &c->filter_dims);
    rl_call_output_image(call, output_argument, order, &t->output, &c->output_dims);
    rl_expect_apart(call, output_argument, &t->output, &t->input);
    rl_expect_apart(call, output_argument, &t->output, &t->weight);
    c->input = t->input.data;
    c->weight = t->weight.data;
    c->output = t->output.data;
}

// Kernels keep at most four patches of the input, rounded up to 16 bytes, or four of their rows with padding; depthwise
// ones on Helium a copy of the weights beside them, or blocks of 124 channels.
static void expect_moderate(struct rl_call *call, const struct convolution *c, int32_t padding)
{
    const cmsis_nn_dims *filter = &c->filter_dims;
    rl_expect_work(call, WEIGHT, (uint32_t)filter->h, (uint32_t)filter->w + 2 * (uint32_t)padding + 16,
                   (uint32_t)(c->input_dims.c | filter->c | 63)); // no less than each of them
}

// Reads all that a call of either has, the parameters as those of a plain convolution.
static void read_numbers(struct rl_call *call, uint32_t first, struct convolution *c, cmsis_nn_conv_params *params)
{
    const cmsis_nn_dims *in = &c->input_dims, *filter = &c->filter_dims, *out = &c->output_dims;
    rl_call_tile(call, STRIDE, 1, &params->stride);
    rl_call_tile(call, PADDING, 0, &params->padding);
    rl_call_tile(call, DILATION, 1, &params->dilation);
    params->input_offset = rl_call_input_offset(call, first + INPUT_OFFSET);
    params->output_offset = rl_call_zero_point(call, first + OUTPUT_OFFSET);
    rl_call_activation(call, first + ACTIVATION_MIN, first + ACTIVATION_MAX, &params->activation);
    const int32_t spare = filter->h > 1 && filter->w > 1;
    rl_expect(call,
              in->n == out->n &&
                  fits(in->h, filter->h, params->stride.h, params->padding.h, params->dilation.h, spare, out->h) &&
                  fits(in->w, filter->w, params->stride.w, params->padding.w, params->dilation.w, spare, out->w),
              first + OUTPUT, "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, c, params->padding.w);
    rl_call_channel_scales(call, first + MULTIPLIERS, out->c, &c->scales);
    c->bias = rl_call_bias(call, BIAS, out->c);
}

// Reads a call; NULL when it is refused.
static const struct convolution *read_convolution(struct rl_call *call, const uint8_t *order, struct convolution *c)
{
    const cmsis_nn_dims *in = &c->input_dims, *filter = &c->filter_dims, *out = &c->output_dims;
    struct tensors t;
    read_tensors(call, FIRST + OUTPUT, order, &t, c);
    if (call->status != RL_OK) {
        return NULL;
    }
    read_numbers(call, FIRST, c, &c->params.plain);
    rl_expect(call, filter->n == out->c, WEIGHT, "the weights have another number of output channels");
    rl_expect(call, in->c > 0 && filter->c > 0 && in->c % filter->c == 0, WEIGHT,
              "the input's channels are no multiple of the weights'");
    rl_expect(call, call->status != RL_OK || out->c % (in->c / filter->c) == 0, WEIGHT,
              "the output's channels are no multiple of the groups");
    if (call->status != RL_OK) {
        return NULL;
    }
    // A kernel that announces scratch does with one patch.
    const int32_t announced = arm_convolve_wrapper_s8_get_buffer_size(&c->params.plain, in, filter, out);
    const int32_t patch = filter->h * filter->w * filter->c;
    rl_call_scratch(call, FIRST + SCRATCH, announced < patch ? announced : patch, &t.input, &t.output, &c->context);
    rl_call_spare(call, &c->context);
    return rl_call_keep(call, c, sizeof *c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct convolution made;
    const struct convolution *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (!c) {
        return call->status;
    }
    return rl_kernel_result(call, arm_convolve_wrapper_s8(&c->context, &c->params.plain, &c->scales, &c->input_dims,
                                                          c->input, &c->filter_dims, c->weight, &c->output_dims,
                                                          c->bias, &c->output_dims, c->output));
}

static const struct convolution *read_depthwise(struct rl_call *call, const uint8_t *order, struct convolution *c)
{
    const cmsis_nn_dims *in = &c->input_dims, *filter = &c->filter_dims, *out = &c->output_dims;
    struct tensors t;
    read_tensors(call, FIRST_DEPTHWISE + OUTPUT, order, &t, c);
    if (call->status != RL_OK) {
        return NULL;
    }
    cmsis_nn_conv_params plain;
    read_numbers(call, FIRST_DEPTHWISE, c, &plain);
    c->params.depthwise = (cmsis_nn_dw_conv_params){.input_offset = plain.input_offset,
                                                    .output_offset = plain.output_offset,
                                                    .ch_mult = rl_bounded_int(call, DEPTH_MULTIPLIER, 1, INT32_MAX),
                                                    .stride = plain.stride,
                                                    .padding = plain.padding,
                                                    .dilation = plain.dilation,
                                                    .activation = plain.activation};
    rl_expect(call, in->n == 1 && filter->n == 1, INPUT, "only a batch of 1 is supported");
    rl_expect(call, filter->c == out->c && (int64_t)in->c * c->params.depthwise.ch_mult == (int64_t)out->c, WEIGHT,
              "the channels of input, weights and output do not agree with the depth multiplier");
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_call_scratch(call, FIRST_DEPTHWISE + SCRATCH, 0, &t.input, &t.output, &c->context);
    rl_call_spare(call, &c->context);
    return rl_call_keep(call, c, sizeof *c);
}

static enum rl_status run_depthwise(struct rl_call *call, const uint8_t *order)
{
    struct convolution made;
    const struct convolution *c = call->kept ? call->kept : read_depthwise(call, order, &made);
    if (!c) {
        return call->status;
    }
    return rl_kernel_result(call, arm_depthwise_conv_wrapper_s8(&c->context, &c->params.depthwise, &c->scales,
                                                                &c->input_dims, c->input, &c->filter_dims, c->weight,
                                                                &c->output_dims, c->bias, &c->output_dims, c->output));
}

enum rl_status rl_run_cm_quantized_conv2d(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_conv2d_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d(struct rl_call *call)
{
    return run_depthwise(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d_nhwc(struct rl_call *call)
{
    return run_depthwise(call, rl_order_contiguous);
}
