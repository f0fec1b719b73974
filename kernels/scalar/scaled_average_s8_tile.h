// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_SCALED_AVERAGE_S8_TILE_H
#define RL_KERNELS_SCALAR_SCALED_AVERAGE_S8_TILE_H

#include "elementwise/rescale.h"
#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"
#include "scalar/window_sums.h"
#include RL_TILE(rescale_tile.h)

// The result for a sum of real values, in full. In a function of its own because it is rarely needed: where the scale
// shifts left.
static __attribute__((noinline)) int8_t rl_scaled_average_in_full(const struct rl_pool *layer, int32_t sum)
{
    const struct rl_scale *scale = &layer->scale;
    return rl_output_s8(rl_requantize(sum, scale->multiplier, scale->shift), layer->output_offset, layer->range.min,
                        layer->range.max);
}

// How sums of a window's stored values become results.
struct rl_window_scale {
    struct rl_rescale rescale;
    bool in_full;   // `rescale` does not fit, or is left out of small code
    int32_t offset; // the input offset times the number of values
};

static inline int8_t rl_scaled_average(const struct rl_pool_window *w, const struct rl_window_scale *scale, int32_t sum)
{
    const int32_t real = sum + scale->offset; // within 30 bits
    if (scale->in_full) {
        return rl_scaled_average_in_full(w->layer, real);
    }
    return (int8_t)rl_clamp_s32(rl_rescale(scale->rescale, 2 * real), w->min, w->max);
}

static inline void rl_scaled_average_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    const struct rl_pool *layer = w.layer;
    const int32_t count = w.rows * w.columns;
    struct rl_window_scale scale = {.offset = layer->input_offset * count};
    scale.in_full =
        RL_SMALL || !rl_rescale_init(layer->output_offset, layer->scale.multiplier, layer->scale.shift, &scale.rescale);
    int32_t c = 0;
    if (count <= RL_AVERAGE_PACKED_LIMIT && rl_words_allowed((uintptr_t)input | (uintptr_t)w.channels)) {
        for (; c + 4 <= w.channels; c += 4) {
            const struct rl_packed_sums sums = rl_sums_of_4_channels(&w, input + c);
            output[c] = rl_scaled_average(&w, &scale, rl_lower_sum(sums.even, count));
            output[c + 1] = rl_scaled_average(&w, &scale, rl_lower_sum(sums.odd, count));
            output[c + 2] = rl_scaled_average(&w, &scale, rl_upper_sum(sums.even, count));
            output[c + 3] = rl_scaled_average(&w, &scale, rl_upper_sum(sums.odd, count));
        }
    }
    for (; c < w.channels; c++) {
        output[c] = rl_scaled_average(&w, &scale, rl_sum_of_channel(&w, input + c));
    }
}

#endif
