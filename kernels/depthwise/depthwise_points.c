// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"
#include "depthwise/window.h"
#include "isa.h"

#include RL_TILE(depthwise_s8_tile.h)

void rl_depthwise_points_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch)
{
    if (RL_SMALL || !RL_HAS_DSP || RL_HAS_MVE) { // which have no such loop
        rl_depthwise_single_run(layer, input, output, scratch);
        return;
    }
    for (int32_t batch = 0; batch < layer->input.n; batch++) {
        (void)rl_depthwise_run_points(layer, 0, layer->output.c, input, output);
        input += rl_image_size(layer->input);
        output += rl_image_size(layer->output);
    }
}
