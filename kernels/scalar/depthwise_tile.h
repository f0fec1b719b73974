// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, one channel of one output at a time. See depthwise/depthwise.h for the contract.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_TILE_H

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

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                                        int32_t count, int8_t *output)
{
    const int8_t *position = w->input;
    for (; count > 0; count--, position += w->output_step, output += d->channels) {
        const int8_t *input = position;
        for (int32_t channel = 0; channel < d->channels; input++) {
            for (int32_t i = d->channel_multiplier; i > 0; i--, channel++) {
                const int32_t sum = rl_depthwise_sum(w, input, w->filter + channel, d->params->input_offset);
                output[channel] = rl_depthwise_output(d, channel, sum);
            }
        }
    }
}

#endif
