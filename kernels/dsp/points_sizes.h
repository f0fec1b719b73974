// SPDX-License-Identifier: Apache-2.0
// What the loop of depthwise_points.h takes.
#ifndef RL_KERNELS_DSP_POINTS_SIZES_H
#define RL_KERNELS_DSP_POINTS_SIZES_H

enum {
    RL_POINTS = 16,         // at a time
    RL_POINTS_TAPS = 28,    // the most taps of a filter
    RL_POINTS_COLUMNS = 5,  // the most in a row
    RL_POINTS_ROWS = 16,    // the most rows of taps
    RL_POINTS_LINE = 65535, // the most bytes between rows of taps
};

#endif
