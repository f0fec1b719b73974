// SPDX-License-Identifier: Apache-2.0
// One int8 row times many int8 filters, for cores whose loop over filters has few registers.
#ifndef RL_KERNELS_SCALAR_DOT_CHANNELS_H
#define RL_KERNELS_SCALAR_DOT_CHANNELS_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// The assembler relies on the order.
struct rl_dot_channels {
    const int8_t *row_end; // 0: behind the row
    const int8_t *filter;  // 4: filters follow each other
    int32_t depth;         // 8: at least 1
    const int32_t *base;   // 12: added to the sums, or NULL
    int32_t start;         // 16: added to all sums
    int32_t *sums;         // 20
    int32_t count;         // 24: filters, at least 1
    int32_t offset;        // 28: added to the row
};

// Writes the sum of (row[k] + offset) * w[k] of each filter, modulo 2^32, to `sums`. Nothing is read beyond `depth`,
// and no alignment is needed. The fields from `filter` on change.
static inline void rl_dot_channels(struct rl_dot_channels *job);

// Defines RL_HAS_DOT_CHANNELS: whether there is such a loop.
#include RL_LOOP(dot_channels)

#endif
