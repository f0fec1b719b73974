// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_MUL_S8_TILE_H
#define RL_KERNELS_MVE_MUL_S8_TILE_H

#include <stdbool.h>

#include "elementwise/elementwise.h"
#include "elementwise/rescale.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

// Takes any shift, four elements at a time. Not inlined, so that the usual layer does not prepare for it.
static __attribute__((noinline)) void rl_mul_s8_slowly(const struct rl_mul *mul, const int8_t *a, const int8_t *b,
                                                       int8_t *output, int32_t count)
{
    for (; count > 0; count -= 4, a += 4, b += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t x = vaddq_n_s32(vldrbq_z_s32(a, active), mul->input_offset[0]);
        const int32x4_t y = vaddq_n_s32(vldrbq_z_s32(b, active), mul->input_offset[1]);
        const int32x4_t scaled = rl_requantize_mve(vmulq_s32(x, y), mul->scale.multiplier, mul->scale.shift);
        const int32x4_t shifted = vaddq_n_s32(scaled, mul->output_offset);
        const int32x4_t raised = vmaxq_s32(shifted, vdupq_n_s32(mul->range.min));
        vstrbq_p_s32(output, vminq_s32(raised, vdupq_n_s32(mul->range.max)), active);
    }
}

// Multiplies `count` elements by a shift of -1 or less, four at a time. In assembler because gcc makes no loop that
// ends in a partial vector from intrinsics.
static inline void rl_mul_s8_fours(const struct rl_mul *mul, const int8_t *a, const int8_t *b, int8_t *output,
                                   int32_t count)
{
    register int32_t left __asm__("lr") = count; // gcc has few registers for operands at -O0
    __asm__ volatile(
        "wlstp.32 lr, lr, 2f\n"
        ".p2align 2\n"
        "1: vldrb.s32 q0, [%[a]], #4\n"
        "vadd.i32 q0, q0, %q[offset_a]\n"
        "vldrb.s32 q1, [%[b]], #4\n"
        "vadd.i32 q1, q1, %[offset_b]\n"
        "vmul.i32 q0, q0, q1\n"
        "vshr.s32 q1, q0, #31\n"
        "vqrdmlah.s32 q1, q0, %[multiplier]\n"
        "vrshl.s32 q1, %[shift]\n"
        "vadd.i32 q1, q1, %[offset]\n"
        "vmax.s32 q1, q1, %q[low]\n"
        "vmin.s32 q1, q1, %q[high]\n"
        "vstrb.32 q1, [%[output]], #4\n"
        "letp lr, 1b\n"
        "2:"
        : [a] "+&l"(a), [b] "+&l"(b), [output] "+&l"(output), "+r"(left)
        : [offset_b] "r"(mul->input_offset[1]), [multiplier] "r"(mul->scale.multiplier), [shift] "r"(mul->scale.shift),
          [offset] "r"(mul->output_offset), [offset_a] "w"(vdupq_n_s32(mul->input_offset[0])),
          [low] "w"(vdupq_n_s32(mul->range.min)), [high] "w"(vdupq_n_s32(mul->range.max))
        : "q0", "q1", "memory");
}

// Multiplies whole eights, at least one: offsets and limits in 16 bits, products in 32. The output shifts right, and
// offsets are small. VQMOVN saturates before the output offset is added. That changes nothing, because the limits are
// within int8. Returns how many elements that were. Not inlined, because it takes more registers. In assembler because
// gcc orders it worse.
static __attribute__((noinline)) int32_t rl_mul_s8_eights(const struct rl_mul *mul, const int8_t *a, const int8_t *b,
                                                          int8_t *output)
{
    const int16x8_t low = vdupq_n_s16((int16_t)mul->range.min), high = vdupq_n_s16((int16_t)mul->range.max);
    register int32_t eights __asm__("lr") = mul->count >> 3; // gcc has few registers for operands at -O0
    __asm__ volatile("dls lr, lr\n"
                     ".p2align 2\n"
                     "1: vldrb.s16 q0, [%[a]], #8\n"
                     "vadd.i16 q0, q0, %[offset_a]\n"
                     "vldrb.s16 q1, [%[b]], #8\n"
                     "vadd.i16 q1, q1, %[offset_b]\n"
                     "vmullb.s16 q2, q0, q1\n"
                     "vshr.s32 q3, q2, #31\n"
                     "vmullt.s16 q0, q0, q1\n"
                     "vshr.s32 q1, q0, #31\n"
                     "vqrdmlah.s32 q3, q2, %[multiplier]\n"
                     "vrshl.s32 q3, %[shift]\n"
                     "vqrdmlah.s32 q1, q0, %[multiplier]\n"
                     "vrshl.s32 q1, %[shift]\n"
                     "vqmovnb.s32 q3, q3\n"
                     "vqmovnt.s32 q3, q1\n"
                     "vqadd.s16 q3, q3, %q[offset]\n"
                     "vmax.s16 q3, q3, %q[low]\n"
                     "vmin.s16 q3, q3, %q[high]\n"
                     "vstrb.16 q3, [%[output]], #8\n"
                     "le lr, 1b\n"
                     : [a] "+&l"(a), [b] "+&l"(b), [output] "+&l"(output), "+r"(eights)
                     : [offset_a] "r"(mul->input_offset[0]), [offset_b] "r"(mul->input_offset[1]),
                       [multiplier] "r"(mul->scale.multiplier), [shift] "r"(mul->scale.shift),
                       [offset] "w"(vdupq_n_s16((int16_t)mul->output_offset)), [low] "w"(low), [high] "w"(high)
                     : "q0", "q1", "q2", "q3", "memory");
    return mul->count & ~7;
}

enum { RL_MUL_S8_MANY = 96 }; // elements from which on a loop for eight of them pays

// output[i] = a[i] * b[i] for all elements. The output may be one of the inputs.
static inline void rl_mul_s8_tile(const struct rl_mul *mul, const int8_t *a, const int8_t *b, int8_t *output)
{
    if (mul->scale.shift >= 0) {
        rl_mul_s8_slowly(mul, a, b, output, mul->count);
        return;
    }
    int32_t done = 0;
    if (mul->count >= RL_MUL_S8_MANY && rl_offset_is_small(mul->input_offset[0]) &&
        rl_offset_is_small(mul->input_offset[1]) && rl_offset_is_small(mul->output_offset)) {
        done = rl_mul_s8_eights(mul, a, b, output);
    }
    rl_mul_s8_fours(mul, a + done, b + done, output + done, mul->count - done);
}

#endif
