// SPDX-License-Identifier: Apache-2.0
// Which input channels the neighbouring channels of a depthwise convolution with a channel multiplier read.
#ifndef RL_KERNELS_MVE_DEPTHWISE_SHARING_H
#define RL_KERNELS_MVE_DEPTHWISE_SHARING_H

#include <stdint.h>

// Writes the distances from the input channel of `first` to those of the `count` channels from `first` on.
static inline void rl_depthwise_distances(int32_t multiplier, int32_t first, int32_t count, uint8_t *distance)
{
    int32_t left = multiplier - first % multiplier;
    uint8_t at = 0;
    for (int32_t i = 0; i < count; i++) {
        distance[i] = at;
        if (--left == 0) {
            left = multiplier;
            at++;
        }
    }
}

#endif
