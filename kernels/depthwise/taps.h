// SPDX-License-Identifier: Apache-2.0
// Which taps of a filter lie on the input, in one direction.
#ifndef RL_KERNELS_DEPTHWISE_TAPS_H
#define RL_KERNELS_DEPTHWISE_TAPS_H

#include <stdint.h>

struct rl_taps {
    int32_t first;
    int32_t count;
    int32_t input; // where the first one lies
};

// For `taps` taps, the first of them at `start`, on a line of `size`. Counts, since cores without a division
// would take longer to divide.
static inline struct rl_taps rl_taps_on_input(int32_t start, int32_t dilation, int32_t taps, int32_t size)
{
    struct rl_taps on = {0, 0, start};
    for (; on.first < taps && on.input < 0; on.first++) {
        on.input += dilation;
    }
    for (int32_t at = on.input; on.first + on.count < taps && at < size; at += dilation) {
        on.count++;
    }
    return on;
}

#endif
