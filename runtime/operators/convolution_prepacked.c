// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_prepacked and rushlight::quantized_conv2d_pixel_prepacked, also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { REST = 6 };

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_convolution_kept *
read_convolution(struct rl_call *call, const uint8_t *order, struct rl_convolution_kept *c)
{
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = RL_CONVOLUTION_PREPACKED, .groups = 1};
    rl_read_convolution(call, REST, order, &read, layer);
    rl_expect(call, layer->bias, RL_CONVOLUTION_BIAS, "a tensor was expected here");
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, read.filter.n == layer->output.c && read.filter.c == layer->input.c, RL_CONVOLUTION_WEIGHT,
              "the weights have other numbers of channels; prepacked ones have one group");
    layer->folded = layer->bias;
    layer->bias = NULL;
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, rl_convolution_prepare(layer) == RL_OK, RL_CONVOLUTION_WEIGHT,
              "prepacked filters are a multiple of four, of 4 to 16384 weights");
    rl_expect(call, rl_convolution_scales_fit(layer), REST + RL_CONVOLUTION_SHIFTS,
              "prepacked weights need shifts of -22 to -1, and biases of at most 2^28");
    return rl_keep_convolution(call, REST, &read, c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (c) {
        rl_convolution_prepacked_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_prepacked(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_conv2d_prepacked_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}

// ---- one output position: checked in each run, so that the operators above do not grow

static enum rl_status run_pixel(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (!c) {
        return call->status;
    }
    rl_expect(call, rl_convolution_is_pixel(&c->layer), RL_CONVOLUTION_INPUT,
              "there are several output positions, or inputs that do not lie in a row");
    if (call->status == RL_OK) {
        rl_convolution_prepacked_pixel_run(&c->layer, c->input, c->output);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_pixel_prepacked(struct rl_call *call)
{
    return run_pixel(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_conv2d_pixel_prepacked_nhwc(struct rl_call *call)
{
    return run_pixel(call, rl_order_contiguous);
}
