// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with SMLAD; the input offset is added while expanding. See
// fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_DSP_FULLY_CONNECTED_TILE_H

#include "dsp/simd.h"
#include "fully_connected/fully_connected.h"

// sums of one row with two filters, on top of what sums hold.
static inline void rl_dot_1x2_offset(const struct rl_fully_connected *f, const int8_t *row,
                                     const int8_t *filter_0, const int8_t *filter_1, int32_t sums[2])
{
    const int16x2_t offset = (int16x2_t)((uint16_t)f->input_offset * UINT32_C(0x00010001));
    int32_t sum_0 = sums[0];
    int32_t sum_1 = sums[1];
    for (int32_t i = f->depth >> 2; i > 0; i--) {
        const uint32_t x = rl_load_s8x4(row);
        const uint32_t w_0 = rl_load_s8x4(filter_0);
        const uint32_t w_1 = rl_load_s8x4(filter_1);
        const int16x2_t x_even = rl_even_s16_add(offset, x);
        const int16x2_t x_odd = rl_odd_s16_add(offset, x);
        sum_0 = __smlad(x_even, rl_even_s16(w_0), sum_0);
        sum_0 = __smlad(x_odd, rl_odd_s16(w_0), sum_0);
        sum_1 = __smlad(x_even, rl_even_s16(w_1), sum_1);
        sum_1 = __smlad(x_odd, rl_odd_s16(w_1), sum_1);
        row += 4;
        filter_0 += 4;
        filter_1 += 4;
    }
    for (int32_t i = f->depth & 3; i > 0; i--) {
        const int32_t x = *row++ + f->input_offset;
        sum_0 += x * *filter_0++;
        sum_1 += x * *filter_1++;
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    for (int32_t channel = 0; channel < f->channels; channel += 2) {
        const bool pair = channel + 1 < f->channels;
        const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
        int32_t sums[2] = {row_constant, row_constant};
        rl_dot_1x2_offset(f, input, filter, pair ? filter + f->depth : filter, sums);
        output[channel] = rl_fully_connected_output(f, channel, sums[0]);
        if (pair) {
            output[channel + 1] = rl_fully_connected_output(f, channel + 1, sums[1]);
        }
    }
}

#endif
