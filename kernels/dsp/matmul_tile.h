// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD. See convolution/matmul.h for the contract.
//
// Three rows at a time are expanded to int16 on the stack, once for all channels; weights are expanded where
// they are used, once for the three rows: see dot_3x2.h.
#ifndef RL_KERNELS_DSP_MATMUL_TILE_H
#define RL_KERNELS_DSP_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "dsp/dot_3x2.h"
#include "dsp/expand_row.h"
#include "dsp/instructions.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/simd.h"
#include "elementwise/rescale.h"

enum {
    RL_MATMUL_ROWS = 3,
    RL_EXPANDED_DEPTH = 256, // values of each row that are expanded at a time
};

// Sum of `count` int8 values.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    const int16x2_t ones = 0x00010001;
    int32_t sum = 0;
    for (; count >= 4; count -= 4, values += 4) {
        const uint32_t word = rl_load_s8x4(values);
        sum = __smlad(rl_even_s16(word), ones, sum);
        sum = __smlad(rl_odd_s16(word), ones, sum);
    }
    for (; count > 0; count--) {
        sum += *values++;
    }
    return sum;
}

// The values of one output: runs of `run` values, `step` bytes apart. `run` is the depth or a multiple of
// four.
struct rl_matmul_row {
    const int8_t *first;
    int32_t run;
    ptrdiff_t step;
    int8_t *output; // of the first channel
};

// The values [at, at + count) of a row.
static inline void rl_expand_row(const struct rl_matmul_row *row, int32_t at, int32_t count, uint32_t *values)
{
    const int8_t *run = row->first;
    for (; at >= row->run; at -= row->run) {
        run += row->step;
    }
    while (count > 0) {
        const int32_t here = rl_min_s32(row->run - at, count);
        values = rl_expand_run(run + at, here, values);
        run += row->step;
        count -= here;
        at = 0;
    }
}

// What the products of one `m` share; on the stack of the loop over its rows.
struct rl_matmul_work {
    const struct rl_matmul *m;
    int32_t part; // values that are expanded at a time
    bool direct;  // the assembler leaves nothing to do
    struct rl_dot_3x2 job;
    int32_t sums[RL_CHANNEL_BLOCK * RL_MATMUL_ROWS];
    // The most words are needed for one value less: three of them take a word each, not two together.
    uint32_t values[(RL_EXPANDED_DEPTH / 2 + 1) * RL_MATMUL_ROWS];
};

static inline void rl_matmul_begin(struct rl_matmul_work *w, const struct rl_matmul *m)
{
    const bool open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    const int32_t parts = (m->depth + RL_EXPANDED_DEPTH - 1) / RL_EXPANDED_DEPTH;
    w->m = m;
    w->part = parts > 1 ? ((m->depth + parts - 1) / parts + 15) & ~15 : m->depth;
    w->direct = m->simple && open && m->channels % 2 == 0;
    w->job.values = w->values;
    w->job.scale = m->scale;
    w->job.start = w->sums;
}

// Adds the products of the expanded values, from `at` on, to the sums of all channels.
static inline void rl_matmul_part(struct rl_matmul_work *w, int32_t at)
{
    const struct rl_matmul *m = w->m;
    const int32_t even = m->channels & ~1;
    w->job.filter = m->filter + at;
    w->job.filter_step = m->depth;
    w->job.channel = 0;
    w->job.end = even;
    if (even > 0) {
        rl_dot_3x2(&w->job);
    }
    if (even < m->channels) {
        // Twice the last channel; the second bias is any value, the second sum is not used.
        w->job.filter += (ptrdiff_t)even * m->depth;
        w->job.filter_step = 0;
        w->job.sums = w->sums;
        w->job.end = even + 2;
        rl_dot_3x2(&w->job);
    }
}

static inline void rl_clamp_row(int8_t *row, int32_t count, int32_t low, int32_t high)
{
    const uint32_t lows = rl_repeat_s8x4(low);
    const uint32_t highs = rl_repeat_s8x4(high);
    for (; count >= 4; count -= 4, row += 4) {
        rl_store_s8x4(row, rl_maximum_s8x4(rl_minimum_s8x4(rl_load_s8x4(row), highs), lows));
    }
    for (; count > 0; count--, row++) {
        *row = (int8_t)rl_clamp_s32(*row, low, high);
    }
}

// What the assembler leaves: the limits of its outputs, and outputs of which there are sums.
static __attribute__((noinline)) void rl_matmul_finish(const struct rl_matmul_work *w)
{
    const struct rl_matmul *m = w->m;
    const int32_t done = m->simple ? m->channels & ~1 : 0;
    for (int32_t row = 0; row < RL_MATMUL_ROWS; row++) {
        int8_t *output = w->job.output[row];
        rl_clamp_row(output, done, m->output_min, m->output_max);
        for (int32_t channel = done; channel < m->channels; channel++) {
            output[channel] = rl_matmul_output(m, channel, w->sums[channel * RL_MATMUL_ROWS + row]);
        }
    }
}

// Up to three rows times all channels. Those that are missing repeat the one before.
static __attribute__((noinline)) void
rl_matmul_block(struct rl_matmul_work *w, const struct rl_matmul_row rows[RL_MATMUL_ROWS], int32_t count)
{
    const struct rl_matmul *m = w->m;
    for (int32_t at = 0; at < m->depth; at += w->part) {
        const int32_t values = rl_min_s32(w->part, m->depth - at);
        for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
            const struct rl_matmul_row *row = &rows[rl_min_s32(i, count - 1)];
            w->job.output[i] = row->output;
            rl_expand_row(row, at, values, w->values + i);
        }
        w->job.fours = values >> 2;
        w->job.rest = values & 3;
        w->job.bias = at == 0 ? m->bias : NULL;
        w->job.sums = m->simple && at + values == m->depth ? NULL : w->sums;
        rl_matmul_part(w, at);
    }
    if (!w->direct) {
        rl_matmul_finish(w);
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    struct rl_matmul_work w;
    rl_matmul_begin(&w, m);
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        struct rl_matmul_row block[RL_MATMUL_ROWS];
        for (int32_t row = 0; row < RL_MATMUL_ROWS; row++) {
            block[row] = (struct rl_matmul_row){rows, m->depth, 0, output};
            rows += row_stride;
            output += output_stride;
        }
        rl_matmul_block(&w, block, rl_min_s32(row_count, RL_MATMUL_ROWS));
    }
}

#endif
