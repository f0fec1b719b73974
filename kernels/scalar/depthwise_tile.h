// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_TILE_H

#include "scalar/depthwise_channel.h"

// All channels at once: nothing to prepare.
enum { RL_DEPTHWISE_GROUP = 1 << 30 };

struct rl_depthwise_group {
    int32_t end; // of the channels
};

static inline void rl_depthwise_prepare(const struct rl_depthwise *d, int32_t first,
                                        struct rl_depthwise_group *group)
{
    (void)first;
    group->end = d->channels;
}

static inline void rl_depthwise_outputs(const struct rl_depthwise *d, const struct rl_depthwise_group *group,
                                        const struct rl_depthwise_window *w, int32_t count, int8_t *output)
{
    rl_depthwise_channels(d, w, 0, group->end, count, output);
}

#endif
