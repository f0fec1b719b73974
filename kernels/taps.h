// SPDX-License-Identifier: Apache-2.0
// The taps of a window that lie on an image, on one axis.
#ifndef RL_KERNELS_TAPS_H
#define RL_KERNELS_TAPS_H

#include <stdint.h>

// The taps on one axis: `count` taps from `first` on, the first at `input`.
struct rl_taps {
    int32_t first;
    int32_t count;
    int32_t input;
};

// The taps that lie on one of `inputs` inputs. There are `taps` taps, `dilation` apart, the first one at `start`. The
// function does not divide, because divisions are library calls on ARMv6-M.
static inline struct rl_taps rl_taps_of(int32_t start, int32_t dilation, int32_t taps, int32_t inputs)
{
    int32_t first = 0;
    for (; start < 0 && first < taps; first++) {
        start += dilation;
    }
    int32_t count = taps - first;
    while (count > 0 && start + (count - 1) * dilation >= inputs) {
        count--;
    }
    return (struct rl_taps){first, count, start};
}

#endif
