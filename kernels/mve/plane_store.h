// SPDX-License-Identifier: Apache-2.0
// From the sums of eight channels to their outputs, along a line. See mve/plane_block.h for the order of
// channels.
#ifndef RL_KERNELS_MVE_PLANE_STORE_H
#define RL_KERNELS_MVE_PLANE_STORE_H

#include <arm_mve.h>
#include <stddef.h>

#include "arm_nn_types.h"
#include "mve/plane_block.h"
#include "mve/requantize_mve.h"

// `bias`, `multiplier` and `shift` of even and of odd channels.
static inline void rl_plane_scale_init(struct rl_plane_scale *s, const int32x4x2_t *bias,
                                       const int32x4x2_t *multiplier, const int32x4x2_t *shift,
                                       const cmsis_nn_dw_conv_params *params)
{
    const cmsis_nn_activation *limits = &params->activation;
    for (int i = 0; i < 2; i++) {
        vstrwq_s32(s->bias + 4 * i, bias->val[i]);
        vstrwq_s32(s->multiplier + 4 * i, multiplier->val[i]);
        vstrwq_s32(s->shift + 4 * i, shift->val[i]);
    }
    vstrhq_s16(s->offset, vdupq_n_s16((int16_t)params->output_offset));
    vstrhq_s16(s->low, vdupq_n_s16((int16_t)limits->min));
    vstrhq_s16(s->high, vdupq_n_s16((int16_t)limits->max));
    s->shifts_right = vmaxvq_s32(INT32_MIN, vmaxq_s32(shift->val[0], shift->val[1])) < 0;
    s->is_open = limits->min <= INT8_MIN && limits->max >= INT8_MAX;
    s->is_relu = limits->min >= params->output_offset;
}

// Any shifts and limits.
static inline void rl_plane_store_any(const struct rl_plane_scale *s, const int32_t *sums, int32_t columns,
                                      ptrdiff_t step, int8_t *output)
{
    const int32x4x2_t multiplier = {{vldrwq_s32(s->multiplier), vldrwq_s32(s->multiplier + 4)}};
    const int32x4x2_t shift = {{vldrwq_s32(s->shift), vldrwq_s32(s->shift + 4)}};
    for (; columns > 0; columns--, sums += RL_PLANE_CHANNELS, output += step) {
        const int32x4x2_t biased = {{vaddq_s32(vldrwq_s32(sums), vldrwq_s32(s->bias)),
                                     vaddq_s32(vldrwq_s32(sums + 4), vldrwq_s32(s->bias + 4))}};
        int16x8_t value = rl_requantize_eight_mve(biased, &multiplier, &shift, s->offset[0]);
        value = vmaxq_s16(value, vldrhq_s16(s->low));
        vstrbq_s16(output, vminq_s16(value, vldrhq_s16(s->high)));
    }
}

// For shifts to the right, the short form of requantize_mve.h of both halves, narrowed. In assembler because
// gcc keeps the constants on the stack, and moves loads and products to where they do not overlap. `sign` and
// `round` are what rounds ties away from zero.
// clang-format off
#define RL_PLANE_SCALE_LOOP(sign, round, tail) \
    __asm__ volatile("dls lr, %[columns]\n" \
                     "1:\n" \
                     "vldrw.s32 %q[a], [%[sums]], #16\n" \
                     "vadd.i32 %q[a], %q[a], %q[bias_0]\n" \
                     "vldrw.s32 %q[b], [%[sums]], #16\n" \
                     sign(a, a_sign) \
                     "vqrdmulh.s32 %q[a], %q[a], %q[multiplier]\n" \
                     "vadd.i32 %q[b], %q[b], %q[bias_1]\n" \
                     "vldrw.s32 %q[t], [%[scale], #48]\n" \
                     sign(b, b_sign) \
                     "vqrdmulh.s32 %q[b], %q[b], %q[t]\n" \
                     round(a, a_sign) \
                     "vldrw.s32 %q[t], [%[scale], #64]\n" \
                     "vrshl.s32 %q[a], %q[a], %q[t]\n" \
                     "vqmovnb.s32 %q[a], %q[a]\n" \
                     round(b, b_sign) \
                     "vldrw.s32 %q[t], [%[scale], #80]\n" \
                     "vrshl.s32 %q[b], %q[b], %q[t]\n" \
                     "vqmovnt.s32 %q[a], %q[b]\n" \
                     "vldrh.s16 %q[t], [%[scale], #96]\n" \
                     "vqadd.s16 %q[a], %q[a], %q[t]\n" \
                     tail \
                     "vstrb.16 %q[a], [%[output]]\n" \
                     "add %[output], %[output], %[step]\n" \
                     "le lr, 1b\n" \
                     : [a] "=&w"(a), [b] "=&w"(b), [a_sign] "=&w"(a_sign), [b_sign] "=&w"(b_sign), \
                       [t] "=&w"(t), [sums] "+&r"(sums), [output] "+&l"(output) \
                     : [columns] "r"(columns), [step] "r"(step), [scale] "r"(s), [bias_0] "w"(bias_0), \
                       [bias_1] "w"(bias_1), [multiplier] "w"(multiplier) \
                     : "lr", "memory")
#define RL_PLANE_NONE(value, sign_of_it)
#define RL_PLANE_SIGN(value, sign_of_it)  "vshr.s32 %q[" #sign_of_it "], %q[" #value "], #31\n"
#define RL_PLANE_ROUND(value, sign_of_it) "vadd.i32 %q[" #value "], %q[" #value "], %q[" #sign_of_it "]\n"
#define RL_PLANE_SATURATE                 "vqmovnb.s16 %q[a], %q[a]\n"
#define RL_PLANE_CLAMP                    "vldrh.s16 %q[t], [%[scale], #112]\n" \
                                          "vmax.s16 %q[a], %q[a], %q[t]\n" \
                                          "vldrh.s16 %q[t], [%[scale], #128]\n" \
                                          "vmin.s16 %q[a], %q[a], %q[t]\n"
// clang-format on

_Static_assert(offsetof(struct rl_plane_scale, multiplier) == 32 &&
                   offsetof(struct rl_plane_scale, shift) == 64 &&
                   offsetof(struct rl_plane_scale, offset) == 96 &&
                   offsetof(struct rl_plane_scale, low) == 112 &&
                   offsetof(struct rl_plane_scale, high) == 128,
               "the assembler uses these offsets");

static void rl_plane_store(const struct rl_plane_scale *s, const int32_t *sums, int32_t columns,
                           ptrdiff_t step, int8_t *output)
{
    if (!s->shifts_right) {
        rl_plane_store_any(s, sums, columns, step, output);
        return;
    }
    const int32x4_t bias_0 = vldrwq_s32(s->bias), bias_1 = vldrwq_s32(s->bias + 4);
    const int32x4_t multiplier = vldrwq_s32(s->multiplier);
    int32x4_t a, b, a_sign, b_sign, t;
    if (s->is_relu && s->is_open) {
        RL_PLANE_SCALE_LOOP(RL_PLANE_NONE, RL_PLANE_NONE, RL_PLANE_SATURATE);
    } else if (s->is_open) {
        RL_PLANE_SCALE_LOOP(RL_PLANE_SIGN, RL_PLANE_ROUND, RL_PLANE_SATURATE);
    } else {
        RL_PLANE_SCALE_LOOP(RL_PLANE_SIGN, RL_PLANE_ROUND, RL_PLANE_CLAMP);
    }
}

#endif
