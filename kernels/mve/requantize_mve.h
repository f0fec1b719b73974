// SPDX-License-Identifier: Apache-2.0
// requantize.h, four lanes at a time. The results are the same, bit for bit, for multipliers of 0..2^31-1.
//
// The assembler of this folder uses a short form for shifts of -1 or less:
//     vrshl(vqrdmulh(value, multiplier) + (value >> 31), shift)
// The sign of the value stands in for that of the product: they differ only when the product rounds to 0, and -1
// divided by 2 or more rounds to 0 as well. VQDMLAH by 1 adds value >> 31 on the multiplier's side; mostly the adder is
// the busier one.
#ifndef RL_KERNELS_MVE_REQUANTIZE_MVE_H
#define RL_KERNELS_MVE_REQUANTIZE_MVE_H

#include <arm_mve.h>
#include <stdbool.h>

// value / 2^-shift with ties away from zero, lane by lane; shift -31..0. VRSHL rounds ties upwards, so negative values
// are first moved down by one; `value & shift` has its sign bit set only when both are negative.
static inline int32x4_t rl_divide_by_power_of_two_mve(int32x4_t value, int32x4_t shift)
{
    const int32x4_t correction = vshrq_n_s32(vandq_s32(value, shift), 31);
    return vrshlq_s32(vqaddq_s32(value, correction), shift);
}

// One (multiplier, shift) for all lanes.
static inline int32x4_t rl_requantize_mve(int32x4_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : shift;
    const int32x4_t high = vqrdmulhq_n_s32(vshlq_s32(value, vdupq_n_s32(left)), multiplier);
    return rl_divide_by_power_of_two_mve(high, vdupq_n_s32(right));
}

// One (multiplier, shift) per lane.
static inline int32x4_t rl_requantize_lanes_mve(int32x4_t value, int32x4_t multiplier, int32x4_t shift)
{
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t high = vqrdmulhq_s32(vshlq_s32(value, vmaxq_s32(shift, zero)), multiplier);
    return rl_divide_by_power_of_two_mve(high, vminq_s32(shift, zero));
}

// Requantizes eight channels, even and odd ones apart, to int16 in their order and adds `offset`. Multipliers and
// shifts are split in the same way.
static inline int16x8_t rl_requantize_eight_mve(int32x4x2_t value, const int32x4x2_t *multiplier,
                                                const int32x4x2_t *shift, int16_t offset)
{
    const int32x4_t even = rl_requantize_lanes_mve(value.val[0], multiplier->val[0], shift->val[0]);
    const int32x4_t odd = rl_requantize_lanes_mve(value.val[1], multiplier->val[1], shift->val[1]);
    const int16x8_t both = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
    return vqaddq_n_s16(both, offset);
}

// Whether all shifts are below 0. A loop that ends in a partial vector (dot_tile.h).
static inline bool rl_shifts_right(const int32_t *shift, int32_t channels)
{
    int32_t most = INT32_MIN;
    __asm__("wlstp.32 lr, %[channels], 2f\n"
            ".p2align 2\n"
            "1: vldrw.u32 q0, [%[shift]], #16\n"
            "vmaxv.s32 %[most], q0\n"
            "letp lr, 1b\n"
            "2:"
            : [most] "+r"(most), [shift] "+r"(shift)
            : [channels] "r"(channels)
            : "q0", "lr", "memory");
    return most < 0;
}

#endif
