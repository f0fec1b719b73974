// SPDX-License-Identifier: Apache-2.0
// Sums of four int8 channels at a time over a window, two in each word.
#ifndef RL_KERNELS_SCALAR_WINDOW_SUMS_H
#define RL_KERNELS_SCALAR_WINDOW_SUMS_H

#include "isa.h"
#include "pooling/window.h"
#include RL_TILE(packed_s8_tile.h)

// The largest window whose sums of unsigned bytes fit in 16 bits.
enum { RL_AVERAGE_PACKED_LIMIT = 255 };

// rl_lower_sum and rl_upper_sum give channels 0 and 2 of `even`, 1 and 3 of `odd`.
struct rl_packed_sums {
    uint32_t even;
    uint32_t odd;
};

static inline struct rl_packed_sums rl_sums_of_4_channels(const struct rl_pool_window *w, const int8_t *input)
{
    uint32_t even = 0, odd = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            const uint32_t bytes = rl_load_s8x4(pixel);
            even = rl_add_even_s8(even, bytes);
            odd = rl_add_odd_s8(odd, bytes);
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    return (struct rl_packed_sums){even, odd};
}

#endif
