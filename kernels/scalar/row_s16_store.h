// SPDX-License-Identifier: Apache-2.0
// rl_row_s16_store of fully_connected/row_s16.h, output by output.
#ifndef RL_KERNELS_SCALAR_ROW_S16_STORE_H
#define RL_KERNELS_SCALAR_ROW_S16_STORE_H

#include "fully_connected/row_s16.h"

// Not inlined, so that all it needs is in registers.
static __attribute__((noinline, unused)) void rl_row_s16_store(const struct rl_row_s16_scale *scale,
                                                               const int32_t *sums, int32_t count, int16_t *output)
{
    const struct rl_row_s16_scale s = *scale; // stores cannot change it
    do {
        *output++ = rl_row_s16_output(&s, *sums++);
    } while (--count > 0);
}

#endif
