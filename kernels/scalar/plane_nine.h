// SPDX-License-Identifier: Apache-2.0
// Two rows of outputs of one channel, in the words that plane_tile.h describes: with a filter of 3x3, and with any.
#ifndef RL_KERNELS_SCALAR_PLANE_NINE_H
#define RL_KERNELS_SCALAR_PLANE_NINE_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "scalar/plane_block.h"
#include "scalar/rescale_tile.h"

struct rl_plane_sums {
    uint32_t whole;
    uint32_t upper;
};

struct rl_plane_tap {
    uint32_t weight;
    int32_t offset; // words from the first tap's word to this one's
};

// The assembler relies on the offsets of the fields, here and below.
struct rl_plane_channel {
    struct rl_rescale scale;        // 0
    struct rl_plane_sums start;     // 12
    struct rl_plane_tap *taps;      // 20
    const struct rl_plane_tap *end; // 24
};

struct rl_plane_job {
    const uint32_t *line;                   // 0: the first output's first word
    int8_t *output;                         // 4
    ptrdiff_t next;                         // 8: bytes of the block from one output to the next
    int32_t columns;                        // 12: outputs of a row, at least 1
    ptrdiff_t right;                        // 16: bytes from one output to the next
    ptrdiff_t down;                         // 20: bytes to the output in the other row, which is stored first
    const struct rl_plane_channel *channel; // 24
    const struct rl_limits_s8 *limits;      // 28: NULL where those of int8 are enough
};

// Writes the outputs. The fields up to `columns` change. rl_plane_nine takes nine taps without dilation. rl_plane_taps
// takes any; three at a time, so that the last ones may be taps of weight 0 behind `end`.
static inline void rl_plane_nine(struct rl_plane_job *job);
static inline void rl_plane_taps(struct rl_plane_job *job);

#include RL_LOOP(plane_nine)

#endif
