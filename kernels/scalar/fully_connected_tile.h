// SPDX-License-Identifier: Apache-2.0
// One input row times all filters, four at a time: each input value is loaded and offset once for all of
// them. See fully_connected/fully_connected.h for the formula.
#ifndef RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_SCALAR_FULLY_CONNECTED_TILE_H

#include "fully_connected/fully_connected.h"
#include "isa.h"

// Adds the products of one row with four filters to sums; `step` bytes from one filter to the next, 0 for one
// filter.
static __attribute__((noinline)) void rl_dot_1x4_offset(const struct rl_fully_connected *f, const int8_t *row,
                                                        const int8_t *filter, ptrdiff_t step, int32_t sums[4])
{
    const int8_t *filter_1 = filter + step;
    const int8_t *filter_2 = filter_1 + step;
    const int8_t *filter_3 = filter_2 + step;
    const int32_t offset = f->input_offset;
    int32_t sum_0 = sums[0];
    int32_t sum_1 = sums[1];
    int32_t sum_2 = sums[2];
    int32_t sum_3 = sums[3];
    int32_t depth = f->depth;
    // Thumb-1 offsets do not reach signed bytes: unrolling gains nothing there.
    for (; RL_HAS_LONG_MULTIPLY && depth >= 2; depth -= 2) {
        const int32_t x_0 = row[0] + offset;
        sum_0 += x_0 * filter[0];
        sum_1 += x_0 * filter_1[0];
        sum_2 += x_0 * filter_2[0];
        sum_3 += x_0 * filter_3[0];
        const int32_t x_1 = row[1] + offset;
        sum_0 += x_1 * filter[1];
        sum_1 += x_1 * filter_1[1];
        sum_2 += x_1 * filter_2[1];
        sum_3 += x_1 * filter_3[1];
        row += 2;
        filter += 2;
        filter_1 += 2;
        filter_2 += 2;
        filter_3 += 2;
    }
    for (int32_t k = 0; k < depth; k++) {
        const int32_t x = row[k] + offset;
        sum_0 += x * filter[k];
        sum_1 += x * filter_1[k];
        sum_2 += x * filter_2[k];
        sum_3 += x * filter_3[k];
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    for (int32_t channel = 0; channel < f->channels;) {
        // The last one to three filters go one by one, as four times the same.
        const int32_t count = channel + 4 <= f->channels ? 4 : 1;
        const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
        int32_t sums[4] = {row_constant, row_constant, row_constant, row_constant};
        rl_dot_1x4_offset(f, input, filter, count == 4 ? f->depth : 0, sums);
        for (int32_t i = 0; i < count; i++, channel++) {
            output[channel] = rl_fully_connected_output(f, channel, sums[i]);
        }
    }
}

#endif
