// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with a channel multiplier: the outputs of one input channel are an ordinary
// convolution of a one-channel input, a group, and run as such.
#ifndef RL_KERNELS_DEPTHWISE_MULTIPLIED_H
#define RL_KERNELS_DEPTHWISE_MULTIPLIED_H

#include "depthwise/depthwise.h"

// Runs all channels and returns true, or returns false and has done nothing: a small multiplier or a large
// filter.
bool rl_depthwise_run_multiplied(const struct rl_depthwise *d);

#endif
