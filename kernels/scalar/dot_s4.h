// SPDX-License-Identifier: Apache-2.0
// A row times pairs of int4 filters: the loop of scalar/dot_s4_tile.h.
#ifndef RL_KERNELS_SCALAR_DOT_S4_H
#define RL_KERNELS_SCALAR_DOT_S4_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"

// The assembler relies on the offsets of the fields.
struct rl_dot_s4 {
    const int8_t *x;   // 0
    const int8_t *w_0; // 4: the filters of the first pair
    const int8_t *w_1; // 8
    int32_t offset;    // 12: added to the values
    int32_t *sums;     // 16: of the first filter
    int32_t pairs;     // 20: at least 1
    int32_t bytes;     // 24: of each filter, at least 1; each has two weights, the first one in the lower half
    int32_t step;      // 28: bytes from the second filter of a pair to the first of the next, and to the second of it
    int32_t sum_step;  // 32: bytes from one sum to the next
};

// Writes the sum of (x[i] + offset) * weight i of each filter to `sums`. The job changes.
static inline void rl_dot_s4_bytes(struct rl_dot_s4 *job);

#include RL_LOOP(dot_s4)

#endif
