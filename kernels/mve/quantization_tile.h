// SPDX-License-Identifier: Apache-2.0
// The functions of quantization.h. Helium rounds to even. It takes subnormal numbers for 0, which changes nothing with
// ordinary scales. VMAXNM of NaN and a number is the number. The loops are in assembler because gcc makes no loop that
// ends in a partial vector from intrinsics.
#ifndef RL_KERNELS_MVE_QUANTIZATION_TILE_H
#define RL_KERNELS_MVE_QUANTIZATION_TILE_H

#include <arm_mve.h>

#include "quantization.h"

// `store` is VSTRB.32 or VSTRH.32 and `step` the bytes of four integers. Two vectors at a time do not wait for each
// other.
#define RL_QUANTIZE_LOOP(store, step)                                                                                  \
    __asm__ volatile("lsr lr, %[count], #3\n"                                                                          \
                     "wls lr, lr, 4f\n"                                                                                \
                     ".p2align 2\n"                                                                                    \
                     "3: vldrw.u32 q0, [%[from]], #16\n"                                                               \
                     "vmul.f32 q0, q0, %[inverse]\n"                                                                   \
                     "vldrw.u32 q1, [%[from]], #16\n"                                                                  \
                     "vmaxnm.f32 q0, q0, %q[low]\n"                                                                    \
                     "vmul.f32 q1, q1, %[inverse]\n"                                                                   \
                     "vminnm.f32 q0, q0, %q[high]\n"                                                                   \
                     "vmaxnm.f32 q1, q1, %q[low]\n"                                                                    \
                     "vcvtn.s32.f32 q0, q0\n"                                                                          \
                     "vminnm.f32 q1, q1, %q[high]\n"                                                                   \
                     "vadd.i32 q0, q0, %[zero_point]\n"                                                                \
                     "vcvtn.s32.f32 q1, q1\n" store " q0, [%[to]], #" step "\n"                                        \
                     "vadd.i32 q1, q1, %[zero_point]\n" store " q1, [%[to]], #" step "\n"                              \
                     "le lr, 3b\n"                                                                                     \
                     "4: and lr, %[count], #7\n"                                                                       \
                     "wlstp.32 lr, lr, 2f\n"                                                                           \
                     ".p2align 2\n"                                                                                    \
                     "1: vldrw.u32 q0, [%[from]], #16\n"                                                               \
                     "vmul.f32 q0, q0, %[inverse]\n"                                                                   \
                     "vmaxnm.f32 q0, q0, %q[low]\n"                                                                    \
                     "vminnm.f32 q0, q0, %q[high]\n"                                                                   \
                     "vcvtn.s32.f32 q0, q0\n"                                                                          \
                     "vadd.i32 q0, q0, %[zero_point]\n" store " q0, [%[to]], #" step "\n"                              \
                     "letp lr, 1b\n"                                                                                   \
                     "2:"                                                                                              \
                     : [from] "+&r"(from), [to] "+&l"(to)                                                              \
                     : [count] "r"(count), [inverse] "r"(inverse), [zero_point] "r"(q->zero_point), [low] "w"(low),    \
                       [high] "w"(high)                                                                                \
                     : "q0", "q1", "lr", "memory")

static inline __attribute__((always_inline)) bool rl_quantize_many(const float *from, uint32_t count,
                                                                   const struct rl_quantization *q, bool wide, void *to)
{
    if (!rl_scale_is_ordinary(q->scale)) {
        return false;
    }
    const uint32_t inverse = rl_bits_of_float(1.0f / q->scale);
    const float32x4_t low = vdupq_n_f32((float)(q->min - q->zero_point));
    const float32x4_t high = vdupq_n_f32((float)(q->max - q->zero_point));
    if (wide) {
        RL_QUANTIZE_LOOP("vstrh.32", "8");
    } else {
        RL_QUANTIZE_LOOP("vstrb.32", "4");
    }
    return true;
}

// `load` is VLDRB.S32 or VLDRH.S32 and `step` the bytes of four integers.
#define RL_DEQUANTIZE_LOOP(load, step)                                                                                 \
    __asm__ volatile("lsr lr, %[count], #3\n"                                                                          \
                     "wls lr, lr, 4f\n"                                                                                \
                     ".p2align 2\n"                                                                                    \
                     "3: " load " q0, [%[from]], #" step "\n"                                                          \
                     "vsub.i32 q0, q0, %[zero_point]\n" load " q1, [%[from]], #" step "\n"                             \
                     "vcvt.f32.s32 q0, q0\n"                                                                           \
                     "vsub.i32 q1, q1, %[zero_point]\n"                                                                \
                     "vmul.f32 q0, q0, %[scale]\n"                                                                     \
                     "vcvt.f32.s32 q1, q1\n"                                                                           \
                     "vstrw.32 q0, [%[to]], #16\n"                                                                     \
                     "vmul.f32 q1, q1, %[scale]\n"                                                                     \
                     "vstrw.32 q1, [%[to]], #16\n"                                                                     \
                     "le lr, 3b\n"                                                                                     \
                     "4: and lr, %[count], #7\n"                                                                       \
                     "wlstp.32 lr, lr, 2f\n"                                                                           \
                     ".p2align 2\n"                                                                                    \
                     "1: " load " q0, [%[from]], #" step "\n"                                                          \
                     "vsub.i32 q0, q0, %[zero_point]\n"                                                                \
                     "vcvt.f32.s32 q0, q0\n"                                                                           \
                     "vmul.f32 q0, q0, %[scale]\n"                                                                     \
                     "vstrw.32 q0, [%[to]], #16\n"                                                                     \
                     "letp lr, 1b\n"                                                                                   \
                     "2:"                                                                                              \
                     : [from] "+&l"(from), [to] "+&r"(to)                                                              \
                     : [count] "r"(count), [scale] "r"(scale), [zero_point] "r"(q->zero_point)                         \
                     : "q0", "q1", "lr", "memory")

static inline __attribute__((always_inline)) bool rl_dequantize_many(const void *from, bool wide, uint32_t count,
                                                                     const struct rl_quantization *q, float *to)
{
    if (!rl_scale_is_ordinary(q->scale)) {
        return false;
    }
    const uint32_t scale = rl_bits_of_float(q->scale);
    if (wide) {
        RL_DEQUANTIZE_LOOP("vldrh.s32", "8");
    } else {
        RL_DEQUANTIZE_LOOP("vldrb.s32", "4");
    }
    return true;
}

#endif
