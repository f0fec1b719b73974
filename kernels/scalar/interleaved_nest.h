// SPDX-License-Identifier: Apache-2.0
// Convolutions whose weights are brought into another order first, which pays on DSP cores alone.
#ifndef RL_KERNELS_SCALAR_INTERLEAVED_NEST_H
#define RL_KERNELS_SCALAR_INTERLEAVED_NEST_H

#include "convolution/convolution.h"

// See rl_convolution_run_interleaved.
static inline bool rl_interleaved_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                      struct rl_scratch scratch)
{
    (void)c;
    (void)input;
    (void)output;
    (void)scratch;
    return false;
}

#endif
