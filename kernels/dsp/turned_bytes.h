// SPDX-License-Identifier: Apache-2.0
// The bytes of memory that turned_nest.h takes. It is plain arithmetic: the memory planner uses it on the host.
#ifndef RL_KERNELS_DSP_TURNED_BYTES_H
#define RL_KERNELS_DSP_TURNED_BYTES_H

#include <stdint.h>

enum { RL_TURNED_OUTPUTS = 32 }; // outputs whose sums are kept at a time

// Zeros and the sums of three channels for each of these outputs, then three expanded filters.
static inline int32_t rl_turned_bytes(int32_t depth)
{
    return 4 * (4 * RL_TURNED_OUTPUTS + 3 * (depth / 2 + 2));
}

#endif
