// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that Winograd's convolution takes on DSP cores. It is plain arithmetic: the memory planner uses
// it on the host.
#ifndef RL_KERNELS_DSP_WINOGRAD_BYTES_H
#define RL_KERNELS_DSP_WINOGRAD_BYTES_H

#include <stdint.h>

enum {
    RL_WINOGRAD_SUM_BYTES = 16 * 8 * 4, // of two tiles and a group of filters
    RL_WINOGRAD_SCALE_BYTES = 16,       // of a channel
};

// Sums, the scales of all outputs' channels, two transformed tiles, and a tile of inputs with padding.
static inline int32_t rl_winograd_bytes(int32_t channels, int32_t outputs)
{
    return RL_WINOGRAD_SUM_BYTES + RL_WINOGRAD_SCALE_BYTES * outputs + (2 * 16 * 2 + 16) * channels;
}

#endif
