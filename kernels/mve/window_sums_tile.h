// SPDX-License-Identifier: Apache-2.0
// The sums of one output of a convolution, run by run of its window, filter by filter. Other loops take less time.
#ifndef RL_KERNELS_MVE_WINDOW_SUMS_TILE_H
#define RL_KERNELS_MVE_WINDOW_SUMS_TILE_H

#include "fully_connected/fully_connected.h"

#include RL_TILE(dot_tile.h)

enum { RL_WINDOW_CHANNELS = 64 }; // at a time

struct rl_window_sums {
    int32_t *sums;
};

static inline int32_t rl_window_sums_bytes(int32_t run, int32_t channels)
{
    (void)run;
    return 4 * rl_min_s32(channels, RL_WINDOW_CHANNELS);
}

static inline void rl_window_sums_place(struct rl_window_sums *s, const struct rl_fully_connected *f, void *memory)
{
    (void)f;
    s->sums = memory;
}

static inline void rl_window_sums_begin(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                        struct rl_window_sums *s)
{
    for (int32_t i = 0; i < count; i++) {
        s->sums[i] = f->base ? f->base[first + i] : 0;
    }
}

static inline void rl_window_sums_add(const struct rl_fully_connected *f, int32_t at, int32_t run, const int8_t *input,
                                      int32_t first, int32_t count, struct rl_window_sums *s)
{
    const int8_t *filter = f->weights + (ptrdiff_t)first * f->depth + at;
    for (int32_t i = 0; i < count; i++, filter += f->depth) {
        s->sums[i] += rl_dot_s8_s8(input, f->base_offset, filter, run);
    }
}

static inline void rl_window_sums_store(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                        const struct rl_window_sums *s, int8_t *output)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_fully_connected_scaled(f, first + i, s->sums[i]);
    }
}

#endif
