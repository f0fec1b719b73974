// SPDX-License-Identifier: Apache-2.0
// One output position of a depthwise convolution, four channels at a time.
#ifndef RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_H
#define RL_KERNELS_SCALAR_DEPTHWISE_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "scalar/rescale_tile.h"

// The assembler relies on the offsets of the fields; it changes those up to `output`. Pointers are to the first of the
// channels. Pixels are as far apart as taps.
struct rl_depthwise_channels {
    const int8_t *x;           // 0: the first tap's input and weight
    const int8_t *w;           // 4
    const int32_t *multiplier; // 8
    const int32_t *shift;      // 12
    const int32_t *bias;       // 16
    int8_t *output;            // 20
    ptrdiff_t bias_step;       // 24: bytes
    const int8_t *end;         // 28: the end of the output
    int32_t rows;              // 32: 0 if there are no taps
    int32_t columns;           // 36
    ptrdiff_t x_back;          // 40: from behind a row of taps to the next row
    ptrdiff_t w_back;          // 44
    ptrdiff_t step;            // 48: from a tap to the next
    int32_t offset;            // 52: of the input
    int32_t rounding;          // 56: rl_rescale_rounding of the output offset
    int32_t low, high;         // 60, 64
};

// Computes the outputs up to `end`, a multiple of four. `bias_step` is 16, or 0 if four biases serve all channels.
// rl_rescale_init takes all scales, or if `left` those whose shift is below 0, and no sum is above 2^29 in magnitude.
static inline void rl_depthwise_channels(struct rl_depthwise_channels *job, bool left);

#include RL_LOOP(depthwise_channels)

#endif
