// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution one channel of one output at a time, in portable C: the whole tile on scalar cores,
// the cases of odd channel multipliers on the others. See depthwise/depthwise.h for the contract.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_CHANNEL_H
#define RL_KERNELS_SCALAR_DEPTHWISE_CHANNEL_H

#include "depthwise/depthwise.h"

static inline int32_t rl_depthwise_sum(const struct rl_depthwise_window *w, const int8_t *input,
                                       const int8_t *filter, int32_t input_offset)
{
    int32_t sum = 0;
    for (int32_t row = 0; row < w->rows; row++) {
        const int8_t *x = input;
        const int8_t *k = filter;
        for (int32_t column = w->columns; column > 0; column--) {
            sum += (*x + input_offset) * *k;
            x += w->input_column;
            k += w->filter_column;
        }
        input += w->input_row;
        filter += w->filter_row;
    }
    return sum;
}

// The outputs of the channels from `first` on.
static inline void rl_depthwise_channels(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                                         int32_t first, int32_t count, int8_t *output)
{
    for (int32_t channel = first; channel < d->channels; channel++) {
        const int8_t *input = w->input + channel / d->channel_multiplier;
        int8_t *out = output + channel;
        for (int32_t i = count; i > 0; i--, input += w->output_step, out += d->channels) {
            const int32_t sum = rl_depthwise_sum(w, input, w->filter + channel, d->params->input_offset);
            *out = rl_depthwise_output(d, channel, sum);
        }
    }
}

#endif
