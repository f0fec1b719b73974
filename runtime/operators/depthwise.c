// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_depthwise_conv2d, and rushlight::quantized_depthwise_conv2d_single, which lacks the multiplier.
// Both also as _nhwc.
#include "runtime/operators/convolution_call.h"

enum { INPUT, WEIGHT, DEPTH_MULTIPLIER = 6, REST, SINGLE_REST = DEPTH_MULTIPLIER };

// Reads a call; NULL if it is refused. `rest` is the first argument of the rest. Not inlined, which keeps its tensors
// off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_depthwise_kept *
read_depthwise(struct rl_call *call, const uint8_t *order, uint32_t rest, struct rl_depthwise_kept *d)
{
    struct rl_convolution_call read;
    rl_read_convolution(call, rest, order, &read, &d->read);
    if (call->status != RL_OK) {
        return NULL;
    }
    const int32_t multiplier = rest == REST ? rl_bounded_int(call, DEPTH_MULTIPLIER, 1, INT32_MAX) : 1;
    const int32_t channels = d->read.output.c;
    rl_expect(call, d->read.input.n == 1 && read.filter.n == 1, INPUT, "only a batch of 1 is supported");
    rl_expect(call,
              read.filter.c == channels && (int64_t)d->read.input.c * multiplier == (int64_t)channels &&
                  rl_prepare_depthwise(d, RL_DEPTHWISE_S8, multiplier) == RL_OK,
              WEIGHT, "the channels of input, weights and output do not agree with the depth multiplier");
    rl_call_scratch(call, rest + RL_CONVOLUTION_SCRATCH, 0, &read.input, &read.output, &d->scratch);
    rl_call_spare(call, &d->scratch);
    d->input = read.input.data;
    d->output = read.output.data;
    return rl_call_keep(call, d, sizeof *d);
}

static enum rl_status run_depthwise(struct rl_call *call, const uint8_t *order)
{
    struct rl_depthwise_kept made;
    const struct rl_depthwise_kept *d = call->kept ? call->kept : read_depthwise(call, order, REST, &made);
    if (d) {
        rl_depthwise_run(&d->layer, d->input, d->output, d->scratch);
    }
    return call->status;
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d(struct rl_call *call)
{
    return run_depthwise(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_depthwise_conv2d_nhwc(struct rl_call *call)
{
    return run_depthwise(call, rl_order_contiguous);
}

static enum rl_status run_single(struct rl_call *call, const uint8_t *order)
{
    struct rl_depthwise_kept made;
    const struct rl_depthwise_kept *d = call->kept ? call->kept : read_depthwise(call, order, SINGLE_REST, &made);
    if (d) {
        rl_depthwise_single_run(&d->layer, d->input, d->output, d->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_depthwise_conv2d_single(struct rl_call *call)
{
    return run_single(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_depthwise_conv2d_single_nhwc(struct rl_call *call)
{
    return run_single(call, rl_order_contiguous);
}
