// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with a channel multiplier by planes of single input channels, which pay on DSP cores alone.
#ifndef RL_KERNELS_SCALAR_SHARED_NEST_H
#define RL_KERNELS_SCALAR_SHARED_NEST_H

#include "depthwise/depthwise.h"

static inline bool rl_shared_layer(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                   struct rl_scratch scratch)
{
    (void)d;
    (void)input;
    (void)output;
    (void)scratch;
    return false;
}

#endif
