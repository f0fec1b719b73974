// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 with int16 results whose filters and inputs change places, which pays on DSP cores alone.
#ifndef RL_KERNELS_SCALAR_LINES_S16_NEST_H
#define RL_KERNELS_SCALAR_LINES_S16_NEST_H

#include "convolution/convolution.h"

// Runs the layer if it is one for which this pays and the scratch has room for it; else returns false and does nothing.
static inline bool rl_lines_s16_run(const struct rl_convolution *c, const int8_t *input, int16_t *output,
                                    struct rl_scratch scratch)
{
    (void)c;
    (void)input;
    (void)output;
    (void)scratch;
    return false;
}

#endif
