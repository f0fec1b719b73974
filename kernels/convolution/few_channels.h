// SPDX-License-Identifier: Apache-2.0
// int8 convolutions with few channels, whose inputs lie in rows, on Helium. A filter meets several rows at a time,
// without what blocks of many channels prepare. The tile few_channels_tile.h has rl_few_channels_rows, which does what
// rl_few_channels_run says.
#ifndef RL_KERNELS_CONVOLUTION_FEW_CHANNELS_H
#define RL_KERNELS_CONVOLUTION_FEW_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "rushlight/kernels/convolution.h"

struct rl_few_channels {
    const int8_t *rows;
    ptrdiff_t step;      // from one to the next
    int32_t count;       // of a line, at least 1
    ptrdiff_t line_step; // from one line of rows to the next
    int32_t lines;
    int32_t depth;
    int32_t channels;
    const int8_t *weights; // [channels][depth]
    const int32_t *bias;   // [channels], or NULL for zeros
    int32_t input_offset;  // 0 if the biases have it
    struct rl_scales scales;
    int32_t output_offset;
    struct rl_range range;
};

// Writes the outputs of a row next to each other, and rows behind each other.
void rl_few_channels_run(const struct rl_few_channels *f, int8_t *output);

// The same for a layer whose inputs lie in `rows`, one behind the other.
void rl_convolution_run_rows_of_few_channels(const struct rl_convolution *c, const int8_t *rows, int8_t *output);

// The same for a layer that rl_convolution_has_few_channels.
void rl_convolution_run_few_channels(const struct rl_convolution *c, const int8_t *input, int8_t *output);

// Runs a layer that rl_convolution_has_few_windows from what lies on the input, if that pays, or returns false.
bool rl_convolution_run_few_windows(const struct rl_convolution *c, const int8_t *input, int8_t *output);

#endif
