// SPDX-License-Identifier: Apache-2.0
// The int8 depthwise convolution without its argument checks.
#ifndef RL_KERNELS_DEPTHWISE_DEPTHWISE_H
#define RL_KERNELS_DEPTHWISE_DEPTHWISE_H

#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_types.h"
#include "requantize.h"
#include "scratch.h"

// One depthwise convolution, its tensors and parameters gathered so that functions can pass it on.
struct rl_depthwise {
    const cmsis_nn_dw_conv_params *params; // ch_mult is taken from the field below
    const cmsis_nn_per_channel_quant_params *quant;
    const cmsis_nn_dims *input_dims;
    const int8_t *input;
    const cmsis_nn_dims *filter_dims;
    const int8_t *filter; // [kh][kw][channels]
    const int32_t *bias;  // may be NULL
    const cmsis_nn_dims *output_dims;
    int8_t *output;
    int32_t channel_multiplier; // output channel o reads input channel o / channel_multiplier
    int32_t channels;           // output channels
    struct rl_scratch work;     // may hold the blocks
};

static inline int8_t rl_depthwise_output(const struct rl_depthwise *d, int32_t channel, int32_t sum)
{
    const int32_t biased = sum + (d->bias ? d->bias[channel] : 0);
    const int32_t scaled = rl_requantize(biased, d->quant->multiplier[channel], d->quant->shift[channel]);
    return rl_output_s8(scaled, d->params->output_offset, d->params->activation.min, d->params->activation.max);
}

// Runs it; any kernel size, stride, padding, dilation and batch count.
void rl_depthwise_run(const struct rl_depthwise *d);

// The output channels [first, end), output by output: for what no block can do, or few outputs. `first` is a multiple
// of the multiplier.
void rl_depthwise_run_channels(const struct rl_depthwise *d, int32_t first, int32_t end);

#endif
