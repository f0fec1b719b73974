// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(convolution_prelu_tile.h)

void rl_convolution_prelu_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch)
{
    rl_prelu_plain(c, input, output, scratch);
}

void rl_convolution_prepacked_prelu_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                        struct rl_scratch scratch)
{
    rl_prelu_prepacked(c, input, output, scratch);
}
