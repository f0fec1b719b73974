// SPDX-License-Identifier: Apache-2.0
// The memory that lines_s16_nest.h takes. It is plain arithmetic: the memory planner uses it on the host.
#ifndef RL_KERNELS_DSP_LINES_S16_BYTES_H
#define RL_KERNELS_DSP_LINES_S16_BYTES_H

#include "convolution/choice.h"
#include "rushlight/kernels/convolution.h"

enum {
    RL_LINES_S16_CHANNELS = 3, // whose filters are multiplied at a time
    RL_LINES_S16_BEHIND = 2,   // words behind the expanded filters that the loop loads
    RL_LINES_S16_PATCHES = 2,  // patches of outputs with padding at a side
};

struct rl_lines_s16_memory {
    int32_t words;   // the expanded values of a filter row, of three channels
    int32_t patches; // their offset in bytes; the expanded filters are in front of them
    int32_t bytes;
};

// Behind groups of three channels one may be left over. Three lines of outputs then take the place of three channels,
// with the filter moved down by a stride for each, so that there are so many more filter rows.
static inline int32_t rl_lines_s16_more_rows(const struct rl_convolution *c)
{
    return rl_convolution_has_line_of_three(c) ? (RL_LINES_S16_CHANNELS - 1) * c->stride.h : 0;
}

// The bytes of a filter row, which meets one run of the input; and how many rows there are.
static inline int32_t rl_lines_s16_run_bytes(const struct rl_convolution *c)
{
    return c->filter.w * c->filter_channels * (c->dense ? c->filter.h : 1);
}

static inline int32_t rl_lines_s16_rows(const struct rl_convolution *c)
{
    return c->dense ? 1 : c->filter.h;
}

static inline struct rl_lines_s16_memory rl_lines_s16_memory(const struct rl_convolution *c)
{
    const int32_t run = rl_lines_s16_run_bytes(c), rows = rl_lines_s16_rows(c) + rl_lines_s16_more_rows(c);
    struct rl_lines_s16_memory m;
    m.words = RL_LINES_S16_CHANNELS * (2 * (run >> 2) + (run & 3));
    m.patches = 4 * (rows * m.words + RL_LINES_S16_BEHIND);
    m.bytes = m.patches + (c->dense ? 0 : RL_LINES_S16_PATCHES * ((rows * run + 3) & ~3));
    return m;
}

#endif
