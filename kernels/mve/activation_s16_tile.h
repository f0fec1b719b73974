// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_ACTIVATION_S16_TILE_H
#define RL_KERNELS_MVE_ACTIVATION_S16_TILE_H

#include <arm_mve.h>

#include "activation/activation_s16.h"

// How v, the table interpolated at a magnitude, becomes an output with 15 fractional bits: (v + right) >> shift for
// values of 0 and more, (left - v) >> shift for others. A magnitude has `bits` bits below its index in the table.
struct rl_activation_s16 {
    int32_t bits;
    uint32_t right;
    uint32_t left;
    int32_t shift;
};

// Magnitudes beyond the table take its last value, which rounds to the same outputs.
static inline __attribute__((always_inline)) uint32x4_t rl_activation_interpolate(struct rl_activation_s16 a,
                                                                                  uint32x4_t magnitude)
{
    const uint32_t end = (uint32_t)(RL_SIGMOID_TABLE_SIZE - 1) << a.bits;
    const uint32x4_t inside = vminq_u32(magnitude, vdupq_n_u32(end - 1));
    const uint32x4_t index = vshlq_r_u32(inside, -a.bits);
    const uint32x4_t here = vldrhq_gather_shifted_offset_u32(rl_sigmoid_table, index);
    const uint32x4_t next = vldrhq_gather_shifted_offset_u32(rl_sigmoid_table + 1, index);
    const uint32x4_t offset = vandq_u32(inside, vdupq_n_u32((UINT32_C(1) << a.bits) - 1));
    return vaddq_u32(vshlq_r_u32(here, a.bits), vmulq_u32(offset, vsubq_u32(next, here)));
}

// Four outputs from four inputs, which are scaled as rl_activation_scaled does.
static inline __attribute__((always_inline)) uint32x4_t
rl_activation_four(struct rl_activation_s16 a, struct rl_activation_input scale, int32x4_t input)
{
    const int32x4_t product = vaddq_n_s32(vmulq_n_s32(input, scale.multiplier), scale.rounding);
    const int32x4_t value = vshlq_r_s32(product, -scale.right_shift);
    const uint32x4_t v = rl_activation_interpolate(a, vreinterpretq_u32_s32(vabsq_s32(value)));
    const uint32x4_t right = vaddq_n_u32(v, a.right);
    const uint32x4_t sum = vsubq_m_u32(right, vdupq_n_u32(a.left), v, vcmpltq_n_s32(value, 0));
    return vshlq_r_u32(sum, -a.shift);
}

static inline __attribute__((always_inline)) void rl_activation_s16(struct rl_activation_s16 a,
                                                                    struct rl_activation_input scale,
                                                                    const int16_t *input, int16_t *output,
                                                                    int32_t count)
{
    for (int32_t i = count >> 2; i > 0; i--, input += 4, output += 4) {
        vstrhq_u32((uint16_t *)output, rl_activation_four(a, scale, vldrhq_s32(input)));
    }
    if ((count & 3) != 0) {
        const mve_pred16_t tail = vctp32q((uint32_t)(count & 3));
        vstrhq_p_u32((uint16_t *)output, rl_activation_four(a, scale, vldrhq_z_s32(input, tail)), tail);
    }
}

// These two are not inlined, because they save registers that a few elements do not need.
static __attribute__((noinline)) void rl_sigmoid_vectors(const struct rl_activation_input *scale, const int16_t *input,
                                                         int16_t *output, int32_t count)
{
    const struct rl_activation_s16 a = {9, 1u << 9, (1u << 25) + (1u << 9) - 1u, 10};
    rl_activation_s16(a, *scale, input, output, count);
}

static __attribute__((noinline)) void rl_tanh_vectors(const struct rl_activation_input *scale, const int16_t *input,
                                                      int16_t *output, int32_t count)
{
    const struct rl_activation_s16 a = {8, (1u << 7) - (1u << 23), (1u << 23) + (1u << 7) - 1u, 8};
    rl_activation_s16(a, *scale, input, output, count);
}

// Fewer elements are computed one by one.
enum { RL_ACTIVATION_FEW = 4 };

// output[i] = sigmoid(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_sigmoid_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                       int32_t count)
{
    if (count >= RL_ACTIVATION_FEW) {
        rl_sigmoid_vectors(&scale, input, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_sigmoid_one(scale, input[i]);
    }
}

// output[i] = tanh(input[i]) for i < count, with 15 fractional bits. In place is allowed.
static inline void rl_tanh_s16_tile(struct rl_activation_input scale, const int16_t *input, int16_t *output,
                                    int32_t count)
{
    if (count >= RL_ACTIVATION_FEW) {
        rl_tanh_vectors(&scale, input, output, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_tanh_one(scale, input[i]);
    }
}

#endif
