// SPDX-License-Identifier: Apache-2.0
// One int8 row times groups of four int8 filters, with scaled outputs: dot_1x4.h for layers whose channels share a
// scale, or have one each. Between two groups the sums of dot_1x4.h would go through memory and the scale would be
// loaded again, which takes as long as the products of a row of forty.
#ifndef RL_KERNELS_SCALAR_DOT_FOURS_H
#define RL_KERNELS_SCALAR_DOT_FOURS_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "scalar/rescale_tile.h"

// The assembler relies on the offsets of the fields.
struct rl_dot_fours {
    const int8_t *row;    // 0
    ptrdiff_t depth;      // 4: at least 1; also the bytes from one filter to the next
    int32_t offset;       // 8: added to the row
    int32_t constant;     // 12: added to all sums
    const int32_t *base;  // 16: added to the sums of its channels, or NULL
    const int8_t *filter; // 20
    int8_t *output;       // 24
    ptrdiff_t step;       // 28: bytes from one output to the next
    int32_t groups;       // 32: at least 1
    int32_t multiplier;   // 36: 2^30 or more
    int32_t addend;       // 40
    int32_t right_shift;  // 44: 20 or less
    int32_t low, high;    // 48, 52
    // Of rl_dot_fours_own, in place of `multiplier`, `addend` and `right_shift`; `step` is 1.
    const int32_t *multipliers; // 56: 2^30 or more
    const int32_t *shifts;      // 60: -20 to -1
    int32_t rounding;           // 64: rl_rescale_rounding of the offset
};

// Writes four outputs for each group: sum = constant + base + sum of (row[k] + offset) * w[k], modulo 2^32, doubled
// with saturation, rescaled, and limited to low..high, which lie within int8. The fields up to `groups` change.
static inline void rl_dot_fours(struct rl_dot_fours *job);

// The same with a scale for each channel. The fields behind `high` change, too.
static inline void rl_dot_fours_own(struct rl_dot_fours *job);

#include RL_LOOP(dot_fours)

#endif
