// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_conv2d, also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { REST = 6 };

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_convolution_kept *
read_convolution(struct rl_call *call, const uint8_t *order, struct rl_convolution_kept *c)
{
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = RL_CONVOLUTION_S8};
    rl_read_convolution(call, REST, order, &read, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    const struct rl_image *in = &layer->input, *filter = &read.filter, *out = &layer->output;
    rl_expect(call, filter->n == out->c, RL_CONVOLUTION_WEIGHT, "the weights have another number of output channels");
    rl_expect(call, in->c > 0 && filter->c > 0 && in->c % filter->c == 0, RL_CONVOLUTION_WEIGHT,
              "the input's channels are not a multiple of the weights'");
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->groups = in->c / filter->c;
    rl_expect(call, rl_convolution_prepare(layer) == RL_OK, RL_CONVOLUTION_WEIGHT,
              "the output's channels are not a multiple of the groups");
    return rl_keep_convolution(call, REST, &read, c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, &made);
    if (c) {
        rl_convolution_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_cm_quantized_conv2d(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_conv2d_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}
