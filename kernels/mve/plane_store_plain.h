// SPDX-License-Identifier: Apache-2.0
// Scales the sums of eight channels and stores their outputs: plane_store.h in C. mve/plane_block.h gives the order of
// the channels.
#ifndef RL_KERNELS_MVE_PLANE_STORE_PLAIN_H
#define RL_KERNELS_MVE_PLANE_STORE_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "mve/plane_block.h"
#include "requantize.h"

// Stores `columns` outputs, `step` bytes apart, of each of `rows` rows, `row_step` bytes apart. Limits are within int8.
static inline void rl_plane_store_plain(const struct rl_plane_scale *s, const struct rl_plane_block *b, int32_t rows,
                                        int32_t columns, ptrdiff_t step, ptrdiff_t row_step, int8_t *output)
{
    for (int32_t i = 0; i < rows * columns * RL_PLANE_CHANNELS; i++) {
        const int32_t at = i % RL_PLANE_CHANNELS, column = i / RL_PLANE_CHANNELS % columns;
        const int32_t row = i / RL_PLANE_CHANNELS / columns, channel = at < 4 ? 2 * at : 2 * at - 7;
        const int32_t value = b->sums[row * b->sums_row + column * RL_PLANE_CHANNELS + at] + s->bias[at];
        const int32_t scaled =
            rl_clamp_s32(rl_requantize(value, s->multiplier[at], s->shift[at]), INT16_MIN, INT16_MAX);
        output[row * row_step + column * step + channel] = rl_output_s8(scaled, s->offset[at], s->low[at], s->high[at]);
    }
}

#endif
