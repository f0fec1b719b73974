// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MUL_S8_TILE_H
#define RL_KERNELS_MVE_MUL_S8_TILE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "elementwise/rescale.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

// Takes any shift, four elements at a time. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_mul_s8_slowly(const struct rl_mul *mul, const int8_t *a, const int8_t *b,
                                                       int8_t *output, int32_t count)
{
    for (; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t x = vaddq_n_s32(vldrbq_z_s32(a, active), mul->input_offset[0]);
        const int32x4_t y = vaddq_n_s32(vldrbq_z_s32(b, active), mul->input_offset[1]);
        const int32x4_t scaled = rl_requantize_mve(vmulq_s32(x, y), mul->scale.multiplier, mul->scale.shift);
        const int32x4_t shifted = vaddq_n_s32(scaled, mul->output_offset);
        const int32x4_t raised = vmaxq_s32(shifted, vdupq_n_s32(mul->range.min));
        vstrbq_p_s32(output, vminq_s32(raised, vdupq_n_s32(mul->range.max)), active);
    }
}

// Multiplies and rescales eight elements, the output offset and limits included.
static inline int16x8_t rl_mul_s8_eight(const struct rl_mul *m, int16x8_t a, int16x8_t b)
{
    const int16x8_t x = vaddq_n_s16(a, (int16_t)m->input_offset[0]);
    const int16x8_t y = vaddq_n_s16(b, (int16_t)m->input_offset[1]);
    const int32x4_t even = rl_rescale_mve(vmullbq_int_s16(x, y), m->scale.multiplier, m->scale.shift);
    const int32x4_t odd = rl_rescale_mve(vmulltq_int_s16(x, y), m->scale.multiplier, m->scale.shift);
    int16x8_t both = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
    both = vqaddq_n_s16(both, (int16_t)m->output_offset);
    const int16x8_t low = vdupq_n_s16((int16_t)rl_max_s32(m->range.min, INT8_MIN));
    const int16x8_t high = vdupq_n_s16((int16_t)rl_min_s32(m->range.max, INT8_MAX));
    return vminq_s16(vmaxq_s16(both, low), high);
}

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
//
// Computes eight elements at a time if the output shifts right: offsets and limits in 16 bits, products in 32. VQMOVN
// saturates before the output offset is added. That changes nothing, because the limits are within int8.
static inline void rl_mul_s8_tile(const struct rl_mul *mul, const int8_t *a, const int8_t *b, int8_t *output)
{
    const bool small = rl_offset_is_small(mul->input_offset[0]) && rl_offset_is_small(mul->input_offset[1]) &&
                       rl_offset_is_small(mul->output_offset);
    if (!small || mul->scale.shift >= 0) {
        rl_mul_s8_slowly(mul, a, b, output, mul->count);
        return;
    }
    const struct rl_mul m = *mul;
    for (int32_t vectors = m.count >> 3; vectors > 0; vectors--, a += 8, b += 8, output += 8) {
        vstrbq_s16(output, rl_mul_s8_eight(&m, vldrbq_s16(a), vldrbq_s16(b)));
    }
    if ((m.count & 7) != 0) {
        const mve_pred16_t active = vctp16q((uint32_t)m.count & 7u);
        vstrbq_p_s16(output, rl_mul_s8_eight(&m, vldrbq_z_s16(a, active), vldrbq_z_s16(b, active)), active);
    }
}

#endif
