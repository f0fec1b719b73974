// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with Helium, with int16 results. See scalar/matmul_s16_tile.h for the contract.
#ifndef RL_KERNELS_MVE_MATMUL_S16_TILE_H
#define RL_KERNELS_MVE_MATMUL_S16_TILE_H

#include "mve/matmul_tile.h"
#include "mve/row_sums_tile.h"

static inline int32_t rl_matmul_s16_bytes(int32_t depth, int32_t channels)
{
    (void)depth;
    return (rl_even(channels) + RL_MATMUL_ROWS * RL_SUM_BLOCK) * (int32_t)sizeof(int32_t);
}

// Scales and stores the sums of a row, with any shifts and limits.
static __attribute__((noinline)) void rl_matmul_store_s16(const struct rl_matmul *m, const int32_t *sums,
                                                          int16_t *output)
{
    const int32x4_t low = vdupq_n_s32(m->output_min), high = vdupq_n_s32(m->output_max);
    for (int32_t i = 0; i < m->channels; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(m->channels - i));
        const int32x4_t sum = vaddq_s32(vldrwq_s32(sums + i), vldrwq_z_s32(m->bias + i, active));
        const int32x4_t scaled =
            rl_requantize_lanes_mve(sum, vldrwq_z_s32(m->multiplier + i, active), vldrwq_z_s32(m->shift + i, active));
        vstrhq_p_s32(output + i, vmaxq_s32(vminq_s32(scaled, high), low), active);
    }
}

static inline void rl_matmul_outputs_s16(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS],
                                         int32_t count, int16_t *output, ptrdiff_t output_stride)
{
    const struct rl_filters filters = {
        .filter = m->filter, .depth = m->depth, .channels = m->channels, .step = m->depth};
    const struct rl_three_rows three = {.row_0 = rows[0],
                                        .filters = &filters,
                                        .row_1 = rows[rl_min_s32(1, count - 1)],
                                        .row_2 = rows[rl_min_s32(2, count - 1)],
                                        .sums = m->work};
    rl_call_assembler(rl_dot_rows_s8(m->depth), &three);
    const bool is_plain = m->right_shifts_only && m->output_min <= INT16_MIN && m->output_max >= INT16_MAX;
    const int32_t *sums = m->work;
    for (int32_t row = 0; row < count; row++, sums += RL_SUM_BLOCK, output += output_stride) {
        if (is_plain) {
            rl_store_right_s16(sums, m->bias, m->multiplier, m->shift, m->channels, output);
        } else {
            rl_matmul_store_s16(m, sums, output);
        }
    }
}

#endif
