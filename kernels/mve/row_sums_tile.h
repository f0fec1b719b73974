// SPDX-License-Identifier: Apache-2.0
// Sums of rows of weights, four at a time, as the fully connected layer computes them. See scalar/row_sums_tile.h.
#ifndef RL_KERNELS_MVE_ROW_SUMS_TILE_H
#define RL_KERNELS_MVE_ROW_SUMS_TILE_H

#include "mve/fully_connected_tile.h"
#include "mve/requantize_mve.h"

// The sums without the bias.
static inline void rl_plain_row_sums(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                                     int32_t *sums)
{
    const int8_t *filter = f->weights + (ptrdiff_t)first * f->depth;
    if (rl_has_many_filters(f)) {
        rl_fully_connected_sums(f, x, filter, 0, count, sums, true);
    } else {
        rl_fully_connected_sums(f, x, filter, 0, count, sums, false);
    }
}

static inline void rl_row_sums(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                               int32_t *sums)
{
    rl_plain_row_sums(f, x, first, count, sums);
    const int32_t *bias = f->bias + first;
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[sums]]\n"
                     "vldrw.u32 q1, [%[bias]], #16\n"
                     "vadd.i32 q0, q0, q1\n"
                     "vstrw.32 q0, [%[sums]], #16\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [bias] "+&r"(bias)
                     : [count] "r"(count)
                     : "q0", "q1", "lr", "memory");
}

// Whether all shifts are -1 or less.
static inline bool rl_all_shift_right(const int32_t *shifts, int32_t count)
{
    int32x4_t most = vdupq_n_s32(INT32_MIN);
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[shifts]], #16\n"
                     "vmax.s32 %q[most], %q[most], q0\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [shifts] "+&r"(shifts), [most] "+&w"(most)
                     : [count] "r"(count)
                     : "q0", "lr", "memory");
    return vmaxvq_s32(INT32_MIN, most) < 0;
}

// fully_connected/store_s16.h
static __attribute__((noinline, unused)) void rl_store_s16(const int32_t *sums, const int32_t *multipliers,
                                                           const int32_t *shifts, int32_t count, int16_t *output)
{
    const int32x4_t low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX);
    for (int32_t i = 0; i < count; i += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const int32x4_t scaled = rl_requantize_lanes_mve(
            vldrwq_z_s32(sums + i, active), vldrwq_z_s32(multipliers + i, active), vldrwq_z_s32(shifts + i, active));
        vstrhq_p_s32(output + i, vmaxq_s32(vminq_s32(scaled, high), low), active);
    }
}

// Adds the biases to sums, scales and stores them. Shifts are -1 or less: the short form of requantize_mve.h.
static inline void rl_store_right_s16(const int32_t *sums, const int32_t *bias, const int32_t *multipliers,
                                      const int32_t *shifts, int32_t count, int16_t *output)
{
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[sums]], #16\n"
                     "vldrw.u32 q1, [%[bias]], #16\n"
                     "vmla.s32 q0, q1, %[one]\n"
                     "vldrw.u32 q1, [%[multipliers]], #16\n"
                     "vqrdmulh.s32 q1, q0, q1\n"
                     "vldrw.u32 q2, [%[shifts]], #16\n"
                     "vqdmlah.s32 q1, q0, %[one]\n"
                     "vrshl.s32 q1, q1, q2\n"
                     "vqmovnb.s32 q1, q1\n"
                     "vstrh.32 q1, [%[output]], #8\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [bias] "+&r"(bias), [multipliers] "+&r"(multipliers), [shifts] "+&r"(shifts),
                       [output] "+&l"(output)
                     : [count] "r"(count), [one] "r"(1)
                     : "q0", "q1", "q2", "lr", "memory");
}

// See scalar/row_sums_tile.h.
static inline void rl_row_outputs_s16(const struct rl_fully_connected *f, const int8_t *x, int32_t first, int32_t count,
                                      int32_t *sums, int16_t *output)
{
    const int32_t *bias = f->bias + first, *multipliers = f->scales.multiplier + first;
    const int32_t *shifts = f->scales.shift + first;
    if (!rl_all_shift_right(shifts, count)) {
        rl_row_sums(f, x, first, count, sums);
        rl_store_s16(sums, multipliers, shifts, count, output);
        return;
    }
    rl_plain_row_sums(f, x, first, count, sums);
    rl_store_right_s16(sums, bias, multipliers, shifts, count, output);
}

// rl_add_s16 for a shift of -1 or less: the short form of requantize_mve.h.
static inline void rl_add_right_s16(const int32_t *sums, struct rl_scale scale, int32_t count, bool first,
                                    int16_t *output)
{
    if (first) {
        __asm__ volatile(
            "wlstp.32 lr, %[count], 2f\n"
            ".p2align 2\n"
            "1: vldrw.u32 q0, [%[sums]], #16\n"
            "vqrdmulh.s32 q1, q0, %[multiplier]\n"
            "vqdmlah.s32 q1, q0, %[one]\n"
            "vrshl.s32 q1, %[shift]\n"
            "vqmovnb.s32 q1, q1\n"
            "vstrh.32 q1, [%[output]], #8\n"
            "letp lr, 1b\n"
            "2:"
            : [sums] "+&r"(sums), [output] "+&l"(output)
            : [count] "r"(count), [multiplier] "r"(scale.multiplier), [shift] "r"(scale.shift), [one] "r"(1)
            : "q0", "q1", "lr", "memory");
        return;
    }
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrw.u32 q0, [%[sums]], #16\n"
                     "vqrdmulh.s32 q1, q0, %[multiplier]\n"
                     "vldrh.s32 q2, [%[output]]\n"
                     "vqdmlah.s32 q1, q0, %[one]\n"
                     "vrshl.s32 q1, %[shift]\n"
                     "vadd.i32 q1, q1, q2\n"
                     "vqmovnb.s32 q1, q1\n"
                     "vstrh.32 q1, [%[output]], #8\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [sums] "+&r"(sums), [output] "+&l"(output)
                     : [count] "r"(count), [multiplier] "r"(scale.multiplier), [shift] "r"(scale.shift), [one] "r"(1)
                     : "q0", "q1", "q2", "lr", "memory");
}

// fully_connected/store_s16.h
static inline void rl_add_s16(const int32_t *sums, struct rl_scale scale, int32_t count, bool first, int16_t *output)
{
    if (scale.shift < 0) {
        rl_add_right_s16(sums, scale, count, first, output);
        return;
    }
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
