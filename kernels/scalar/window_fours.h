// SPDX-License-Identifier: Apache-2.0
// The sums of a depthwise window, four channels at a time, for cores whose loop over taps has few registers, and their
// outputs, some positions at a time.
#ifndef RL_KERNELS_SCALAR_WINDOW_FOURS_H
#define RL_KERNELS_SCALAR_WINDOW_FOURS_H

#include <stddef.h>
#include <stdint.h>

#include "elementwise/rescale.h"
#include "isa.h"

enum { RL_WINDOW_COLUMNS = 8 }; // at most

// The assembler relies on the order. Pointers are to the first of the channels.
struct rl_window_fours {
    const int8_t *x; // the first tap's input and weight
    const int8_t *w;
    int32_t *sums;
    const int32_t *end; // of the sums, of which there are at least four
    int32_t rows;       // at least 1
    ptrdiff_t x_back;   // from behind a row of taps to the next row
    ptrdiff_t w_back;
    int32_t left_out;    // RL_WINDOW_COLUMNS less the columns, of which there is at least one
    int32_t offset;      // of the input
    ptrdiff_t step;      // from a tap to the next, of inputs and of weights
    ptrdiff_t x_step;    // of inputs, where channels share them
    const int32_t *bias; // NULL if there are none
};

// Writes the bias and the sum of (x + offset) * w over the taps of each channel. One to three channels that are left
// over are computed with those in front of them, again; the biases of these are read, too. Nothing else is read, and no
// alignment is needed.
static inline void rl_window_fours(const struct rl_window_fours *job);

// The same for whole fours of channels that all share one input, x.
static inline void rl_window_shared(const struct rl_window_fours *job);

// Scales, limits and stores `channels` >= 1 sums of each of `positions` >= 1 positions, which lie `step` bytes apart,
// and their outputs `stride` bytes. Sums are at most 2^29 in magnitude.
static inline void rl_window_store(const struct rl_rescale *scale, struct rl_limits_s8 limits, int32_t channels,
                                   const int32_t *sums, int32_t step, int32_t positions, int8_t *output,
                                   ptrdiff_t stride);

// Defines RL_HAS_WINDOW_FOURS: whether there are such loops.
#include RL_LOOP(window_fours)

#endif
