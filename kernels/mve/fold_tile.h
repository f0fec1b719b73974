// SPDX-License-Identifier: Apache-2.0
// Prepares the channels of a product with Helium. See scalar/fold_tile.h.
#ifndef RL_KERNELS_MVE_FOLD_TILE_H
#define RL_KERNELS_MVE_FOLD_TILE_H

#include <arm_mve.h>
#include <string.h>

#include "convolution/convolution.h"
#include "mve/dot_tile.h"
#include "mve/scale_rows.h"

// Whether all shifts are below 0.
static inline bool rl_shifts_right(const int32_t *shift, int32_t channels)
{
    int32x4_t most = vdupq_n_s32(INT32_MIN);
    for (int32_t i = 0; i < channels; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(channels - i));
        most = vmaxq_m_s32(most, most, vldrwq_z_s32(shift + i, active), active);
    }
    return vmaxvq_s32(INT32_MIN, most) < 0;
}

// Puts biases in the order that the loops for eight channels read.
static inline void rl_part_biases(int32_t *bias, int32_t channels)
{
    for (int32_t i = 0; i + 8 <= channels; i += 8) {
        const int32x4x2_t parts = vld2q_s32(bias + i);
        vstrwq_s32(bias + i, parts.val[0]);
        vstrwq_s32(bias + i + 4, parts.val[1]);
    }
}

static inline void rl_matmul_fold(struct rl_matmul *m, const struct rl_convolution *c, int32_t first)
{
    const int32_t *given = c->folded ? c->folded : c->bias;
    if (given) {
        memcpy(m->bias, given + first, (size_t)m->channels * sizeof *m->bias);
    } else {
        memset(m->bias, 0, (size_t)m->channels * sizeof *m->bias);
    }
    if (!c->folded && c->input_offset != 0) {
        const int8_t *filter = m->filter;
        for (int32_t i = 0; i < m->channels; i++, filter += m->depth) {
            m->bias[i] += c->input_offset * rl_sum_s8(filter, m->depth);
        }
    }
    m->right_shifts_only = rl_shifts_right(m->shift, m->channels);
    m->scale_in_eights = m->right_shifts_only && m->channels >= 8 &&
                         rl_scale_takes_eights(m->output_offset, m->output_min, m->output_max);
    if (m->scale_in_eights) {
        rl_part_biases(m->bias, m->channels);
    }
}

#endif
