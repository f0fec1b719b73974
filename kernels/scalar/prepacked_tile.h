// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with prepacked weights. Their order suits DSP cores, so others spread the weights.
#ifndef RL_KERNELS_SCALAR_PREPACKED_TILE_H
#define RL_KERNELS_SCALAR_PREPACKED_TILE_H

#include "convolution/spread.h"

// See rl_convolution_prepacked_run.
static inline void rl_prepacked_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                    struct rl_scratch scratch)
{
    rl_convolution_run_spread(c, input, output, scratch);
}

// See rl_convolution_prepacked_whole_run.
static inline void rl_prepacked_whole_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                          struct rl_scratch scratch)
{
    rl_prepacked_run(c, input, output, scratch);
}

#endif
