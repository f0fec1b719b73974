// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_winograd, also as _nhwc: a 3x3 convolution with transformed weights, which are int16 in
// filters of 4x4.
#include "runtime/operators/convolution_call.h"

enum { REST = 6 };

static void read_tensors(struct rl_call *call, const uint8_t *order, struct rl_convolution_call *c,
                         struct rl_convolution *layer)
{
    const uint32_t output = REST + RL_CONVOLUTION_OUTPUT;
    rl_call_image(call, RL_CONVOLUTION_INPUT, order, &c->input, &layer->input);
    rl_call_tensor(call, RL_CONVOLUTION_WEIGHT, &c->weights);
    rl_expect_type(call, RL_CONVOLUTION_WEIGHT, &c->weights, RL_INT16, 4);
    rl_read_image(call, RL_CONVOLUTION_WEIGHT, rl_order_contiguous, &c->weights, &c->filter);
    rl_call_output_image(call, output, order, &c->output, &layer->output);
    rl_expect_disjoint(call, output, &c->output, &c->input);
    rl_expect_disjoint(call, output, &c->output, &c->weights);
}

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_convolution_kept *
read_convolution(struct rl_call *call, const uint8_t *order, struct rl_convolution_kept *c)
{
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = RL_CONVOLUTION_WINOGRAD, .groups = 1};
    read_tensors(call, order, &read, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call,
              read.filter.n == layer->output.c && read.filter.h == 4 && read.filter.w == 4 &&
                  read.filter.c == layer->input.c,
              RL_CONVOLUTION_WEIGHT, "transformed weights are a filter of 4x4 for each pair of channels");
    read.filter.h = read.filter.w = 3;
    rl_read_window(call, REST, &read, layer);
    rl_read_convolution_numbers(call, REST, &read, layer);
    rl_expect(call, layer->bias, RL_CONVOLUTION_BIAS, "a tensor was expected here");
    layer->folded = layer->bias;
    layer->bias = NULL;
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, rl_convolution_prepare(layer) == RL_OK, RL_CONVOLUTION_WEIGHT,
              "transformed weights need a stride and a dilation of 1, and channels in multiples of eight and four");
    rl_expect(call, rl_convolution_scales_fit(layer), REST + RL_CONVOLUTION_SHIFTS,
              "transformed weights need shifts of -22 to -1, and biases of at most 2^28");
    return rl_keep_convolution(call, REST, &read, c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (c) {
        rl_convolution_winograd_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_winograd(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_conv2d_winograd_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}
