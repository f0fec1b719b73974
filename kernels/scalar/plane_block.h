// SPDX-License-Identifier: Apache-2.0
// The block of the depthwise loops in plane_nest.h. A pixel takes eight bytes in the forms of all tiles.
#ifndef RL_KERNELS_SCALAR_PLANE_BLOCK_H
#define RL_KERNELS_SCALAR_PLANE_BLOCK_H

#include "depthwise/planes.h"

enum {
    RL_PLANE_CHANNELS = 4,
    RL_PLANE_PITCH = 18, // pixels of a line
    RL_PLANE_LINES = 14, // the most lines of a block
    // Words from one pair of lines to the next: in all forms, a word combines two lines.
    RL_PLANE_LINE_WORDS = RL_PLANE_PITCH * RL_PLANE_CHANNELS,
};

// The pixels in one direction that some neighbouring outputs read: those of the input, and the padding on both sides.
struct rl_plane_span {
    int32_t before;
    int32_t inside;
    int32_t after;
};

struct rl_plane_block {
    int16_t most_rows; // the most rows of outputs of a block
    int16_t most_columns;
    int32_t group_words; // words of memory for a group
    int32_t rows;        // rows of outputs of this block
    int32_t columns;
    struct rl_plane_span lines;
    struct rl_plane_span pixels;
    uint32_t *words; // pairs of lines
};

#endif
