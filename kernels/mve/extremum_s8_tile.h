// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_EXTREMUM_S8_TILE_H
#define RL_KERNELS_MVE_EXTREMUM_S8_TILE_H

#include <arm_mve.h>

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    for (int32_t vectors = count >> 4; vectors > 0; vectors--, a += 16, b += 16, output += 16) {
        vstrbq_s8(output, vminq_s8(vldrbq_s8(a), vldrbq_s8(b)));
    }
    if ((count & 15) != 0) {
        const mve_pred16_t tail = vctp8q((uint32_t)(count & 15));
        vstrbq_p_s8(output, vminq_s8(vldrbq_z_s8(a, tail), vldrbq_z_s8(b, tail)), tail);
    }
}

// output[i] = max(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_maximum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    for (int32_t vectors = count >> 4; vectors > 0; vectors--, a += 16, b += 16, output += 16) {
        vstrbq_s8(output, vmaxq_s8(vldrbq_s8(a), vldrbq_s8(b)));
    }
    if ((count & 15) != 0) {
        const mve_pred16_t tail = vctp8q((uint32_t)(count & 15));
        vstrbq_p_s8(output, vmaxq_s8(vldrbq_z_s8(a, tail), vldrbq_z_s8(b, tail)), tail);
    }
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    const int8x16_t lows = vdupq_n_s8(low), highs = vdupq_n_s8(high);
    // In assembler because gcc puts the stores behind each other, where they wait.
    __asm__ volatile("wls lr, %[pairs], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.s8 q0, [%[input]], #16\n"
                     "vmax.s8 q0, q0, %q[lows]\n"
                     "vldrb.s8 q1, [%[input]], #16\n"
                     "vmin.s8 q0, q0, %q[highs]\n"
                     "vstrb.8 q0, [%[output]], #16\n"
                     "vmax.s8 q1, q1, %q[lows]\n"
                     "vmin.s8 q1, q1, %q[highs]\n"
                     "vstrb.8 q1, [%[output]], #16\n"
                     "le lr, 1b\n"
                     "2:"
                     : [input] "+r"(input), [output] "+r"(output)
                     : [pairs] "r"(count >> 5), [lows] "w"(lows), [highs] "w"(highs)
                     : "q0", "q1", "lr", "memory");
    for (int32_t left = count & 31; left > 0; left -= 16, input += 16, output += 16) {
        const mve_pred16_t active = vctp8q((uint32_t)left);
        vstrbq_p_s8(output, vminq_s8(vmaxq_s8(vldrbq_z_s8(input, active), lows), highs), active);
    }
}

#endif
