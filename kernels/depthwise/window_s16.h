// SPDX-License-Identifier: Apache-2.0
// The interface between the int16 depthwise convolution and its tile.
//
// Tile contract (RL_TILE(depthwise_s16_tile.h)), one input channel for each output channel:
// - enum RL_DEPTHWISE_S16_BLOCK: the most channels that it prepares at a time; RL_DEPTHWISE_S16_PAIRS: 1 if it wants
//   two positions at a time, whose windows have the same taps. Then `second` and `second_output` may be set.
// - struct rl_depthwise_s16_scale, rl_depthwise_s16_start(&scale, &output, taps, first, count): prepares these channels
//   for windows of at most `taps` taps.
// - rl_depthwise_s16_outputs(&window, &scale, &output, first, count, to): their outputs at the position whose channel 0
//   is at `to`; windows of at most RL_WINDOW_S16_LIMIT taps.
#ifndef RL_KERNELS_DEPTHWISE_WINDOW_S16_H
#define RL_KERNELS_DEPTHWISE_WINDOW_S16_H

#include <stdint.h>

#include "convolution/output_s16.h"

// The taps of one output position that lie on the input; steps in elements.
struct rl_window_s16 {
    const int16_t *input; // first tap, first channel
    const int8_t *filter; // its weights
    int32_t rows;
    int32_t columns;
    int32_t input_row;
    int32_t input_column;
    int32_t filter_row;
    int32_t filter_column;
    int32_t second;        // from the input of the first position to that of the second
    int32_t second_output; // from the outputs of the first position to those of the second; 0: there is none
};

// Windows of at most this many taps have sums within 32 bits.
enum { RL_WINDOW_S16_LIMIT = 511 };

#endif
