// SPDX-License-Identifier: Apache-2.0
// Sums of rows of weights, four at a time, as the fully connected layer computes them. See scalar/row_sums_tile.h.
#ifndef RL_KERNELS_MVE_ROW_SUMS_TILE_H
#define RL_KERNELS_MVE_ROW_SUMS_TILE_H

#include "mve/fully_connected_tile.h"
#include "mve/requantize_mve.h"

static inline void rl_row_sums(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                               int32_t *sums)
{
    rl_fully_connected_sums(f, x, f->weights + (ptrdiff_t)first * f->depth, 0, count, sums);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const int32x4_t bias = vldrwq_z_s32(f->bias + first + i, active);
        vstrwq_p_s32(sums + i, vaddq_s32(vldrwq_z_s32(sums + i, active), bias), active);
    }
}

// fully_connected/store_s16.h
static inline void rl_store_s16(const int32_t *sums, const int32_t *multipliers, const int32_t *shifts, int32_t count,
                                int16_t *output)
{
    const int32x4_t low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const int32x4_t scaled = rl_requantize_lanes_mve(
            vldrwq_z_s32(sums + i, active), vldrwq_z_s32(multipliers + i, active), vldrwq_z_s32(shifts + i, active));
        vstrhq_p_s32(output + i, vmaxq_s32(vminq_s32(scaled, high), low), active);
    }
}

// fully_connected/store_s16.h
static inline void rl_add_s16(const int32_t *sums, struct rl_scale scale, int32_t count, bool first, int16_t *output)
{
    const int32x4_t low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        int32x4_t value = rl_requantize_mve(vldrwq_z_s32(sums + i, active), scale.multiplier, scale.shift);
        if (!first) {
            value = vaddq_s32(value, vldrhq_z_s32(output + i, active));
        }
        vstrhq_p_s32(output + i, vmaxq_s32(vminq_s32(value, high), low), active);
    }
}

#endif
