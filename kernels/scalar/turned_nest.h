// SPDX-License-Identifier: Apache-2.0
// Convolutions of few channels whose filters and inputs change places, which pays on DSP cores alone.
#ifndef RL_KERNELS_SCALAR_TURNED_NEST_H
#define RL_KERNELS_SCALAR_TURNED_NEST_H

#include "convolution/convolution.h"

// See rl_convolution_run_turned.
static inline bool rl_turned_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    (void)c;
    (void)input;
    (void)output;
    (void)scratch;
    return false;
}

#endif
