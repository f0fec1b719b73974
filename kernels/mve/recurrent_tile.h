// SPDX-License-Identifier: Apache-2.0
// Four gates at a time. See scalar/recurrent_tile.h.
#ifndef RL_KERNELS_MVE_RECURRENT_TILE_H
#define RL_KERNELS_MVE_RECURRENT_TILE_H

#include "mve/row_sums_tile.h"
#include "recurrent/rows.h"

static inline void rl_gate_values(const struct rl_row_scales *scales, const int32_t *sums, int32_t count,
                                  int16_t *values)
{
    const int32x4_t zero = vdupq_n_s32(0), low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const int32x4_t shift = vldrwq_z_s32(scales->shift + i, active), left = vmaxq_s32(shift, zero);
        const int32x4_t input = vshlq_s32(vldrwq_z_s32(sums + i, active), left);
        const int32x4_t hidden = vshlq_s32(vldrwq_z_s32(sums + RL_GATE_BLOCK + i, active), left);
        const int32x4_t sum = vaddq_s32(vrmulhq_s32(input, vldrwq_z_s32(scales->input + i, active)),
                                        vrmulhq_s32(hidden, vldrwq_z_s32(scales->hidden + i, active)));
        const int32x4_t rounded = vrshlq_s32(sum, vminq_s32(shift, zero));
        vstrhq_p_s32(values + i, vmaxq_s32(vminq_s32(rounded, high), low), active);
    }
}

#endif
