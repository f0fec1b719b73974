// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(prelu_s8_tile.h)

void rl_prelu_run(const struct rl_prelu *layer, const int8_t *input, int8_t *output)
{
    if (layer->inner == 1) {
        rl_prelu_columns(layer, input, output);
        return;
    }
    for (int32_t outer = 0; outer < layer->outer; outer++) {
        for (int32_t channel = 0; channel < layer->channels; channel++) {
            rl_prelu_row(layer, channel, input, output);
            input += layer->inner;
            output += layer->inner;
        }
    }
}
