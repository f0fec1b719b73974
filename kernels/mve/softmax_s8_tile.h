// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_SOFTMAX_S8_TILE_H
#define RL_KERNELS_MVE_SOFTMAX_S8_TILE_H

#include <arm_mve.h>
#include <stdbool.h>

#include "mve/exp_mve.h"
#include "softmax/exp_table.h"

// Whether rows compute only the exponentials of their elements, four at a time, and need no cleared table. For more
// elements a range of the table takes less time, since later rows find it.
static inline bool rl_softmax_is_direct(const struct rl_softmax *layer)
{
    enum { MOST_FOURS = 60 };
    return layer->row <= 4 * MOST_FOURS && layer->rows * ((layer->row + 3) / 4) <= MOST_FOURS;
}

static inline void rl_softmax_start(struct rl_exp_table *table, const struct rl_softmax *layer, bool direct)
{
    table->layer = *layer;
    if (!direct) {
        for (int32_t i = 0; i < RL_EXP_TABLE_SIZE; i += 4) {
            vstrwq_s32(table->value + i, vdupq_n_s32(RL_EXP_UNKNOWN));
        }
    }
}

// The largest element of a row of at least one.
static inline int32_t rl_softmax_maximum_s8(const int8_t *input, int32_t count)
{
    int8_t maximum = INT8_MIN;
    for (; count >= 16; count -= 16, input += 16) {
        maximum = vmaxvq_s8(maximum, vldrbq_s8(input));
    }
    const mve_pred16_t tail = vctp8q((uint32_t)count);
    return vmaxvq_p_s8(maximum, vldrbq_z_s8(input, tail), tail);
}

static inline int32_t rl_softmax_minimum_s8(const int8_t *input, int32_t count)
{
    int8_t minimum = INT8_MAX;
    for (; count >= 16; count -= 16, input += 16) {
        minimum = vminvq_s8(minimum, vldrbq_s8(input));
    }
    const mve_pred16_t tail = vctp8q((uint32_t)count);
    return vminvq_p_s8(minimum, vldrbq_z_s8(input, tail), tail);
}

// The exponentials of up to four elements, those that are active.
static inline int32x4_t rl_softmax_look_up(const struct rl_exp_table *table, const int8_t *input, int32x4_t maximum,
                                           mve_pred16_t active)
{
    const int32x4_t index = vsubq_s32(maximum, vldrbq_z_s32(input, active));
    return vldrwq_gather_shifted_offset_z_s32(table->value, vreinterpretq_u32_s32(index), active);
}

// The sum of the exponentials of a row, after entering them in the table.
static inline uint32_t rl_softmax_sum_s8(struct rl_exp_table *table, const int8_t *input, int32_t count,
                                         int32_t maximum, bool direct)
{
    if (direct) {
        rl_exp_table_enter_mve(table, input, count, maximum);
    } else {
        rl_exp_table_extend_mve(table, maximum - rl_softmax_minimum_s8(input, count));
    }
    const int32x4_t maxima = vdupq_n_s32(maximum);
    uint32_t sum = 0;
    for (; count > 0; count -= 4, input += 4) {
        const int32x4_t values = rl_softmax_look_up(table, input, maxima, vctp32q((uint32_t)count));
        sum = vaddvaq_u32(sum, vrshrq_n_u32(vreinterpretq_u32_s32(values), RL_EXP_SUM_SHIFT));
    }
    return sum;
}

// Writes the outputs of a row whose exponentials are all in the table. They are not negative before the offset is
// added, so VRSHL rounds ties as the reference does.
static inline void rl_softmax_scale_row_s8(const struct rl_exp_table *table, const struct rl_softmax_scale *scale,
                                           const int8_t *input, int32_t count, int32_t maximum, int8_t *output)
{
    const struct rl_softmax_scale s = *scale;
    const int32x4_t maxima = vdupq_n_s32(maximum), highest = vdupq_n_s32(INT8_MAX);
    for (; count > 0; count -= 4, input += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t values = rl_softmax_look_up(table, input, maxima, active);
        const int32x4_t scaled = vrshlq_n_s32(vqrdmulhq_n_s32(values, s.multiplier), -s.shift);
        vstrbq_p_s32(output, vminq_s32(vaddq_n_s32(scaled, INT8_MIN), highest), active);
    }
}

#endif
