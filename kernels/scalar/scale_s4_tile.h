// SPDX-License-Identifier: Apache-2.0
// The outputs of a layer with one scale from its sums: those of int4 weights, and of SVDF.
#ifndef RL_KERNELS_SCALAR_SCALE_S4_TILE_H
#define RL_KERNELS_SCALAR_SCALE_S4_TILE_H

#include "elementwise/rescale.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include "scalar/packed_rows.h"
#include "scalar/store_s8.h"
#include RL_TILE(rescale_tile.h)

enum { RL_SUMS_S4 = 16 }; // sums kept at a time, a multiple of four

// rl_scale_s4 for a Cortex-M0, where `rescale` takes the scale. False, after biases were added, where it does not take
// all sums.
static inline bool rl_scale_together_s4(const struct rl_fully_connected *layer, const struct rl_rescale *rescale,
                                        int32_t *sums, int32_t first, int32_t count, int8_t *output)
{
    enum { MOST = 1 << 29 };
    const int32_t *bias = layer->bias ? layer->bias + first : NULL;
    uint32_t far = 0;
    for (int32_t i = 0; i < count; i++) {
        sums[i] += bias ? bias[i] : 0;
        far |= ((uint32_t)sums[i] + MOST) >> 30;
    }
    // To rl_packed_rows_store they are the rows of one channel.
    const struct rl_packed_rows rows = {.count = count, .output = {0, 1}};
    const struct rl_row_sums *all = (const struct rl_row_sums *)(const void *)sums;
    return far == 0 && rl_packed_rows_store(rescale, true, layer->range.min, layer->range.max, 1, all, &rows, output);
}

// Adds the biases from channel `first` on to `count` sums, which may change, and scales them with layer->scale. Of the
// layer it reads `bias`, `scale`, `output_offset` and `range`.
static inline void rl_scale_s4(const struct rl_fully_connected *layer, int32_t *sums, int32_t first, int32_t count,
                               int8_t *output)
{
    const struct rl_scale scale = layer->scale;
    const int32_t low = layer->range.min, high = layer->range.max, most = INT32_C(1) << 29;
    const int32_t *bias = layer->bias;
    struct rl_rescale rescale = {0, 0, 0};
    const bool is_short = !RL_SMALL && rl_rescale_init(layer->output_offset, scale.multiplier, scale.shift, &rescale);
    if (RL_HAS_STORE_S8 && is_short) {
        if (rl_scale_together_s4(layer, &rescale, sums, first, count, output)) {
            return;
        }
        bias = NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t sum = sums[i] + (bias ? bias[first + i] : 0);
        if (!RL_SMALL && is_short && sum >= -most && sum <= most) {
            output[i] = (int8_t)rl_clamp_s32(rl_rescale(rescale, sum * 2), low, high);
            continue;
        }
        const int32_t scaled = rl_requantize(sum, scale.multiplier, scale.shift);
        output[i] = rl_output_s8(scaled, layer->output_offset, low, high);
    }
}

#endif
