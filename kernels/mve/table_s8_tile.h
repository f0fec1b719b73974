// SPDX-License-Identifier: Apache-2.0
// A table of all int8 values with Helium: sixteen values at a time.
#ifndef RL_KERNELS_MVE_TABLE_S8_TILE_H
#define RL_KERNELS_MVE_TABLE_S8_TILE_H

#include <arm_mve.h>

// output[i] = results[input[i] + 128] for i < count. In place is allowed.
static inline void rl_table_s8_tile(const int8_t *results, const int8_t *input, int8_t *output, int32_t count)
{
    const uint8x16_t turned = vdupq_n_u8(0x80);
    for (; count > 0; count -= 16, input += 16, output += 16) {
        const mve_pred16_t left = vctp8q((uint32_t)count);
        const uint8x16_t places = veorq_u8(vldrbq_z_u8((const uint8_t *)input, left), turned);
        vstrbq_p_s8(output, vldrbq_gather_offset_z_s8(results, places, left), left);
    }
}

#endif
