// SPDX-License-Identifier: Apache-2.0
// Sums to int16 results, each with a scale of its own, as long as rl_rescale takes them. Included by
// fully_connected/store_s16.h.
#ifndef RL_KERNELS_SCALAR_STORE_S16_H
#define RL_KERNELS_SCALAR_STORE_S16_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// The assembler relies on the order.
struct rl_store_s16 {
    const int32_t *sums;
    int16_t *output;
    const int32_t *multipliers;
    const int32_t *shifts;
    const int32_t *end; // of the sums; there is at least one
};

// Writes results, saturated, up to the end or to the first sum that is not within -2^30..2^30 - 1 or whose scale
// rl_rescale_init does not take. Moves all pointers but `end` behind those that are done.
static inline void rl_store_short_s16(struct rl_store_s16 *job);

#include RL_LOOP(store_s16)

#endif
