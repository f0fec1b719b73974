// SPDX-License-Identifier: Apache-2.0
// elementwise/rescale.h, four lanes at a time: the sign of the value takes part as the accumulator of VQRDMLAH.
#ifndef RL_KERNELS_MVE_RESCALE_MVE_H
#define RL_KERNELS_MVE_RESCALE_MVE_H

#include <arm_mve.h>

// value * multiplier / 2^31 / 2^-shift with the two roundings of requantize.h; multiplier 0..2^31-1, shift -31..-1.
static inline int32x4_t rl_rescale_mve(int32x4_t value, int32_t multiplier, int32_t shift)
{
    return vrshlq_n_s32(vqrdmlahq_n_s32(vshrq_n_s32(value, 31), value, multiplier), shift);
}

// The same for shift -31..0. `sign_shift` is rl_sign_shift_mve(shift): the sign must not take part when nothing is
// shifted out, and a left shift by 32 turns it into 0.
static inline int32x4_t rl_rescale_or_keep_mve(int32x4_t value, int32_t multiplier, int32_t shift, int32x4_t sign_shift)
{
    return vrshlq_n_s32(vqrdmlahq_n_s32(vshlq_s32(value, sign_shift), value, multiplier), shift);
}

static inline int32x4_t rl_sign_shift_mve(int32_t shift)
{
    return vdupq_n_s32(shift == 0 ? 32 : -31);
}

#endif
