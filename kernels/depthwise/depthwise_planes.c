// SPDX-License-Identifier: Apache-2.0
enum { RL_PLANE_ALL_LAYERS = 0 };
#include "depthwise/plane_layer.h"

#include RL_HOST_LOOP(depthwise)

void rl_depthwise_planes_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch)
{
    if (!rl_host_depthwise(layer, input, output)) {
        (void)rl_plane_layer(layer, input, output, rl_scratch_rest(scratch, 0), NULL);
    }
}
