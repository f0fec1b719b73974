// SPDX-License-Identifier: Apache-2.0
// Copy and fill of int8 runs with Helium. Same functions as scalar/memory_tile.h.
#ifndef RL_KERNELS_MVE_MEMORY_TILE_H
#define RL_KERNELS_MVE_MEMORY_TILE_H

#include <arm_mve.h>

// Copies `count` >= 0 elements; the areas must not overlap.
static inline void rl_copy_s8(int8_t *to, const int8_t *from, int32_t count)
{
    for (int32_t vectors = count >> 4; vectors > 0; vectors--, to += 16, from += 16) {
        vstrbq_s8(to, vldrbq_s8(from));
    }
    if ((count & 15) != 0) {
        const mve_pred16_t tail = vctp8q((uint32_t)(count & 15));
        vstrbq_p_s8(to, vldrbq_z_s8(from, tail), tail);
    }
}

// Writes `count` >= 0 copies of `value`.
static inline void rl_fill_s8(int8_t *to, int8_t value, int32_t count)
{
    const int8x16_t vector = vdupq_n_s8(value);
    for (int32_t vectors = count >> 4; vectors > 0; vectors--, to += 16) {
        vstrbq_s8(to, vector);
    }
    if ((count & 15) != 0) {
        vstrbq_p_s8(to, vector, vctp8q((uint32_t)(count & 15)));
    }
}

#endif
