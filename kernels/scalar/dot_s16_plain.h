// SPDX-License-Identifier: Apache-2.0
// rl_dot_s16_s8_2x2 in portable C. Included by dot_tile.h.
#ifndef RL_KERNELS_SCALAR_DOT_S16_PLAIN_H
#define RL_KERNELS_SCALAR_DOT_S16_PLAIN_H

static inline void rl_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                                     int32_t count, int32_t sums[4])
{
    int32_t sum_00 = 0, sum_01 = 0, sum_10 = 0, sum_11 = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = x_0[i], second = x_1[i], weight_0 = w_0[i], weight_1 = w_1[i];
        sum_00 += first * weight_0;
        sum_01 += first * weight_1;
        sum_10 += second * weight_0;
        sum_11 += second * weight_1;
    }
    sums[0] = sum_00;
    sums[1] = sum_01;
    sums[2] = sum_10;
    sums[3] = sum_11;
}

#endif
