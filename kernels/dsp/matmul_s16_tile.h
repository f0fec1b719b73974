// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD, with int16 results. See scalar/matmul_s16_tile.h for the contract.
//
// The sums of three rows come from the loop of int8 results (dot_3x2.h), which keeps them for the next part of a long
// row, and are scaled from there.
#ifndef RL_KERNELS_DSP_MATMUL_S16_TILE_H
#define RL_KERNELS_DSP_MATMUL_S16_TILE_H

#include "convolution/scale_s16.h"
#include "dsp/dot_tile.h"
#include "dsp/matmul_tile.h"

// Rows of a single channel, two at a time: the loop for three rows takes channels in pairs.
static __attribute__((noinline)) void rl_matmul_one_channel_s16(const struct rl_matmul *m, const int8_t *const *rows,
                                                                int32_t count, int32_t sums[RL_MATMUL_ROWS + 1])
{
    for (int32_t i = 0; i < count; i += 2) {
        const int8_t *second = rows[rl_min_s32(i + 1, count - 1)];
        sums[i] = sums[i + 1] = m->bias[0];
        rl_dot_s8_s8_pair(m->filter, 0, rows[i], second, m->depth, sums + i);
    }
}

static inline __attribute__((always_inline)) void rl_matmul_sums(const struct rl_matmul *m,
                                                                 const int8_t *const rows[RL_MATMUL_ROWS],
                                                                 int32_t count, void *output, ptrdiff_t output_stride,
                                                                 rl_store_sums *store)
{
    struct rl_matmul_work w;
    if (!RL_SMALL && m->channels == 1) {
        int32_t one[RL_MATMUL_ROWS + 1];
        rl_matmul_one_channel_s16(m, rows, count, one);
        store(m, 0, one, count, output, output_stride);
        return;
    }
    rl_matmul_begin(&w, m);
    for (int32_t at = 0; at < m->depth; at += w.part) {
        const int32_t values = rl_min_s32(w.part, m->depth - at);
        rl_matmul_begin_part(&w, at, values);
        w.scale = NULL;
        w.job.sums = w.job.start = (int32_t *)m->work + rl_matmul_s16_words(m->depth);
        w.job.scale = NULL;
        for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
            rl_expand_run(rows[rl_min_s32(i, count - 1)] + at, values, w.job.values + i, 0);
        }
        rl_dot_3x2_channels(&w.job, m->channels);
    }
    const int32_t *sums = w.job.sums;
    for (int32_t channel = 0; channel < m->channels; channel++, sums += RL_MATMUL_ROWS) {
        store(m, channel, sums, count, output, output_stride);
    }
}

static inline void rl_matmul_outputs_s16(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS],
                                         int32_t count, int16_t *output, ptrdiff_t output_stride)
{
    rl_matmul_sums(m, rows, count, output, output_stride, rl_scale_sums_s16);
}

#endif
