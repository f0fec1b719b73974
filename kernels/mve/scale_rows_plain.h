// SPDX-License-Identifier: Apache-2.0
// Scales the sums of three rows and stores their outputs: scale_rows.h in C.
#ifndef RL_KERNELS_MVE_SCALE_ROWS_PLAIN_H
#define RL_KERNELS_MVE_SCALE_ROWS_PLAIN_H

#include "mve/dot_rows_plain.h"
#include "requantize.h"

// For shifts of -1 or less. Nothing is written behind `channels`.
static inline void rl_scale_rows_plain(const void *argument)
{
    const struct rl_three_rows *rows = argument;
    const struct rl_filters *f = rows->filters;
    int8_t *const output[3] = {rows->output_0, rows->output_1, rows->output_2};
    for (int32_t i = 0; i < 3 * f->channels; i++) {
        const int32_t row = i / f->channels, channel = i % f->channels;
        const int32_t value = rows->sums[row * RL_SUM_BLOCK + channel] + f->bias[channel];
        const int32_t scaled = rl_requantize(value, f->multiplier[channel], f->shift[channel]);
        output[row][channel] = rl_output_s8(scaled, f->output_offset, f->output_min, f->output_max);
    }
}

#endif
