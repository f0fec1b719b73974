// SPDX-License-Identifier: Apache-2.0
// The outputs of a layer with one scale from its sums: those of int4 weights, and of SVDF.
#ifndef RL_KERNELS_SCALAR_SCALE_S4_TILE_H
#define RL_KERNELS_SCALAR_SCALE_S4_TILE_H

#include "elementwise/rescale.h"
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/fully_connected.h"
#include "scalar/packed_rows.h"
#include "scalar/store_s8.h"
#include RL_TILE(rescale_tile.h)

enum { RL_SUMS_S4 = 16 }; // sums kept at a time, a multiple of four

// Adds the biases from channel `first` on to `count` sums. Returns whether all are at most 2^29 in magnitude then.
static inline bool rl_add_biases_s4(const int32_t *bias, int32_t first, int32_t count, int32_t *sums)
{
    enum { MOST = 1 << 29 };
    uint32_t far = 0;
    for (int32_t i = 0; i < count; i++) {
        sums[i] += bias ? bias[first + i] : 0;
        far |= ((uint32_t)sums[i] + MOST) >> 30;
    }
    return far == 0;
}

// Scales `count` sums from channel `first` on with layer->scale, after their biases are added to them. Of the layer it
// reads `bias`, `scale`, `output_offset` and `range`.
static inline void rl_scale_s4(const struct rl_fully_connected *layer, int32_t *sums, int32_t first, int32_t count,
                               int8_t *output)
{
    const struct rl_scale scale = layer->scale;
    const int32_t low = layer->range.min, high = layer->range.max;
    struct rl_rescale rescale = {0, 0, 0};
    const bool is_near = rl_add_biases_s4(layer->bias, first, count, sums);
    const bool is_short =
        !RL_SMALL && is_near && rl_rescale_init(layer->output_offset, scale.multiplier, scale.shift, &rescale);
    if (RL_HAS_STORE_S8 && is_short) {
        // To rl_packed_rows_store they are the rows of one channel.
        const struct rl_packed_rows rows = {.count = count, .output = {0, 1}};
        const struct rl_row_sums *all = (const struct rl_row_sums *)(const void *)sums;
        if (rl_packed_rows_store(&rescale, true, low, high, 1, all, &rows, output)) {
            return;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (!RL_SMALL && is_short) {
            output[i] = (int8_t)rl_clamp_s32(rl_rescale(rescale, sums[i] * 2), low, high);
            continue;
        }
        const int32_t scaled = rl_requantize(sums[i], scale.multiplier, scale.shift);
        output[i] = rl_output_s8(scaled, layer->output_offset, low, high);
    }
}

#endif
