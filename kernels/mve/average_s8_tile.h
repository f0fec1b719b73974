// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_AVERAGE_S8_TILE_H
#define RL_KERNELS_MVE_AVERAGE_S8_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"
#include "requantize.h"

// The largest window whose sums of int8, plus half the window for rounding, fit in int16.
enum { RL_AVERAGE_PACKED_LIMIT = 253 };

// Divides a value of 0..129 * count by count: the upper half of its product with `reciprocal`, shifted right.
struct rl_average_divisor {
    uint16_t half;
    uint16_t reciprocal;
    int32_t right_shift;
};

// reciprocal = ceil(2^(16 + right_shift) / count) has 16 significant bits. right_shift is floor(log2(count)), or one
// less for a power of two, whose reciprocal is then exactly 2^15. The others are exact, too: the reciprocal's error is
// e < count, and n * e < 129 * count * 253 < 2^(16 + right_shift) because 2^(right_shift + 1) > count. The reciprocal
// of 1 has one bit too many; division by 1 is (n + 1) * 65535 / 2^16.
static inline struct rl_average_divisor rl_average_divisor(int32_t count)
{
    if (count == 1) {
        return (struct rl_average_divisor){1, UINT16_MAX, 0};
    }
    const uint32_t divisor = (uint32_t)count;
    const int32_t log2 = 31 - __builtin_clz(divisor);
    const int32_t right_shift = (divisor & (divisor - 1)) == 0 ? log2 - 1 : log2;
    const uint32_t numerator = UINT32_C(1) << (16 + right_shift);
    return (struct rl_average_divisor){(uint16_t)(divisor / 2), (uint16_t)((numerator + divisor - 1) / divisor),
                                       right_shift};
}

// Divides the sums and rounds ties away from zero.
static inline int16x8_t rl_average_divide(struct rl_average_divisor divisor, int16x8_t sums)
{
    const uint16x8_t magnitude = vaddq_n_u16(vreinterpretq_u16_s16(vabsq_s16(sums)), divisor.half);
    const uint16x8_t product = vmulhq_u16(magnitude, vdupq_n_u16(divisor.reciprocal));
    const int16x8_t quotient = vreinterpretq_s16_u16(vshlq_r_u16(product, -divisor.right_shift));
    return vnegq_m_s16(quotient, quotient, vcmpltq_n_s16(sums, 0));
}

// Averages from sums, within the activation limits.
static inline int16x8_t rl_average_of_sums(const struct rl_pool_window *w, struct rl_average_divisor divisor,
                                           int16x8_t sums)
{
    const int16x8_t raised = vmaxq_s16(rl_average_divide(divisor, sums), vdupq_n_s16((int16_t)w->min));
    return vminq_s16(raised, vdupq_n_s16((int16_t)w->max));
}

// Averages sixteen channels of a window of up to RL_AVERAGE_PACKED_LIMIT pixels.
static inline void rl_average_of_channels(const struct rl_pool_window *w, struct rl_average_divisor divisor,
                                          const int8_t *input, int8_t *output)
{
    int16x8_t sums = vdupq_n_s16(0), more_sums = vdupq_n_s16(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s16(sums, vldrbq_s16(pixel));
            more_sums = vaddq_s16(more_sums, vldrbq_s16(pixel + 8));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_s16(output, rl_average_of_sums(w, divisor, sums));
    vstrbq_s16(output + 8, rl_average_of_sums(w, divisor, more_sums));
}

// Averages up to eight channels, those that are active.
static inline void rl_average_of_active_channels(const struct rl_pool_window *w, struct rl_average_divisor divisor,
                                                 mve_pred16_t active, const int8_t *input, int8_t *output)
{
    int16x8_t sums = vdupq_n_s16(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s16(sums, vldrbq_z_s16(pixel, active));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    vstrbq_p_s16(output, rl_average_of_sums(w, divisor, sums), active);
}

// The sums of up to eight channels over a window whose rows have up to RL_AVERAGE_PACKED_LIMIT pixels: those of even
// channels, then those of odd ones. So many rows at a time are summed in 16 bits that their sums fit.
static inline void rl_sums_of_large_window(const struct rl_pool_window *w, const int8_t *input, mve_pred16_t active,
                                           int32_t sums[8])
{
    const int32_t most = RL_AVERAGE_PACKED_LIMIT / w->columns;
    int32x4_t even = vdupq_n_s32(0), odd = even;
    for (int32_t left = w->rows; left > 0; left -= most) {
        int16x8_t part = vdupq_n_s16(0);
        for (int32_t y = rl_min_s32(left, most); y > 0; y--, input += w->row_stride) {
            const int8_t *pixel = input;
            for (int32_t x = w->columns; x > 0; x--, pixel += w->channels) {
                part = vaddq_s16(part, vldrbq_z_s16(pixel, active));
            }
        }
        even = vaddq_s32(even, vmovlbq_s16(part));
        odd = vaddq_s32(odd, vmovltq_s16(part));
    }
    vstrwq_s32(sums, even);
    vstrwq_s32(sums + 4, odd);
}

// Averages each channel over a window of more than RL_AVERAGE_PACKED_LIMIT pixels.
static __attribute__((noinline)) void rl_average_of_large_window(const struct rl_pool_window *w, const int8_t *input,
                                                                 int8_t *output)
{
    if (w->columns > RL_AVERAGE_PACKED_LIMIT) {
        for (int32_t c = 0; c < w->channels; c++) {
            output[c] = rl_average_of_channel(w, input + c);
        }
        return;
    }
    for (int32_t c = 0; c < w->channels; c += 8) {
        const int32_t count = rl_min_s32(w->channels - c, 8);
        int32_t sums[8];
        rl_sums_of_large_window(w, input + c, vctp16q((uint32_t)count), sums);
        for (int32_t i = 0; i < count; i++) { // Helium has no division
            output[c + i] = rl_average_of_sum(w, sums[(i & 1) * 4 + i / 2]);
        }
    }
}

// Averages each channel over a window of at least one pixel, rounds ties away from zero, and clamps.
static inline void rl_average_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    const int32_t count = w.rows * w.columns;
    if (count > RL_AVERAGE_PACKED_LIMIT) {
        rl_average_of_large_window(window, input, output);
        return;
    }
    const struct rl_average_divisor divisor = rl_average_divisor(count);
    int32_t c = 0;
    for (; c + 16 <= w.channels; c += 16) {
        rl_average_of_channels(&w, divisor, input + c, output + c);
    }
    for (; c < w.channels; c += 8) {
        rl_average_of_active_channels(&w, divisor, vctp16q((uint32_t)(w.channels - c)), input + c, output + c);
    }
}

#endif
