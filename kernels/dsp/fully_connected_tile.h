// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with SMLAD, three filters at a time: each word of the input is expanded
// once, the input offset added on the way. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "dsp/dot_1x3.h"
#include "fully_connected/fully_connected.h"

enum {
    RL_FILTERS = 3, // in a group
    RL_GROUPS = 8,  // whose sums are kept at a time
};

// The outputs of `channels` channels from `first` on: a multiple of three, or one.
static inline void rl_fully_connected_channels(const struct rl_fully_connected *f, const int8_t *input,
                                               int32_t row_constant, int32_t first, int32_t channels,
                                               int8_t *output)
{
    int32_t sums[RL_FILTERS * RL_GROUPS];
    while (channels > 0) {
        const int32_t count = rl_min_s32(channels, RL_FILTERS * RL_GROUPS);
        struct rl_dot_1x3 job = {
            .row = input,
            .filter = f->filter + (ptrdiff_t)first * f->depth,
            .step = count == 1 ? 0 : f->depth,
            .depth = f->depth,
            .groups = count == 1 ? 1 : count / RL_FILTERS,
            .sums = sums,
            .start = row_constant,
            .offset = (uint16_t)f->input_offset * UINT32_C(0x00010001),
        };
        rl_dot_1x3(&job);
        for (int32_t i = 0; i < count; i++) {
            output[first + i] = rl_fully_connected_output(f, first + i, sums[i]);
        }
        first += count;
        channels -= count;
    }
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    const int32_t in_groups = f->channels / RL_FILTERS * RL_FILTERS;
    rl_fully_connected_channels(f, input, row_constant, 0, in_groups, output);
    if (in_groups == f->channels) {
        return;
    }
    // The one or two that are left: with those before them, or one by one if there are none.
    if (in_groups > 0) {
        rl_fully_connected_channels(f, input, row_constant, f->channels - RL_FILTERS, RL_FILTERS, output);
        return;
    }
    for (int32_t channel = 0; channel < f->channels; channel++) {
        rl_fully_connected_channels(f, input, row_constant, channel, 1, output);
    }
}

#endif
