// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_conv2d, also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { WEIGHT = 1, REST = 6 };

// What a call becomes.
struct convolution {
    const int8_t *input, *weight;
    int8_t *output;
    const int32_t *bias;
    cmsis_nn_per_channel_quant_params scales;
    cmsis_nn_context context;
    cmsis_nn_dims input_dims, filter_dims, output_dims;
    cmsis_nn_conv_params params;
};

_Static_assert(sizeof(struct convolution) <= RL_KEPT_MOST, "more than requirements count with");

// Reads a call; NULL when it is refused.
static const struct convolution *read_convolution(struct rl_call *call, const uint8_t *order, struct convolution *made)
{
    struct rl_convolution_call c;
    struct rl_convolution layer;
    rl_read_convolution(call, REST, order, &c, &layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    const struct rl_image *in = &layer.input, *filter = &c.filter, *out = &layer.output;
    rl_expect(call, filter->n == out->c, WEIGHT, "the weights have another number of output channels");
    rl_expect(call, in->c > 0 && filter->c > 0 && in->c % filter->c == 0, WEIGHT,
              "the input's channels are no multiple of the weights'");
    rl_expect(call, call->status != RL_OK || out->c % (in->c / filter->c) == 0, WEIGHT,
              "the output's channels are no multiple of the groups");
    if (call->status != RL_OK) {
        return NULL;
    }
    *made = (struct convolution){
        .input = c.input.data,
        .weight = layer.weights,
        .output = c.output.data,
        .bias = layer.bias,
        .scales = {(int32_t *)(uintptr_t)layer.scales.multiplier, (int32_t *)(uintptr_t)layer.scales.shift},
        .input_dims = rl_cmsis_dims(layer.input),
        .filter_dims = rl_cmsis_dims(c.filter),
        .output_dims = rl_cmsis_dims(layer.output),
        .params = {.input_offset = layer.input_offset,
                   .output_offset = layer.output_offset,
                   .stride = {.w = layer.stride.w, .h = layer.stride.h},
                   .padding = {.w = layer.padding.w, .h = layer.padding.h},
                   .dilation = {.w = layer.dilation.w, .h = layer.dilation.h},
                   .activation = {layer.range.min, layer.range.max}}};
    // A kernel that announces scratch does with one patch.
    const int32_t announced = arm_convolve_wrapper_s8_get_buffer_size(&made->params, &made->input_dims,
                                                                      &made->filter_dims, &made->output_dims);
    const int32_t patch = filter->h * filter->w * filter->c;
    struct rl_scratch scratch;
    rl_call_scratch(call, REST + RL_CONVOLUTION_SCRATCH, announced < patch ? announced : patch, &c.input, &c.output,
                    &scratch);
    rl_call_spare(call, &scratch);
    made->context = rl_cmsis_context(scratch);
    return rl_call_keep(call, made, sizeof *made);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct convolution made;
    const struct convolution *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (!c) {
        return call->status;
    }
    return rl_kernel_result(call, arm_convolve_wrapper_s8(&c->context, &c->params, &c->scales, &c->input_dims, c->input,
                                                          &c->filter_dims, c->weight, &c->output_dims, c->bias,
                                                          &c->output_dims, c->output));
}

enum rl_status rl_run_cm_quantized_conv2d(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_conv2d_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}
