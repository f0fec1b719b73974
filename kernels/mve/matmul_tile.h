// SPDX-License-Identifier: Apache-2.0
// int8 rows times int8 filters with Helium. See convolution/matmul.h for the contract.
//
// Two channels times three rows: five loads feed six VMLADAV of 16 products each. The sums go to a small array with the
// channels side by side; from there, vectors scale four channels at a time.
#ifndef RL_KERNELS_MVE_MATMUL_TILE_H
#define RL_KERNELS_MVE_MATMUL_TILE_H

#include <arm_mve.h>

#include "convolution/matmul.h"
#include "mve/dot_1x4.h"
#include "mve/dot_rows_s8.h"
#include "mve/dot_tile.h"
#include "mve/requantize_mve.h"
#include "mve/scale_rows.h"

enum { RL_MATMUL_ROWS = 3, RL_MATMUL_SCALE_BYTES = 0 }; // scales are read as vectors

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

// The channels of a product in parts, one for the sums that are kept at a time, and the functions that compute them.
struct rl_matmul_parts {
    rl_assembler *multiply; // takes a struct rl_three_rows, as does `scale`
    rl_assembler *scale;
    const struct rl_filters *last; // the last of `part`
    int32_t skipped;               // channels from the first part to the last
    struct rl_filters part[RL_CHANNEL_BLOCK / RL_SUM_BLOCK];
};

static inline void rl_matmul_divide(struct rl_matmul_parts *p, const struct rl_matmul *m)
{
    struct rl_filters *part = p->part;
    int32_t first = 0;
    for (;;) {
        part->filter = m->filter + (ptrdiff_t)first * m->depth;
        part->depth = m->depth;
        part->channels = rl_min_s32(m->channels - first, RL_SUM_BLOCK);
        part->multiplier = m->multiplier + first;
        part->shift = m->shift + first;
        part->output_offset = m->output_offset;
        part->output_min = m->output_min;
        part->output_max = m->output_max;
        part->bias = m->bias + first;
        if (m->scale_in_eights) {
            rl_scale_eights_init(part);
        }
        if (first + RL_SUM_BLOCK >= m->channels) {
            break;
        }
        first += RL_SUM_BLOCK;
        part++;
    }
    p->last = part;
    p->skipped = first;
    p->multiply = rl_dot_rows_s8(m->depth, m->channels % 2 == 0);
    p->scale = m->right_shifts_only ? rl_scale_rows_for(p->part, m->scale_in_eights) : rl_scale_rows_both_ways;
}

// Moves the rows on to the next part; false if there is none.
static inline bool rl_matmul_next_part(const struct rl_matmul_parts *p, struct rl_three_rows *rows)
{
    if (rows->filters == p->last) {
        return false;
    }
    rows->filters++;
    rows->output_0 += RL_SUM_BLOCK;
    rows->output_1 += RL_SUM_BLOCK;
    rows->output_2 += RL_SUM_BLOCK;
    return true;
}

// Multiplies and scales three rows. Leaves the outputs at the last part.
static inline void rl_matmul_three(const struct rl_matmul_parts *p, struct rl_three_rows *rows)
{
    rows->filters = p->part;
    do {
        rl_call_assembler(p->multiply, rows);
        rl_call_assembler(p->scale, rows);
    } while (rl_matmul_next_part(p, rows));
}

// The same for one row, `row_0`. Few channels and short rows take less time as three rows.
static __attribute__((noinline)) void rl_matmul_one(const struct rl_matmul_parts *p, struct rl_three_rows *rows)
{
    int8_t unused[RL_SUM_BLOCK];
    rows->filters = p->part;
    rows->output_1 = rows->output_2 = unused;
    for (;;) {
        const struct rl_filters *f = rows->filters;
        const int32_t in_fours = f->channels & ~3;
        const struct rl_dot_1x4 job = {rows->row_0, f->filter, f->depth, 0, rows->sums, rows->sums + in_fours, 1};
        // The empty statements tell the compiler that memory behind the structure is read and written.
        __asm__ volatile("" : : "r"(&job) : "memory");
        rl_dot_1x4_run(&job);
        __asm__ volatile("" : : "r"(&job) : "memory");
        for (int32_t i = in_fours; i < f->channels; i++) {
            rows->sums[i] = rl_dot_1x1(rows->row_0, f->filter + (ptrdiff_t)i * f->depth, f->depth, 0);
        }
        rl_call_assembler(p->scale, rows);
        if (f == p->last) {
            return;
        }
        rows->filters++;
        rows->output_0 += RL_SUM_BLOCK;
    }
}

// Whether rl_matmul_one takes less time for one row than rl_matmul_three.
static inline bool rl_matmul_suits_one(const struct rl_matmul_parts *p)
{
    return p->part->depth > 16 && p->part->channels >= 4 && p->last->channels >= 4;
}

static inline void rl_matmul_rows(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride,
                                  int32_t row_count, int8_t *output, ptrdiff_t output_stride)
{
    int32_t sums[RL_MATMUL_ROWS * RL_SUM_BLOCK];
    struct rl_matmul_parts parts;
    struct rl_three_rows three = {.row_0 = rows,
                                  .row_1 = rows + row_stride,
                                  .row_2 = rows + 2 * row_stride,
                                  .sums = sums,
                                  .output_0 = output,
                                  .output_1 = output + output_stride,
                                  .output_2 = output + 2 * output_stride};
    rl_matmul_divide(&parts, m);
    const ptrdiff_t next_rows = RL_MATMUL_ROWS * row_stride;
    const ptrdiff_t next_outputs = RL_MATMUL_ROWS * output_stride - parts.skipped;
    for (; row_count >= RL_MATMUL_ROWS; row_count -= RL_MATMUL_ROWS) {
        rl_matmul_three(&parts, &three);
        three.row_0 += next_rows;
        three.row_1 += next_rows;
        three.row_2 += next_rows;
        three.output_0 += next_outputs;
        three.output_1 += next_outputs;
        three.output_2 += next_outputs;
    }
    if (row_count == 1 && rl_matmul_suits_one(&parts)) {
        rl_matmul_one(&parts, &three);
    } else if (row_count > 0) {
        // Missing rows repeat the first one and write its outputs once more.
        three.row_2 = three.row_0;
        three.output_2 = three.output_0;
        three.row_1 = row_count > 1 ? three.row_1 : three.row_0;
        three.output_1 = row_count > 1 ? three.output_1 : three.output_0;
        rl_matmul_three(&parts, &three);
    }
}

#endif
