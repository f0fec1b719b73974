// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"
#include "depthwise/window.h"
#include "isa.h"

#include RL_HOST_LOOP(depthwise)
#include RL_TILE(depthwise_s8_tile.h)

void rl_depthwise_windows_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                              struct rl_scratch scratch)
{
    const int32_t channels = layer->output.c;
    if (RL_SMALL && !RL_HAS_MVE) { // small code has no such loops
        rl_depthwise_single_run(layer, input, output, scratch);
    } else if (rl_host_depthwise(layer, input, output) || rl_depthwise_run_vectors(layer, 0, channels, input, output)) {
        return;
    } else if (RL_HAS_MVE) {
        rl_depthwise_run_one_by_one(layer, 0, channels, input, output);
    } else {
        rl_depthwise_run_windows(layer, 0, channels, input, output);
    }
}
