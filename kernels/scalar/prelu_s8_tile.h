// SPDX-License-Identifier: Apache-2.0
// PReLU of int8 (rushlight/kernels/activation.h).
#ifndef RL_KERNELS_SCALAR_PRELU_S8_TILE_H
#define RL_KERNELS_SCALAR_PRELU_S8_TILE_H

#include "activation/prelu.h"

// `outer` values of each channel, the channels next to each other.
static inline void rl_prelu_columns(const struct rl_prelu *layer, const int8_t *input, int8_t *output)
{
    for (int32_t channel = 0; channel < layer->channels; channel++) {
        rl_prelu_walk(rl_prelu_loop_of(layer, channel), layer->outer, layer->channels, input + channel,
                      output + channel);
    }
}

// `inner` values of one channel.
static inline void rl_prelu_row(const struct rl_prelu *layer, int32_t channel, const int8_t *input, int8_t *output)
{
    rl_prelu_walk(rl_prelu_loop_of(layer, channel), layer->inner, 1, input, output);
}

#endif
