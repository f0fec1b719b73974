// SPDX-License-Identifier: Apache-2.0
// Four filters at a time with Helium: the row is loaded once for all, and sums of 32 bits need half as many registers
// as those of 64. See fully_connected/row_s16.h.
#ifndef RL_KERNELS_MVE_ROW_S16_TILE_H
#define RL_KERNELS_MVE_ROW_S16_TILE_H

#include <arm_mve.h>

#include "fully_connected/row_s16.h"

// Adds the products of four filters. In assembler because gcc makes no loop that ends in a partial vector. Loads that
// widen take addresses in low registers only.
static inline int32x4_t rl_row_s16_four(const int16_t *x, const int8_t *w_0, const int8_t *w_1, const int8_t *w_2,
                                        const int8_t *w_3, int32_t depth)
{
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    __asm__ volatile("wlstp.16 lr, %[depth], 2f\n"
                     ".p2align 2\n"
                     "1: vldrh.u16 q0, [%[x]], #16\n"
                     "vldrb.s16 q1, [%[w_0]], #8\n"
                     "vmladava.s16 %[sum_0], q0, q1\n"
                     "vldrb.s16 q2, [%[w_1]], #8\n"
                     "vmladava.s16 %[sum_1], q0, q2\n"
                     "vldrb.s16 q1, [%[w_2]], #8\n"
                     "vmladava.s16 %[sum_2], q0, q1\n"
                     "vldrb.s16 q2, [%[w_3]], #8\n"
                     "vmladava.s16 %[sum_3], q0, q2\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [x] "+&r"(x), [w_0] "+&l"(w_0), [w_1] "+&l"(w_1), [w_2] "+&l"(w_2), [w_3] "+&l"(w_3),
                       [sum_0] "+&Te"(sum_0), [sum_1] "+&Te"(sum_1), [sum_2] "+&Te"(sum_2), [sum_3] "+&Te"(sum_3)
                     : [depth] "r"(depth)
                     : "q0", "q1", "q2", "lr", "memory");
    return (int32x4_t){sum_0, sum_1, sum_2, sum_3};
}

static inline bool rl_row_s16(const struct rl_row_s16 *row, int32_t *sums)
{
    const int32_t depth = row->depth;
    const int8_t *filter = row->filter;
    for (int32_t left = row->count; left > 0; left -= 4, sums += 4, filter += 4 * depth) {
        // Filters that are missing are the first one again.
        const int8_t *w_1 = left > 1 ? filter + depth : filter, *w_2 = left > 2 ? filter + 2 * depth : filter;
        const int8_t *w_3 = left > 3 ? filter + 3 * depth : filter;
        const int32x4_t products = rl_row_s16_four(row->x, filter, w_1, w_2, w_3, depth);
        const mve_pred16_t active = vctp32q((uint32_t)left);
        vstrwq_p_s32(sums, vaddq_s32(vldrwq_z_s32(sums, active), products), active);
    }
    return true;
}

static inline void rl_row_s16_store(const struct rl_row_s16_scale *scale, const int32_t *sums, int32_t count,
                                    int16_t *output)
{
    const int32_t multiplier = scale->multiplier << 16; // whose products have the floor in their upper half
    const int32x4_t right = vdupq_n_s32(-scale->right_shift);
    const int32x4_t low = vdupq_n_s32(scale->low), high = vdupq_n_s32(scale->high);
    for (; count > 0; count -= 4, sums += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t product = vmulhq_s32(vldrwq_z_s32(sums, active), vdupq_n_s32(multiplier));
        const int32x4_t scaled = vminq_s32(vmaxq_s32(vrshlq_s32(product, right), low), high);
        vstrhq_p_s32(output, scaled, active);
    }
}

#endif
