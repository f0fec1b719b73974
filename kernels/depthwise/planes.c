// SPDX-License-Identifier: Apache-2.0
enum { RL_PLANE_ALL_LAYERS = 1 };
#include "depthwise/plane_layer.h"

bool rl_depthwise_run_planes(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch, rl_depthwise_channels_loop *others)
{
    return rl_plane_layer(d, input, output, scratch, others);
}
