// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution. It pays on DSP cores, so others restore the weights.
#ifndef RL_KERNELS_SCALAR_WINOGRAD_TILE_H
#define RL_KERNELS_SCALAR_WINOGRAD_TILE_H

#include "convolution/spread.h"

// See rl_convolution_winograd_run.
static inline void rl_winograd_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                   struct rl_scratch scratch)
{
    rl_convolution_run_spread(c, input, output, scratch);
}

#endif
