// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_FEW_CHANNELS_TILE_H
#define RL_KERNELS_SCALAR_FEW_CHANNELS_TILE_H

#include "convolution/few_channels.h"
#include "requantize.h"

static inline void rl_few_channels_rows(const struct rl_few_channels *f, int8_t *output)
{
    for (int32_t i = 0; i < f->lines * f->count; i++) {
        const int8_t *row = f->rows + i / f->count * f->line_step + i % f->count * f->step, *filter = f->weights;
        for (int32_t channel = 0; channel < f->channels; channel++, filter += f->depth) {
            int32_t sum = f->bias ? f->bias[channel] : 0;
            for (int32_t k = 0; k < f->depth; k++) {
                sum += (row[k] + f->input_offset) * filter[k];
            }
            sum = rl_requantize(sum, f->scales.multiplier[channel], f->scales.shift[channel]);
            *output++ = rl_output_s8(sum, f->output_offset, f->range.min, f->range.max);
        }
    }
}

#endif
