// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with SMLAD. See convolution/matmul.h for the contract.
//
// Three rows at a time are expanded to int16 on the stack, once for all channels. Weights are expanded where they are
// used, once for the three rows (dot_3x2.h).
#ifndef RL_KERNELS_DSP_MATMUL_TILE_H
#define RL_KERNELS_DSP_MATMUL_TILE_H

#include "convolution/matmul.h"
#include "dsp/dot_3x2.h"
#include "dsp/dot_pairs.h"
#include "dsp/expand_row.h"
#include "dsp/instructions.h"
#include "dsp/matmul_bytes.h"
#include "dsp/packed_s8_tile.h"
#include "dsp/simd.h"
#include "elementwise/rescale.h"
#include "fully_connected/fully_connected.h"

enum { RL_SINGLE_ROWS = 2 }; // the best number of rows for a single channel

// A single channel is multiplied by rows as they lie. Sums of values with an offset are up to twice as large, so that
// rl_matmul_prepare allows half the depth.
static inline int32_t rl_matmul_begin_rows(struct rl_matmul *m, int32_t rows, int32_t input_offset)
{
    const bool in_rows = (RL_SMALL || m->channels > 1) && m->depth <= 1 << 13;
    (void)rows;
    m->row_offset = (int16_t)(in_rows ? input_offset : 0);
    return in_rows ? 0 : input_offset;
}

// The sum of `count` int8 values. USADA8 adds unsigned bytes, each 128 more than its value.
static inline int32_t rl_sum_s8(const int8_t *values, int32_t count)
{
    const uint32_t flip = UINT32_C(0x80808080);
    int32_t sum = -128 * (count & ~3);
    for (int32_t sixteens = RL_SMALL ? 0 : count >> 4; sixteens > 0; sixteens--, values += 16) {
        const uint32_t words[4] = {rl_load_s8x4(values), rl_load_s8x4(values + 4), rl_load_s8x4(values + 8),
                                   rl_load_s8x4(values + 12)};
        sum = rl_usada8(words[0] ^ flip, sum);
        sum = rl_usada8(words[1] ^ flip, sum);
        sum = rl_usada8(words[2] ^ flip, sum);
        sum = rl_usada8(words[3] ^ flip, sum);
    }
    for (int32_t fours = (RL_SMALL ? count : count & 15) >> 2; fours > 0; fours--, values += 4) {
        sum = rl_usada8(rl_load_s8x4(values) ^ flip, sum);
    }
    for (int32_t rest = count & 3; rest > 0; rest--) {
        sum += *values++;
    }
    return sum;
}

// The offset of rows, twice in a word.
static inline uint32_t rl_matmul_offsets(const struct rl_matmul *m)
{
    return rl_repeat_s16x2(m->row_offset);
}

// The input values of one output: runs of `run` values, `step` bytes apart. `run` is the depth or a multiple of four.
struct rl_matmul_row {
    const int8_t *first;
    int32_t run;
    ptrdiff_t step;
    int8_t *output; // the output of the first channel
};

// Expands the values [at, at + count) of a row.
static __attribute__((noinline)) void rl_expand_runs(const struct rl_matmul_row *row, int32_t at, int32_t count,
                                                     uint32_t *values, uint32_t offsets)
{
    const int8_t *run = row->first;
    for (; at >= row->run; at -= row->run) {
        run += row->step;
    }
    while (count > 0) {
        const int32_t here = rl_min_s32(row->run - at, count);
        values = rl_expand_run(run + at, here, values, offsets);
        run += row->step;
        count -= here;
        at = 0;
    }
}

// The state that the products of `m` share, on the stack of the loop over its rows.
struct rl_matmul_work {
    const struct rl_matmul *m;
    int32_t part;                   // values that are expanded at a time
    bool usual;                     // three rows are stored in place; else see rl_matmul_unusual_rows
    uint32_t limits[2];             // of `job`, unless they are those of int8
    const struct rl_rescale *scale; // the start of `job.scale`
    struct rl_dot_3x2 job;
};

// Sets the job for `count` values of the rows from `at` on.
static inline void rl_matmul_begin_part(struct rl_matmul_work *w, int32_t at, int32_t count)
{
    const struct rl_matmul *m = w->m;
    const bool outputs = at + count == m->depth;
    w->scale = outputs && count % 4 == 0 ? m->scale : NULL;
    w->job.filter = m->filter + at;
    w->job.bias = at == 0 ? m->bias : NULL;
    w->job.sums = outputs ? NULL : w->job.start;
    w->job.fours = count >> 2;
    w->job.rest = count & 3;
    w->job.entry = 0;
}

static inline void rl_matmul_begin(struct rl_matmul_work *w, const struct rl_matmul *m)
{
    const int32_t most = m->depth <= RL_EXPANDED_WHOLE ? RL_EXPANDED_WHOLE : RL_EXPANDED_DEPTH;
    const int32_t parts = (m->depth + most - 1) / most;
    w->m = m;
    w->part = parts > 1 ? ((m->depth + parts - 1) / parts + 15) & ~15 : m->depth;
    w->usual = m->simple && m->channels > 1;
    w->limits[0] = rl_repeat_s8x4(rl_ssat8(m->output_min));
    w->limits[1] = rl_repeat_s8x4(rl_ssat8(m->output_max));
    w->job.limits = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX ? NULL : w->limits;
    w->job.values = m->work;
    w->job.filter_step = m->depth;
    w->job.start = (int32_t *)m->work + RL_EXPANDED_WORDS;
    rl_matmul_begin_part(w, 0, w->part);
}

// Multiplies three rows by all channels, with scales that the assembler can use.
static __attribute__((noinline)) void rl_matmul_three_rows(struct rl_matmul_work *w,
                                                           const struct rl_matmul_row rows[RL_MATMUL_ROWS])
{
    const int32_t depth = w->m->depth;
    for (int32_t at = 0; at < depth; at += w->part) {
        const int32_t count = rl_min_s32(w->part, depth - at);
        for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
            w->job.output[i] = rows[i].output;
            if (rows[i].run == depth) {
                rl_expand_run(rows[i].first + at, count, w->job.values + i, rl_matmul_offsets(w->m));
            } else {
                rl_expand_runs(&rows[i], at, count, w->job.values + i, rl_matmul_offsets(w->m));
            }
        }
        if (w->part != depth) {
            rl_matmul_begin_part(w, at, count);
        }
        w->job.scale = w->scale;
        w->job.rest_scale = w->m->scale;
        rl_dot_3x2_channels(&w->job, w->m->channels);
    }
}

// Computes a single row as a fully connected layer. The row must be one run. This function and the next are not
// inlined, which keeps their structs off their callers' stack.
static __attribute__((noinline)) void rl_matmul_one_row(const struct rl_matmul *m, const struct rl_matmul_row *row)
{
    struct rl_fully_connected f; // set field by field: unread fields need not be cleared
    f.rows = 1;
    f.depth = m->depth;
    f.channels = m->channels;
    f.weights = m->filter;
    f.scales = (struct rl_scales){m->multiplier, m->shift};
    f.weight_offset = 0;
    f.output_offset = m->output_offset;
    f.range = (struct rl_range){m->output_min, m->output_max};
    f.base = m->bias;
    f.base_offset = m->row_offset;
    f.has_rescale = false;
    const struct rl_scratch work = {m->work, rl_matmul_tile_bytes(m->depth, m->channels)};
    rl_fully_connected_run(&f, row->first, row->output, work);
}

// Multiplies `count` rows by a single channel: its filter acts as the row, the rows as filters. Each row is one run,
// and rows are `step` bytes apart. False if the channel's scale does not allow this.
static __attribute__((noinline)) bool rl_matmul_one_channel(const struct rl_matmul *m, const int8_t *rows,
                                                            ptrdiff_t step, int32_t count, int8_t *output,
                                                            ptrdiff_t output_step)
{
    if (!rl_pairs_scale(m->multiplier, m->shift, 1, m->output_offset)) {
        return false;
    }
    struct rl_dot_pairs job = {
        .row = m->filter,
        .filter = rows,
        .depth = m->depth,
        .offsets = 0,
        .base = m->bias,
        .base_step = 0,
        .constant = 0,
        .multiplier = m->multiplier,
        .shift = m->shift,
        .scale_step = 0,
        .output = output,
        .output_step = output_step,
        .channels = count,
        .rounding = rl_rescale_rounding(m->output_offset),
        .low = (uint8_t)rl_max_s32(m->output_min, INT8_MIN) * UINT32_C(0x01010101),
        .high = (uint8_t)rl_min_s32(m->output_max, INT8_MAX) * UINT32_C(0x01010101),
        .filter_step = step,
    };
    rl_dot_pairs(&job);
    return true;
}

// Multiplies one to three rows: row by row if they are not usual or there is one; of two, the last is computed twice.
static __attribute__((noinline)) void rl_matmul_unusual_rows(struct rl_matmul_work *w,
                                                             struct rl_matmul_row rows[RL_MATMUL_ROWS], int32_t count)
{
    if (w->usual && count == 2) {
        rows[2] = rows[1];
        rl_matmul_three_rows(w, rows);
        return;
    }
    if (!RL_SMALL && w->m->channels == 1 && count <= RL_SINGLE_ROWS) {
        const struct rl_matmul_row *last = &rows[count - 1];
        if (rl_matmul_one_channel(w->m, rows->first, last->first - rows->first, count, rows->output,
                                  last->output - rows->output)) {
            return;
        }
    }
    for (; count > 0; count--) {
        rl_matmul_one_row(w->m, rows++);
    }
}

// Multiplies one to three rows by all channels. Each must be one run if they are not usual. May change `rows`.
static inline void rl_matmul_block(struct rl_matmul_work *w, struct rl_matmul_row rows[RL_MATMUL_ROWS], int32_t count)
{
    if (w->usual && count == RL_MATMUL_ROWS) {
        rl_matmul_three_rows(w, rows);
    } else {
        rl_matmul_unusual_rows(w, rows, count);
    }
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    struct rl_matmul_work w;
    if (!RL_SMALL && m->channels == 1 && rl_matmul_one_channel(m, rows, row_stride, row_count, output, output_stride)) {
        return;
    }
    rl_matmul_begin(&w, m);
    for (; row_count > 0; row_count -= RL_MATMUL_ROWS) {
        struct rl_matmul_row block[RL_MATMUL_ROWS];
        const int32_t count = rl_min_s32(row_count, RL_MATMUL_ROWS);
        for (int32_t i = 0; i < count; i++, rows += row_stride, output += output_stride) {
            block[i] = (struct rl_matmul_row){rows, m->depth, 0, output};
        }
        rl_matmul_block(&w, block, count);
    }
}

#endif
