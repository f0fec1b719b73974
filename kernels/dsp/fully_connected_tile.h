// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with SMLAD, four filters at a time: each word of the input is expanded
// once, the input offset added on the way. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "dsp/dot_1x4.h"
#include "dsp/simd.h"
#include "fully_connected/fully_connected.h"

enum {
    RL_FILTERS = 4, // in a group
    RL_GROUPS = 8,  // whose sums are kept at a time
};

// The outputs of `channels` channels from `first` on, a multiple of four.
static inline void rl_fully_connected_groups(const struct rl_fully_connected *f, const int8_t *input,
                                             int32_t row_constant, int32_t first, int32_t channels,
                                             int8_t *output)
{
    int32_t sums[RL_FILTERS * RL_GROUPS];
    while (channels > 0) {
        const int32_t count = rl_min_s32(channels, RL_FILTERS * RL_GROUPS);
        struct rl_dot_1x4 job = {
            .row = input,
            .filter = f->filter + (ptrdiff_t)first * f->depth,
            .depth = f->depth,
            .groups = count / RL_FILTERS,
            .sums = sums,
            .start = row_constant,
            .offset = (uint16_t)f->input_offset * UINT32_C(0x00010001),
        };
        rl_dot_1x4(&job);
        for (int32_t i = 0; i < count; i++) {
            output[first + i] = rl_fully_connected_output(f, first + i, sums[i]);
        }
        first += count;
        channels -= count;
    }
}

// sum_k (row[k] + offset) * filter[k], for layers of fewer filters than a group.
static inline int32_t rl_dot_1x1_offset(const int8_t *row, const int8_t *filter, int32_t depth,
                                        int32_t offset)
{
    const int16x2_t offsets = (int16x2_t)((uint16_t)offset * UINT32_C(0x00010001));
    int32_t sum = 0;
    for (; depth >= 4; depth -= 4, row += 4, filter += 4) {
        const uint32_t x = rl_load_s8x4(row);
        const uint32_t w = rl_load_s8x4(filter);
        sum = __smlad(rl_even_s16_add(offsets, x), rl_even_s16(w), sum);
        sum = __smlad(rl_odd_s16_add(offsets, x), rl_odd_s16(w), sum);
    }
    for (int32_t k = 0; k < depth; k++) {
        sum += (row[k] + offset) * filter[k];
    }
    return sum;
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    if (f->channels < RL_FILTERS) {
        for (int32_t channel = 0; channel < f->channels; channel++) {
            const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
            const int32_t sum = rl_dot_1x1_offset(input, filter, f->depth, f->input_offset);
            output[channel] = rl_fully_connected_output(f, channel, row_constant + sum);
        }
        return;
    }
    const int32_t in_groups = f->channels / RL_FILTERS * RL_FILTERS;
    rl_fully_connected_groups(f, input, row_constant, 0, in_groups, output);
    if (in_groups < f->channels) { // those that are left, with the ones before them
        rl_fully_connected_groups(f, input, row_constant, f->channels - RL_FILTERS, RL_FILTERS, output);
    }
}

#endif
