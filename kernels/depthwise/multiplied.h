// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with a channel multiplier. The outputs of one input channel form a group: an ordinary
// convolution of an input with one channel. They run as such.
#ifndef RL_KERNELS_DEPTHWISE_MULTIPLIED_H
#define RL_KERNELS_DEPTHWISE_MULTIPLIED_H

#include "convolution/convolution.h"
#include "depthwise/depthwise.h"

// Whether a layer runs in this way. With a small multiplier, copying patches does not pay; a large filter does not fit.
static inline bool rl_depthwise_suits_multiplied(const struct rl_depthwise *d, bool has_mve)
{
    const int32_t fewest_channels = has_mve ? 2 : 4, most_taps = 128;
    const int32_t taps = d->filter.h * d->filter.w;
    return d->multiplier >= fewest_channels && taps >= 1 && taps <= most_taps;
}

// Fills in a convolution with a group for each input channel. The path is not set.
void rl_depthwise_as_convolution(const struct rl_depthwise *d, struct rl_convolution *c);

// Runs all channels of a layer for which rl_depthwise_suits_multiplied holds.
void rl_depthwise_run_multiplied(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch);

#endif
