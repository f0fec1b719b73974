// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(interleaved_nest.h)
#include RL_TILE(prepacked_tile.h)
#include RL_TILE(turned_nest.h)

void rl_convolution_prepacked_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch)
{
    rl_prepacked_run(layer, input, output, scratch);
}

void rl_convolution_prepacked_whole_run(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                        struct rl_scratch scratch)
{
    rl_prepacked_whole_run(layer, input, output, scratch);
}

bool rl_convolution_run_interleaved(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                    struct rl_scratch scratch)
{
    return rl_interleaved_run(layer, input, output, scratch);
}

bool rl_convolution_run_turned(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    return rl_turned_run(layer, input, output, scratch);
}
