// SPDX-License-Identifier: Apache-2.0
#include "depthwise/multiplied.h"

// Not inlined, which keeps its variables off the stack of a run.
__attribute__((noinline)) void rl_depthwise_as_convolution(const struct rl_depthwise *d, struct rl_convolution *c)
{
    *c = (struct rl_convolution){
        .input = d->input,
        .output = d->output,
        .filter = d->filter,
        .stride = d->stride,
        .padding = d->padding,
        .dilation = d->dilation,
        .groups = d->input.c,
        .weights = d->weights,
        .bias = d->bias,
        .scales = d->scales,
        .input_offset = d->input_offset,
        .output_offset = d->output_offset,
        .range = d->range,
    };
}

void rl_depthwise_run_multiplied(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    struct rl_convolution c;
    rl_depthwise_as_convolution(d, &c);
    (void)rl_convolution_prepare_as(&c, RL_CONVOLUTION_TAPS_FIRST);
    rl_convolution_run(&c, input, output, scratch);
}
