// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_SCALED_AVERAGE_S8_TILE_H
#define RL_KERNELS_SCALAR_SCALED_AVERAGE_S8_TILE_H

#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"
#include "scalar/window_sums.h"

// From the sum of stored values to the result. `offset` is the input offset times the number of values.
static inline int8_t rl_scaled_average(const struct rl_pool_window *w, int32_t sum, int32_t offset)
{
    const struct rl_scale *scale = &w->layer->scale;
    return rl_output_s8(rl_requantize(sum + offset, scale->multiplier, scale->shift), w->layer->output_offset, w->min,
                        w->max);
}

static inline void rl_scaled_average_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    const int32_t count = w.rows * w.columns, offset = w.layer->input_offset * count;
    int32_t c = 0;
    if (count <= RL_AVERAGE_PACKED_LIMIT && rl_words_allowed((uintptr_t)input | (uintptr_t)w.channels)) {
        for (; c + 4 <= w.channels; c += 4) {
            const struct rl_packed_sums sums = rl_sums_of_4_channels(&w, input + c);
            output[c] = rl_scaled_average(&w, rl_lower_sum(sums.even, count), offset);
            output[c + 1] = rl_scaled_average(&w, rl_lower_sum(sums.odd, count), offset);
            output[c + 2] = rl_scaled_average(&w, rl_upper_sum(sums.even, count), offset);
            output[c + 3] = rl_scaled_average(&w, rl_upper_sum(sums.odd, count), offset);
        }
    }
    for (; c < w.channels; c++) {
        output[c] = rl_scaled_average(&w, rl_sum_of_channel(&w, input + c), offset);
    }
}

#endif
