// SPDX-License-Identifier: Apache-2.0
// The sums of one output of a convolution, run by run of its window, four filters at a time.
#ifndef RL_KERNELS_SCALAR_WINDOW_SUMS_TILE_H
#define RL_KERNELS_SCALAR_WINDOW_SUMS_TILE_H

#include <string.h>

#include "fully_connected/fully_connected.h"
#include "scalar/dot_1x4.h"
#include "scalar/store_s8.h"

enum { RL_WINDOW_CHANNELS = 64 }; // at a time

struct rl_window_sums {
    int32_t *sums; // without biases
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
    (void)f, (void)first;
    memset(s->sums, 0, (size_t)count * sizeof *s->sums);
}

// Adds the products of up to four filters that follow each other. Two become the first and the last of four, and a
// missing fourth one repeats the first.
static inline void rl_window_sums_add_four(struct rl_dot_1x4 *job, const int8_t *filter, ptrdiff_t step, int32_t count,
                                           int32_t *sums)
{
    const int32_t last = count == 2 ? 1 : 3;
    job->filter = filter;
    job->step = count > 2 ? step : 0;
    job->last = count == 3 ? filter : filter + last * step;
    job->sums[0] = sums[0];
    job->sums[1] = sums[1];
    job->sums[2] = count > 2 ? sums[2] : 0;
    job->sums[3] = count == 3 ? 0 : sums[last];
    rl_dot_1x4(job);
    sums[0] = job->sums[0];
    sums[1] = job->sums[count > 2 ? 1 : 3];
    if (count > 2) {
        sums[2] = job->sums[2];
    }
    if (count > 3) {
        sums[3] = job->sums[3];
    }
}

static inline void rl_window_sums_add(const struct rl_fully_connected *f, int32_t at, int32_t run, const int8_t *input,
                                      int32_t first, int32_t count, struct rl_window_sums *s)
{
    struct rl_dot_1x4 job;
    job.row = input;
    job.depth = run;
    job.offset = f->base_offset;
    const int8_t *filter = f->weights + (ptrdiff_t)first * f->depth + at;
    for (int32_t i = 0; i < count; i += 4, filter += 4 * (ptrdiff_t)f->depth) {
        if (count - i == 1) {
            s->sums[i] += rl_dot_s8_s8(input, f->base_offset, filter, run);
        } else {
            rl_window_sums_add_four(&job, filter, f->depth, rl_min_s32(count - i, 4), s->sums + i);
        }
    }
}

static inline void rl_window_sums_store(const struct rl_fully_connected *f, int32_t first, int32_t count,
                                        const struct rl_window_sums *s, int8_t *output)
{
    const struct rl_scales scales = {f->scales.multiplier + first, f->scales.shift + first};
    const struct rl_limits_s8 limits = {f->range.min, f->range.max};
    rl_store_s8(s->sums, f->base ? f->base + first : NULL, scales, f->output_offset, limits, count, output);
}

#endif
