// SPDX-License-Identifier: Apache-2.0
// One input row times all filters with Helium: each load of the input serves four VMLADAV. See
// fully_connected/fully_connected.h for the formula; kernel sums are always given here, so the input offset
// is 0.
#ifndef RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H
#define RL_KERNELS_MVE_FULLY_CONNECTED_TILE_H

#include "fully_connected/fully_connected.h"
#include "mve/matmul_tile.h"

// Products of one row with four filters of `depth` bytes, added to sums.
static inline void rl_dot_1x4_s8(const int8_t *row, const int8_t *const filters[4], int32_t depth,
                                 int32_t sums[4])
{
    const int8_t *filter_0 = filters[0];
    const int8_t *filter_1 = filters[1];
    const int8_t *filter_2 = filters[2];
    const int8_t *filter_3 = filters[3];
    int32_t sum_0 = sums[0];
    int32_t sum_1 = sums[1];
    int32_t sum_2 = sums[2];
    int32_t sum_3 = sums[3];
    for (int32_t i = depth >> 4; i > 0; i--) {
        const int8x16_t x = rl_next_vector(&row);
        const int8x16_t w_0 = rl_next_vector(&filter_0);
        sum_0 = vmladavaq_s8(sum_0, w_0, x);
        RL_AFTER(sum_0);
        const int8x16_t w_1 = rl_next_vector(&filter_1);
        sum_1 = vmladavaq_s8(sum_1, w_1, x);
        RL_AFTER(sum_1);
        const int8x16_t w_2 = rl_next_vector(&filter_2);
        sum_2 = vmladavaq_s8(sum_2, w_2, x);
        RL_AFTER(sum_2);
        const int8x16_t w_3 = rl_next_vector(&filter_3);
        sum_3 = vmladavaq_s8(sum_3, w_3, x);
        RL_AFTER(sum_3);
    }
    const mve_pred16_t tail = vctp8q((uint32_t)(depth & 15));
    const int8x16_t x = vldrbq_z_s8(row, tail);
    sums[0] = vmladavaq_s8(sum_0, vldrbq_z_s8(filter_0, tail), x);
    sums[1] = vmladavaq_s8(sum_1, vldrbq_z_s8(filter_1, tail), x);
    sums[2] = vmladavaq_s8(sum_2, vldrbq_z_s8(filter_2, tail), x);
    sums[3] = vmladavaq_s8(sum_3, vldrbq_z_s8(filter_3, tail), x);
}

// Scales four sums and stores the active ones.
static inline void rl_fully_connected_store(const struct rl_fully_connected *f, int32_t channel,
                                            const int32_t sums[4], mve_pred16_t active, int8_t *output)
{
    int32x4_t value = vaddq_s32(vldrwq_s32(sums), vldrwq_z_s32(f->base + channel, active));
    if (f->scale_step != 0) {
        const int32x4_t multiplier = vldrwq_z_s32(f->multiplier + channel, active);
        value = rl_requantize_lanes_mve(value, multiplier, vldrwq_z_s32(f->shift + channel, active));
    } else {
        value = rl_requantize_mve(value, *f->multiplier, *f->shift);
    }
    value = vaddq_n_s32(value, f->output_offset);
    value = vminq_s32(vmaxq_s32(value, vdupq_n_s32(f->output_min)), vdupq_n_s32(f->output_max));
    vstrbq_p_s32(output + channel, value, active);
}

// Reads f->depth bytes of `input` and the filters, any alignment; writes f->channels outputs.
static inline void rl_fully_connected_row(const struct rl_fully_connected *f, const int8_t *input,
                                          int32_t row_constant, int8_t *output)
{
    for (int32_t channel = 0; channel < f->channels; channel += 4) {
        // Filters that are missing repeat the last one; their sums are not stored.
        const int32_t last = f->channels - channel - 1;
        const int8_t *first = f->filter + (ptrdiff_t)channel * f->depth;
        const int8_t *const filters[4] = {first, first + (ptrdiff_t)rl_min_s32(last, 1) * f->depth,
                                          first + (ptrdiff_t)rl_min_s32(last, 2) * f->depth,
                                          first + (ptrdiff_t)rl_min_s32(last, 3) * f->depth};
        int32_t sums[4] = {row_constant, row_constant, row_constant, row_constant};
        rl_dot_1x4_s8(input, filters, f->depth, sums);
        rl_fully_connected_store(f, channel, sums, vctp32q((uint32_t)(last + 1)), output);
    }
}

#endif
