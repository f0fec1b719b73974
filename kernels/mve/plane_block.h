// SPDX-License-Identifier: Apache-2.0
// The working memory of the Helium depthwise nest; mve/plane_nest.h explains its form.
#ifndef RL_KERNELS_MVE_PLANE_BLOCK_H
#define RL_KERNELS_MVE_PLANE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RL_PLANE_CHANNELS = 8,
    RL_PLANE_SLOTS = 8,         // rows in a plane, at most
    RL_PLANE_SLACK = 32,        // bytes that may be read behind a plane
    RL_PLANE_WEIGHT_BYTES = 64, // of a window, at most
    RL_PLANE_STACK_BYTES = 2048 // at most: the largest window and a few columns
};

// Channels are in the order 0 2 4 6 1 3 5 7 everywhere: narrowing two vectors of four to one of eight puts the second
// between the first.
struct rl_plane_block {
    int32_t slots;                     // rows in a plane, even
    int32_t rows;                      // of outputs at a time: 2, or 1 where the stride is not 1, or for one row
    int32_t columns;                   // outputs side by side, at most
    int32_t bytes;                     // of a plane
    int32_t window;                    // bytes of the weights of a window: 16, or a multiple of 32
    int32_t weight_bytes;              // of all channels
    int32_t phases;                    // of the ring whose weights are kept
    int8_t padding[RL_PLANE_CHANNELS]; // a pixel of it
    int8_t *planes;                    // [channel][column][slot], then RL_PLANE_SLACK bytes
    // [phase][channel][row of outputs][column][slot]: for a ring that begins at slot 0, 2 and so on, or only for the
    // ring as it stands.
    int8_t *weights;
    int32_t *sums; // [row][column][channel]
    int32_t sums_row;
};

// How sums become outputs. The assembler knows the order of the first six.
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

// What eight channels need besides their values.
struct rl_plane_group {
    struct rl_plane_scale scale;
    const int8_t *filter; // of the first channel
};

#endif
