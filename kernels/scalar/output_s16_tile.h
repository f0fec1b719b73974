// SPDX-License-Identifier: Apache-2.0
// Several int16 outputs at once, where that is faster than one by one.
#ifndef RL_KERNELS_SCALAR_OUTPUT_S16_TILE_H
#define RL_KERNELS_SCALAR_OUTPUT_S16_TILE_H

#include <stdbool.h>

#include "convolution/output_s16.h"

// Never.
static inline bool rl_output_s16_2x2(const struct rl_output_s16 *o, int32_t channel, int32_t next,
                                     const int32_t sums[4], int16_t *first, int16_t *second)
{
    (void)o, (void)channel, (void)next, (void)sums, (void)first, (void)second;
    return false;
}

#endif
