// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_S8_TILE_H

#include "depthwise/depthwise.h"

// There are no vectors here.
static inline bool rl_depthwise_suits_vectors(const struct rl_depthwise *d)
{
    (void)d;
    return false;
}

static inline bool rl_depthwise_run_vectors(const struct rl_depthwise *d, int32_t first, int32_t end)
{
    (void)d;
    (void)first;
    (void)end;
    return false;
}

#endif
