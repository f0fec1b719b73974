// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_conv2d, also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { WEIGHT = 1, REST = 6 };

// A call that was read.
struct convolution {
    struct rl_convolution layer;
    const int8_t *input;
    int8_t *output;
    struct rl_scratch scratch;
};

_Static_assert(sizeof(struct convolution) <= RL_KEPT_MOST, "more than requirements count with");

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct convolution *read_convolution(struct rl_call *call, const uint8_t *order,
                                                                            struct convolution *c)
{
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = RL_CONVOLUTION_S8};
    rl_read_convolution(call, REST, order, &read, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    const struct rl_image *in = &layer->input, *filter = &read.filter, *out = &layer->output;
    rl_expect(call, filter->n == out->c, WEIGHT, "the weights have another number of output channels");
    rl_expect(call, in->c > 0 && filter->c > 0 && in->c % filter->c == 0, WEIGHT,
              "the input's channels are not a multiple of the weights'");
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->groups = in->c / filter->c;
    rl_expect(call, rl_convolution_prepare(layer) == RL_OK, WEIGHT,
              "the output's channels are not a multiple of the groups");
    rl_call_scratch(call, REST + RL_CONVOLUTION_SCRATCH, layer->least_scratch, &read.input, &read.output, &c->scratch);
    rl_call_spare(call, &c->scratch);
    c->input = read.input.data;
    c->output = read.output.data;
    return rl_call_keep(call, c, sizeof *c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct convolution made;
    const struct convolution *c = call->kept ? call->kept : read_convolution(call, order, &made);
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
