// SPDX-License-Identifier: Apache-2.0
// What dsp/depthwise_s8_tile.h has for whole images, on cores that run them position by position.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_NONE_H
#define RL_KERNELS_SCALAR_DEPTHWISE_NONE_H

#include "depthwise/window.h"

struct rl_depthwise_together;

static inline bool rl_depthwise_run_points(const struct rl_depthwise *d, int32_t first, int32_t end,
                                           const int8_t *image, int8_t *output)
{
    (void)d;
    (void)first;
    (void)end;
    (void)image;
    (void)output;
    return false;
}

static inline bool rl_depthwise_run_positions(struct rl_depthwise_together *t, const struct rl_depthwise *d,
                                              const int8_t *image, int8_t *output)
{
    (void)t;
    (void)d;
    (void)image;
    (void)output;
    return false;
}

#endif
