// SPDX-License-Identifier: Apache-2.0
// The block of the depthwise nest in plane_nest.h. A pixel of it takes eight bytes whatever its form.
#ifndef RL_KERNELS_SCALAR_PLANE_BLOCK_H
#define RL_KERNELS_SCALAR_PLANE_BLOCK_H

#include "depthwise/planes.h"

enum {
    RL_PLANE_CHANNELS = 4,
    RL_PLANE_PITCH = 18, // pixels of a line
    RL_PLANE_LINES = 14, // at most
    // Both forms combine two lines: words of four channels from one pair of lines to the next.
    RL_PLANE_LINE_WORDS = RL_PLANE_PITCH * RL_PLANE_CHANNELS,
};

// The pixels that some neighbouring outputs see, in one direction: those of the input, and the padding on both sides.
struct rl_plane_span {
    int32_t before;
    int32_t inside;
    int32_t after;
};

struct rl_plane_block {
    int32_t most_rows; // of outputs, across
    int32_t most_columns;
    int32_t group_words; // of memory
    int32_t rows;        // of this block
    int32_t columns;
    struct rl_plane_span lines;
    struct rl_plane_span pixels;
    uint32_t *words; // pairs of lines
};

#endif
