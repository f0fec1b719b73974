// SPDX-License-Identifier: Apache-2.0
// One input row times all filters. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H

#include "fully_connected/fully_connected.h"

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    const int8_t *filter = f->filter;
    for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
        int32_t sum = row_constant;
        for (int32_t k = 0; k < f->depth; k++) {
            sum += (input[k] + f->input_offset) * filter[k];
        }
        output[channel] = rl_fully_connected_output(f, channel, sum);
    }
}

#endif
