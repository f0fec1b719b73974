// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)
#include RL_TILE(winograd_tile.h)

void rl_convolution_winograd_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    rl_winograd_run(layer, input, output, scratch);
}
