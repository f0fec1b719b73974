// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_depthwise_conv2d, also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { INPUT, WEIGHT, DEPTH_MULTIPLIER = 6, REST };

// What a call becomes.
struct depthwise {
    const int8_t *input, *weight;
    int8_t *output;
    const int32_t *bias;
    cmsis_nn_per_channel_quant_params scales;
    cmsis_nn_context context;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    cmsis_nn_dw_conv_params params;
};

_Static_assert(sizeof(struct depthwise) <= RL_KEPT_MOST, "more than requirements count with");

// Reads a call; NULL when it is refused.
static const struct depthwise *read_depthwise(struct rl_call *call, const uint8_t *order, struct depthwise *d)
{
    struct rl_convolution_call c;
    struct rl_convolution layer;
    rl_read_convolution(call, REST, order, &c, &layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    const int32_t multiplier = rl_bounded_int(call, DEPTH_MULTIPLIER, 1, INT32_MAX);
    rl_expect(call, layer.input.n == 1 && c.filter.n == 1, INPUT, "only a batch of 1 is supported");
    rl_expect(call, c.filter.c == layer.output.c && (int64_t)layer.input.c * multiplier == (int64_t)layer.output.c,
              WEIGHT, "the channels of input, weights and output do not agree with the depth multiplier");
    struct rl_scratch scratch;
    rl_call_scratch(call, REST + RL_CONVOLUTION_SCRATCH, 0, &c.input, &c.output, &scratch);
    rl_call_spare(call, &scratch);
    *d = (struct depthwise){
        .input = c.input.data,
        .weight = layer.weights,
        .output = c.output.data,
        .bias = layer.bias,
        .scales = {(int32_t *)(uintptr_t)layer.scales.multiplier, (int32_t *)(uintptr_t)layer.scales.shift},
        .context = rl_cmsis_context(scratch),
        .input_dims = rl_cmsis_dims(layer.input),
        .filter_dims = rl_cmsis_dims(c.filter),
        .output_dims = rl_cmsis_dims(layer.output),
        .params = {.input_offset = layer.input_offset,
                   .output_offset = layer.output_offset,
                   .ch_mult = multiplier,
                   .stride = {.w = layer.stride.w, .h = layer.stride.h},
                   .padding = {.w = layer.padding.w, .h = layer.padding.h},
                   .dilation = {.w = layer.dilation.w, .h = layer.dilation.h},
                   .activation = {layer.range.min, layer.range.max}}};
    return rl_call_keep(call, d, sizeof *d);
}

static enum rl_status run_depthwise(struct rl_call *call, const uint8_t *order)
{
    struct depthwise made;
    const struct depthwise *d = call->kept ? call->kept : read_depthwise(call, order, &made);
    if (!d) {
        return call->status;
    }
    return rl_kernel_result(call, arm_depthwise_conv_wrapper_s8(&d->context, &d->params, &d->scales, &d->input_dims,
                                                                d->input, &d->filter_dims, d->weight, &d->output_dims,
                                                                d->bias, &d->output_dims, d->output));
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d(struct rl_call *call)
{
    return run_depthwise(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d_nhwc(struct rl_call *call)
{
    return run_depthwise(call, rl_order_contiguous);
}
