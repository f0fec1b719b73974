// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with Helium. See convolution/matmul.h for the contract.
//
// Short rows of layers with many outputs go through registers alone (short_rows.h). Others as follows.
//
// Two channels times three rows: five loads feed six VMLADAV of 16 products each. The sums go to a small array with the
// channels side by side; from there, vectors scale four channels at a time.
#ifndef RL_KERNELS_MVE_MATMUL_TILE_H
#define RL_KERNELS_MVE_MATMUL_TILE_H

#include <arm_mve.h>

#include "convolution/choice.h"
#include "convolution/matmul.h"
#include "mve/dot_1x4.h"
#include "mve/dot_rows_s8.h"
#include "mve/dot_rows_sums.h"
#include "mve/dot_tile.h"
#include "mve/fold_tile.h"
#include "mve/requantize_mve.h"
#include "mve/scale_rows.h"
#include "mve/short_rows.h"

enum {
    RL_MATMUL_ROWS = 3,
    RL_MATMUL_SCALE_BYTES = 0, // scales are read as vectors
    RL_APART_DEPTH = 160,      // to which two rows take as long as three, with loops for the depth
};

static inline int32_t rl_matmul_tile_bytes(int32_t depth, int32_t channels)
{
    (void)depth;
    (void)channels;
    return 0; // sums are on the stack
}

// Scales and stores the sums of three rows, with any shifts.
static __attribute__((noinline)) void rl_scale_rows_both_ways(const void *argument)
{
    const struct rl_three_rows *rows = argument;
    const struct rl_filters *f = rows->filters;
    const int32x4_t low = vdupq_n_s32(f->output_min);
    const int32x4_t high = vdupq_n_s32(f->output_max);
    int8_t *const outputs[RL_MATMUL_ROWS] = {rows->output_0, rows->output_1, rows->output_2};
    for (int32_t channel = 0; channel < f->channels; channel += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)(f->channels - channel));
        const int32x4_t bias = vldrwq_z_s32(f->bias + channel, active);
        const int32x4_t multiplier = vldrwq_z_s32(f->multiplier + channel, active);
        const int32x4_t shift = vldrwq_z_s32(f->shift + channel, active);
        const int32_t *sums = rows->sums + channel;
        for (int32_t row = 0; row < RL_MATMUL_ROWS; row++, sums += RL_SUM_BLOCK) {
            int32x4_t value = vaddq_s32(vldrwq_s32(sums), bias);
            value = vaddq_n_s32(rl_requantize_lanes_mve(value, multiplier, shift), f->output_offset);
            value = vminq_s32(vmaxq_s32(value, low), high);
            vstrbq_p_s32(outputs[row] + channel, value, active);
        }
    }
}

__extension__ _Static_assert((int)RL_SHORT_DEPTH == (int)RL_CONVOLUTION_LONG_DEPTH, "compilers choose loops by it");
__extension__ _Static_assert((int)RL_CHANNEL_BLOCK <= (int)RL_SUM_BLOCK,
                             "all channels of a product have room for their sums");

// The filters of a product and the functions that compute it. Both take a struct rl_three_rows. For the first rows they
// may be others, which complete the biases of `matmul`.
struct rl_matmul_loops {
    rl_assembler *multiply;
    rl_assembler *scale;
    struct rl_filters filters;
    rl_assembler *next_multiply;
    rl_assembler *next_scale;
    struct rl_matmul *matmul;
};

static inline void rl_matmul_loops_next(struct rl_matmul_loops *p)
{
    p->multiply = p->next_multiply;
    p->scale = p->next_scale;
}

// Scales the first three rows, whose products completed the biases.
static __attribute__((noinline)) void rl_scale_rows_late(const void *argument)
{
    const struct rl_three_rows *rows = argument;
    // The filters are part of loops, which are not constant.
    struct rl_matmul_loops *p = (void *)((uintptr_t)rows->filters - offsetof(struct rl_matmul_loops, filters));
    rl_matmul_settle_sums(p->matmul);
    rl_matmul_loops_next(p);
    rl_call_assembler(p->scale, rows);
}

// `multiply` is that of rl_dot_rows_s8 for m->depth.
static inline void rl_matmul_start(struct rl_matmul_loops *p, struct rl_matmul *m, rl_assembler *multiply)
{
    struct rl_filters *f = &p->filters;
    f->filter = m->filter;
    f->depth = m->depth;
    f->step = m->depth;
    f->channels = m->channels;
    f->multiplier = m->multiplier;
    f->shift = m->shift;
    f->output_offset = m->output_offset;
    f->output_min = m->output_min;
    f->output_max = m->output_max;
    f->bias = m->bias;
    if (m->scale_in_eights) {
        rl_scale_eights_init(f);
    }
    p->multiply = multiply;
    p->scale = m->right_shifts_only ? rl_scale_rows_for(f, m->scale_in_eights) : rl_scale_rows_both_ways;
    if (m->is_prelu) {
        f->eights.multiplier = m->negative;
        p->scale = m->scale_rows;
    } else if (m->late_offset != 0) {
        f->late_sums = m->bias;
        p->matmul = m;
        p->next_multiply = multiply;
        p->next_scale = p->scale;
        p->multiply = rl_dot_rows_sums;
        p->scale = rl_scale_rows_late;
    } else {
        f->step += m->gap;
    }
}

// Whether bytes lie between filters, which then have the loops of rl_dot_rows_any.
static inline bool rl_matmul_has_gaps(const struct rl_matmul *m)
{
    return !m->is_prelu && m->late_offset == 0 && m->gap != 0;
}

static inline bool rl_matmul_is_late(const struct rl_matmul_loops *p)
{
    return p->multiply == rl_dot_rows_sums;
}

// Multiplies and scales three rows, whose `filters` are set.
static inline void rl_matmul_three(const struct rl_matmul_loops *p, const struct rl_three_rows *rows)
{
    rl_call_assembler(p->multiply, rows);
    rl_call_assembler(p->scale, rows);
}

// The sums of one row.
static inline void rl_matmul_row_sums(const struct rl_filters *f, const int8_t *row, int32_t *sums)
{
    const int32_t in_fours = f->channels & ~3;
    const struct rl_dot_1x4 job = {row, f->filter, f->depth, (int32_t)f->step, sums, sums + in_fours, 0};
    // The empty statements tell the compiler that memory behind the structure is read and written.
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_dot_1x4_apart(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
    for (int32_t i = in_fours; i < f->channels; i++) {
        sums[i] = rl_dot_1x1(row, f->filter + i * f->step, f->depth, 0);
    }
}

// Multiplies and scales one row, `row_0`, or two.
static __attribute__((noinline)) void rl_matmul_apart(struct rl_matmul_loops *p, const struct rl_three_rows *rows,
                                                      int32_t count)
{
    int8_t unused[RL_SUM_BLOCK];
    struct rl_three_rows few = *rows;
    const bool late = rl_matmul_is_late(p);
    if (late && count > 1) {
        rl_call_assembler(rl_dot_two_rows_sums, rows);
        rl_matmul_settle_sums(p->matmul);
        rl_matmul_loops_next(p);
    } else if (late) {
        rl_matmul_settle(p->matmul);
        rl_matmul_loops_next(p);
    }
    if (count > 1 && !late) {
        rl_call_assembler(rl_dot_two_rows(p->filters.depth), rows);
    } else if (count == 1) {
        rl_matmul_row_sums(&p->filters, rows->row_0, rows->sums);
        few.output_1 = unused;
    }
    few.output_2 = unused;
    rl_call_assembler(p->scale, &few);
}

// Whether rl_matmul_apart takes less time for one row or two than rl_matmul_three. Few channels and short rows take
// less as three rows.
static inline bool rl_matmul_suits_apart(const struct rl_matmul_loops *p, int32_t count)
{
    const int32_t depth = p->filters.depth, channels = p->filters.channels;
    return count == 1 ? depth > 16 && channels >= 4 : depth > RL_APART_DEPTH || rl_matmul_is_late(p);
}

// Short rows, two at a time and four channels after another. The last four channels may meet others once more, and a
// single row takes both places.
static __attribute__((noinline)) void rl_matmul_in_fours(const struct rl_matmul *m, const int8_t *rows,
                                                         ptrdiff_t row_stride, int32_t row_count, int8_t *output,
                                                         ptrdiff_t output_stride)
{
    struct rl_short_rows job;
    job.depth = m->depth;
    rl_short_rows_limits(&job, m->output_offset, m->output_min, m->output_max);
    rl_assembler *run = rl_short_rows(m->depth, m->output_min == m->output_offset);
    for (int32_t next = 0; next < m->channels; next += 4) {
        const int32_t channel = rl_min_s32(next, m->channels - 4);
        job.rows = rows;
        job.filter = m->filter + (ptrdiff_t)channel * m->depth;
        job.output = output + channel;
        job.row_step = row_stride;
        job.output_step = output_stride;
        job.bias = m->bias + channel;
        job.multiplier = m->multiplier + channel;
        job.shift = m->shift + channel;
        job.pairs = row_count / 2;
        if (job.pairs > 0) {
            rl_call_assembler(run, &job);
        }
        if (row_count % 2 != 0) {
            job.rows += (row_count - 1) * row_stride;
            job.output += (row_count - 1) * output_stride;
            job.row_step = job.output_step = 0;
            job.pairs = 1;
            rl_call_assembler(run, &job);
        }
    }
}

// The `count` < 3 rows that are left: row_0, or that and row_1.
static inline void rl_matmul_rest(struct rl_matmul_loops *loops, struct rl_three_rows *three, int32_t count)
{
    if (count > 0 && rl_matmul_suits_apart(loops, count)) {
        rl_matmul_apart(loops, three, count);
    } else if (count > 0) {
        // Missing rows repeat the first one and write its outputs once more.
        three->row_2 = three->row_0;
        three->output_2 = three->output_0;
        three->row_1 = count > 1 ? three->row_1 : three->row_0;
        three->output_1 = count > 1 ? three->output_1 : three->output_0;
        rl_matmul_three(loops, three);
    }
}

// Rows of any length, three at a time, with the function that rl_dot_rows_s8 has for them.
static inline void rl_matmul_in_threes(struct rl_matmul *m, rl_assembler *multiply, const int8_t *rows,
                                       ptrdiff_t row_stride, int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    int32_t sums[RL_MATMUL_ROWS * RL_SUM_BLOCK];
    struct rl_matmul_loops loops;
    struct rl_three_rows three = {.row_0 = rows,
                                  .filters = &loops.filters,
                                  .row_1 = rows + row_stride,
                                  .row_2 = rows + 2 * row_stride,
                                  .sums = sums,
                                  .output_0 = output,
                                  .output_1 = output + output_stride,
                                  .output_2 = output + 2 * output_stride};
    rl_matmul_start(&loops, m, multiply);
    if (row_count == 4 && m->depth > RL_APART_DEPTH && rl_matmul_is_late(&loops)) {
        // Two and two take less time than three and one.
        rl_matmul_apart(&loops, &three, 2);
        three.row_0 += 2 * row_stride;
        three.row_1 += 2 * row_stride;
        three.output_0 += 2 * output_stride;
        three.output_1 += 2 * output_stride;
        row_count = 2;
    }
    const ptrdiff_t next_rows = RL_MATMUL_ROWS * row_stride;
    const ptrdiff_t next_outputs = RL_MATMUL_ROWS * output_stride;
    for (; row_count >= RL_MATMUL_ROWS; row_count -= RL_MATMUL_ROWS) {
        rl_matmul_three(&loops, &three);
        three.row_0 += next_rows;
        three.row_1 += next_rows;
        three.row_2 += next_rows;
        three.output_0 += next_outputs;
        three.output_1 += next_outputs;
        three.output_2 += next_outputs;
    }
    rl_matmul_rest(&loops, &three, row_count);
}

// rl_matmul_rows for rows of at most RL_SHORT_DEPTH values.
static inline void rl_matmul_short_rows(struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                        int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    if (m->rows.in_fours) {
        rl_matmul_in_fours(m, rows, row_stride, row_count, output, output_stride);
    } else {
        rl_matmul_in_threes(m, rl_dot_rows_short(m->depth), rows, row_stride, row_count, output, output_stride);
    }
}

static inline void rl_matmul_rows(struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride, int32_t row_count,
                                  int8_t *output, ptrdiff_t output_stride)
{
    if (m->rows.in_fours) {
        rl_matmul_in_fours(m, rows, row_stride, row_count, output, output_stride);
    } else {
        rl_matmul_in_threes(m, rl_dot_rows_s8(m->depth), rows, row_stride, row_count, output, output_stride);
    }
}

#endif
