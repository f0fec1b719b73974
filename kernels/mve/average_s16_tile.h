// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_AVERAGE_S16_TILE_H
#define RL_KERNELS_MVE_AVERAGE_S16_TILE_H

#include <arm_mve.h>

#include "pooling/window.h"
#include "requantize.h"

// Divides the magnitude of a sum by the number of pixels: the upper word of (magnitude + addend) * reciprocal.
struct rl_average_s16_divisor {
    int32_t count;       // 0 if the window is too large for this division to be exact
    uint32_t addend;     // half the count, for rounding
    uint32_t reciprocal; // floor(2^32 / count) + 1
};

// The largest window that is divided in this way. The reciprocal is too large by (e / count) * 2^-32 with e <= count,
// and magnitudes n are at most 256 * 2^15 + 128. So n * e < 2^32, which does not reach the next multiple of count. The
// reciprocal of 1 has one bit too many; division by 1 is (n + 1) * (2^32 - 1) / 2^32.
enum { RL_AVERAGE_S16_LIMIT = 256 };

static inline struct rl_average_s16_divisor rl_average_s16_divisor(int32_t count)
{
    const uint32_t divisor = (uint32_t)count;
    if (count > RL_AVERAGE_S16_LIMIT) {
        return (struct rl_average_s16_divisor){0, 0, 0};
    }
    if (count == 1) {
        return (struct rl_average_s16_divisor){1, 1, UINT32_MAX};
    }
    return (struct rl_average_s16_divisor){count, divisor / 2, UINT32_MAX / divisor + 1};
}

// Stores the averages of up to four sums, those that are active.
static inline void rl_average_store_s16(const struct rl_pool_window *w, struct rl_average_s16_divisor divisor,
                                        int32x4_t sums, mve_pred16_t active, int16_t *output)
{
    if (divisor.count == 0) {
        const int32_t count = w->rows * w->columns;
        int32_t values[4];
        vstrwq_s32(values, sums);
        for (int i = 0; i < 4; i++) { // Helium has no division
            const int32_t rounded = values[i] > 0 ? values[i] + count / 2 : values[i] - count / 2;
            values[i] = rl_clamp_s32(rounded / count, w->min, w->max);
        }
        vstrhq_p_s32(output, vldrwq_s32(values), active);
        return;
    }
    const uint32x4_t magnitude = vaddq_n_u32(vreinterpretq_u32_s32(vabsq_s32(sums)), divisor.addend);
    const int32x4_t quotient = vreinterpretq_s32_u32(vmulhq_u32(magnitude, vdupq_n_u32(divisor.reciprocal)));
    const int32x4_t average = vnegq_m_s32(quotient, quotient, vcmpltq_n_s32(sums, 0));
    const int32x4_t raised = vmaxq_s32(average, vdupq_n_s32(w->min));
    vstrhq_p_s32(output, vminq_s32(raised, vdupq_n_s32(w->max)), active);
}

// Stores the averages of eight channels.
static inline void rl_average_of_channels_s16(const struct rl_pool_window *w, struct rl_average_s16_divisor divisor,
                                              const int16_t *input, int16_t *output)
{
    int32x4_t sums = vdupq_n_s32(0), more_sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrhq_s32(pixel));
            __asm__ volatile("" : "+w"(sums) : : "memory"); // this addition overlaps with the next load
            more_sums = vaddq_s32(more_sums, vldrhq_s32(pixel + 4));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_average_store_s16(w, divisor, sums, vctp32q(4), output);
    rl_average_store_s16(w, divisor, more_sums, vctp32q(4), output + 4);
}

// Stores the averages of up to four channels, those that are active.
static inline void rl_average_of_active_channels_s16(const struct rl_pool_window *w,
                                                     struct rl_average_s16_divisor divisor, mve_pred16_t active,
                                                     const int16_t *input, int16_t *output)
{
    int32x4_t sums = vdupq_n_s32(0);
    for (int32_t y = w->rows; y > 0; y--) {
        const int16_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sums = vaddq_s32(sums, vldrhq_z_s32(pixel, active));
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    rl_average_store_s16(w, divisor, sums, active, output);
}

// Averages each channel over a window of at least one pixel, rounds ties away from zero, and clamps.
static inline void rl_average_s16_tile(const struct rl_pool_window *window, const int16_t *input, int16_t *output)
{
    const struct rl_pool_window w = *window;
    const struct rl_average_s16_divisor divisor = rl_average_s16_divisor(w.rows * w.columns);
    int32_t c = 0;
    for (; c + 8 <= w.channels; c += 8) {
        rl_average_of_channels_s16(&w, divisor, input + c, output + c);
    }
    for (; c < w.channels; c += 4) {
        rl_average_of_active_channels_s16(&w, divisor, vctp32q((uint32_t)(w.channels - c)), input + c, output + c);
    }
}

#endif
