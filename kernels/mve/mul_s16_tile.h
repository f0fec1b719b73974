// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MUL_S16_TILE_H
#define RL_KERNELS_MVE_MUL_S16_TILE_H

#include "elementwise/elementwise.h"
#include "elementwise/rescale.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

static inline int32x4_t rl_mul_s16_limit(const struct rl_mul *mul, int32x4_t value)
{
    return vminq_s32(vmaxq_s32(value, vdupq_n_s32(mul->range.min)), vdupq_n_s32(mul->range.max));
}

// Multiplies and rescales up to four elements, those that are active.
static inline int32x4_t rl_mul_s16_mve(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                       mve_pred16_t active)
{
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(a, active), vldrhq_z_s32(b, active));
    return rl_requantize_mve(product, mul->scale.multiplier, mul->scale.shift);
}

// Multiplies and rescales eight elements by a shift of -1 or less, saturated to int16.
static inline int16x8_t rl_mul_s16_eight(const struct rl_mul *mul, int16x8_t x, int16x8_t y)
{
    const int32x4_t even = rl_rescale_mve(vmullbq_int_s16(x, y), mul->scale.multiplier, mul->scale.shift);
    const int32x4_t odd = rl_rescale_mve(vmulltq_int_s16(x, y), mul->scale.multiplier, mul->scale.shift);
    return vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
}

// Takes any shift, four elements at a time. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_mul_s16_slowly(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                                        int16_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t count = m.count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        vstrhq_p_s32(output, rl_mul_s16_limit(&m, rl_mul_s16_mve(&m, a, b, active)), active);
    }
}

// Multiplies `count` elements by a shift of -1 or less, four at a time. In assembler because gcc makes no loop that
// ends in a partial vector from intrinsics.
static inline void rl_mul_s16_fours(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int16_t *output,
                                    int32_t count)
{
    __asm__ volatile("wlstp.32 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrh.s32 q0, [%[a]], #8\n"
                     "vldrh.s32 q1, [%[b]], #8\n"
                     "vmul.i32 q0, q0, q1\n"
                     "vshr.s32 q1, q0, #31\n"
                     "vqrdmlah.s32 q1, q0, %[multiplier]\n"
                     "vrshl.s32 q1, %[shift]\n"
                     "vmax.s32 q1, q1, %q[low]\n"
                     "vmin.s32 q1, q1, %q[high]\n"
                     "vstrh.32 q1, [%[output]], #8\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [a] "+&l"(a), [b] "+&l"(b), [output] "+&l"(output)
                     : [count] "r"(count), [multiplier] "r"(mul->scale.multiplier), [shift] "r"(mul->scale.shift),
                       [low] "w"(vdupq_n_s32(mul->range.min)), [high] "w"(vdupq_n_s32(mul->range.max))
                     : "q0", "q1", "lr", "memory");
}

enum { RL_MUL_S16_MANY = 256 }; // elements from which on a loop for eight of them pays

// Multiplies whole eights and returns how many elements that were. The output shifts right. VQMOVN saturates before the
// limits, which changes nothing, because they are within int16. Not inlined, because it takes more registers.
static __attribute__((noinline)) int32_t rl_mul_s16_eights(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                                           int16_t *output)
{
    const struct rl_mul m = *mul;
    const int16x8_t low = vdupq_n_s16((int16_t)rl_max_s32(m.range.min, INT16_MIN));
    const int16x8_t high = vdupq_n_s16((int16_t)rl_min_s32(m.range.max, INT16_MAX));
    for (int32_t vectors = m.count >> 3; vectors > 0; vectors--, a += 8, b += 8, output += 8) {
        const int16x8_t both = rl_mul_s16_eight(&m, vldrhq_s16(a), vldrhq_s16(b));
        vstrhq_s16(output, vminq_s16(vmaxq_s16(both, low), high));
    }
    return m.count & ~7;
}

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (mul->scale.shift >= 0) {
        rl_mul_s16_slowly(mul, a, b, output);
        return;
    }
    const int32_t done = mul->count >= RL_MUL_S16_MANY ? rl_mul_s16_eights(mul, a, b, output) : 0;
    rl_mul_s16_fours(mul, a + done, b + done, output + done, mul->count - done);
}

// output[i] += a[i] * b[i] for all elements.
static inline void rl_mul_accumulate_s16_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b,
                                              int16_t *output)
{
    const struct rl_mul m = *mul;
    for (int32_t count = m.count; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t sum = vaddq_s32(vldrhq_z_s32(output, active), rl_mul_s16_mve(&m, a, b, active));
        vstrhq_p_s32(output, rl_mul_s16_limit(&m, sum), active);
    }
}

// output[i] = a[i] * b[i] + the output offset, for outputs of int8. VQMOVN saturates before the offset is added, which
// changes nothing, because the limits are within int8.
static inline void rl_mul_s16_s8_tile(const struct rl_mul *mul, const int16_t *a, const int16_t *b, int8_t *output)
{
    const struct rl_mul m = *mul;
    int32_t count = m.count;
    if (m.scale.shift < 0 && rl_offset_is_small(m.output_offset)) {
        const int16x8_t low = vdupq_n_s16((int16_t)rl_max_s32(m.range.min, INT8_MIN));
        const int16x8_t high = vdupq_n_s16((int16_t)rl_min_s32(m.range.max, INT8_MAX));
        for (int32_t vectors = count >> 3; vectors > 0; vectors--, a += 8, b += 8, output += 8) {
            const int16x8_t both =
                vqaddq_n_s16(rl_mul_s16_eight(&m, vldrhq_s16(a), vldrhq_s16(b)), (int16_t)m.output_offset);
            vstrbq_s16(output, vminq_s16(vmaxq_s16(both, low), high));
        }
        count &= 7;
    }
    for (; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t shifted = vaddq_n_s32(rl_mul_s16_mve(&m, a, b, active), m.output_offset);
        vstrbq_p_s32(output, rl_mul_s16_limit(&m, shifted), active);
    }
}

#endif
