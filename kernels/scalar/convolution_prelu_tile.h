// SPDX-License-Identifier: Apache-2.0
// Convolutions with a PReLU behind.
#ifndef RL_KERNELS_SCALAR_CONVOLUTION_PRELU_TILE_H
#define RL_KERNELS_SCALAR_CONVOLUTION_PRELU_TILE_H

#include "scalar/convolution_prelu_rows.h"

static inline void rl_prelu_plain(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch)
{
    rl_prelu_plain_rows(c, input, output, scratch);
}

// Prepacked weights are spread. Not inlined, so that they are not on the stack of others.
static __attribute__((noinline)) void rl_prelu_prepacked(const struct rl_convolution *c, const int8_t *input,
                                                         int8_t *output, struct rl_scratch scratch)
{
    int8_t spread[RL_KEPT_SPREAD];
    rl_kept_sums_run(c, rl_prelu_rows, 1, spread, input, output, scratch);
}

#endif
