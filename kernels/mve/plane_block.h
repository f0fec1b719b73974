// SPDX-License-Identifier: Apache-2.0
// The working memory of the Helium depthwise loops; mve/plane_nest.h explains its form.
#ifndef RL_KERNELS_MVE_PLANE_BLOCK_H
#define RL_KERNELS_MVE_PLANE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RL_PLANE_CHANNELS = 8,
    RL_PLANE_SLOTS = 8,         // the most rows in a plane
    RL_PLANE_SLACK = 32,        // bytes that may be read behind a plane
    RL_PLANE_WEIGHT_BYTES = 64, // the most bytes of a window's weights
    RL_PLANE_STACK_BYTES = 2048 // the most bytes on the stack: the largest window and a few columns
};

// Channels are in the order 0 2 4 6 1 3 5 7 everywhere, because narrowing two vectors of four to one of eight
// interleaves them.
struct rl_plane_block {
    int32_t slots;                     // rows in a plane, even
    int32_t rows;                      // rows of outputs at a time: 1 if there is one or the stride is not 1, else 2
    int32_t columns;                   // the most outputs side by side
    int32_t bytes;                     // bytes of a plane
    int32_t window;                    // bytes of a window's weights for one channel: 16, or a multiple of 32
    int32_t weight_bytes;              // bytes of the weights of all channels
    int32_t phases;                    // the number of ring positions whose weights are kept
    int8_t padding[RL_PLANE_CHANNELS]; // a pixel of padding
    bool shares;                       // channels share inputs, which lie at these distances
    uint8_t distance[RL_PLANE_CHANNELS];
    int8_t *planes; // [channel][column][slot], then RL_PLANE_SLACK bytes
    // [phase][channel][row of outputs][column][slot]: phase i is for a ring that begins at slot 2 * i; a single phase
    // is for the ring's current position.
    int8_t *weights;
    int32_t *sums; // [row][column][channel]
    int32_t sums_row;
};

// The scales of the outputs. The assembler relies on the order of the first six fields.
struct rl_plane_scale {
    int32_t bias[RL_PLANE_CHANNELS]; // with the input offset folded in
    int32_t multiplier[RL_PLANE_CHANNELS];
    int32_t shift[RL_PLANE_CHANNELS];
    int16_t offset[RL_PLANE_CHANNELS];
    int16_t low[RL_PLANE_CHANNELS]; // limits
    int16_t high[RL_PLANE_CHANNELS];
    bool shifts_right; // all shifts are -1 or less
    bool is_open;      // no limits but those of int8
    bool is_relu;      // the lower limit is the output of 0, or above it
};

// The scales and weights of eight channels.
struct rl_plane_group {
    struct rl_plane_scale scale;
    const int8_t *filter; // of the first channel
    int32_t done;         // not read: eight channels side by side take as long as fewer
};

#endif
