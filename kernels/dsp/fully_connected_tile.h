// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with SMLAD, three filters at a time: each word of the input is expanded
// once, the input offset added on the way. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "dsp/dot_1x3.h"
#include "fully_connected/fully_connected.h"

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    const uint32_t offset = (uint16_t)f->input_offset * UINT32_C(0x00010001);
    for (int32_t channel = 0; channel < f->channels; channel += 3) {
        // Filters that are missing repeat the last one.
        const int32_t count = rl_min_s32(f->channels - channel, 3);
        const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
        struct rl_dot_1x3 job = {
            .row = input,
            .filter = {filter, count > 1 ? filter + f->depth : filter,
                       count > 2 ? filter + 2 * (ptrdiff_t)f->depth : filter},
            .sums = {row_constant, row_constant, row_constant},
            .offset = offset,
            .depth = f->depth,
        };
        rl_dot_1x3(&job);
        for (int32_t i = 0; i < count; i++) {
            output[channel + i] = rl_fully_connected_output(f, channel + i, job.sums[i]);
        }
    }
}

#endif
