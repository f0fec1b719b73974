// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_TILE_H

#include "scalar/depthwise_channel.h"

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_window *w,
                                        int32_t count, int8_t *output)
{
    rl_depthwise_channels(d, w, 0, count, output);
}

#endif
