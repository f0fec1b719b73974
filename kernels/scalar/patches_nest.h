// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with patches: RL_MATMUL_ROWS patches are copied to the scratch, then multiplied.
#ifndef RL_KERNELS_SCALAR_PATCHES_NEST_H
#define RL_KERNELS_SCALAR_PATCHES_NEST_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)

enum { RL_PATCHES_IN_PLACE = 0 };

// The patches that are copied before they are multiplied.
static inline int32_t rl_patches_at_once(const struct rl_convolution_state *s)
{
    enum { FEWER = (int)RL_MATMUL_ROWS > (int)RL_PATCHES ? RL_MATMUL_ROWS / 2 : RL_MATMUL_ROWS };
    if (s->one_patch) {
        return 1;
    }
    return s->more_patches != 0 ? RL_MATMUL_ROWS : FEWER;
}

static inline int8_t *rl_patch_memory(const struct rl_convolution_state *s, int32_t patch)
{
    const int32_t depth = s->matmul->depth;
    if (patch < RL_PATCHES) {
        return s->patches + patch * depth;
    }
    return (int8_t *)s->matmul + s->more_patches + (patch - RL_PATCHES) * depth;
}

// The bytes of a filter row where patches are packed from the image, else 0. Short runs take longer than a copy.
static inline int32_t rl_patches_run_bytes(const struct rl_convolution *c)
{
    const int32_t bytes = c->filter.w * c->filter_channels;
    return RL_PACKED_IN_PLACE && c->rows_are_runs && bytes >= 3 && c->filter.h <= 2 * bytes ? bytes : 0;
}

// Makes row number `i` the patch of output column `x`: a copy, or where it lies in the image, if rows may be runs.
static inline void rl_patches_take(const struct rl_convolution_state *s, const struct rl_patch_row *row, int32_t x,
                                   int32_t i, struct rl_packed_rows *rows, struct rl_packed_runs *runs)
{
    const int8_t *const inside = RL_PACKED_IN_PLACE && rows->runs ? rl_patch_inside(row, x) : NULL;
    int8_t *const memory = rl_patch_memory(s, i);
    if (!inside) {
        rl_patch_copy(row, x, memory);
    }
    if (RL_PACKED_IN_PLACE) {
        rows->row[i] = inside ? inside : memory;
        runs->line[i] = inside ? row->line_bytes : row->run_bytes;
    }
}

// Multiplies `count` rows. Missing ones repeat the last one.
static inline void rl_patches_multiply(const struct rl_convolution_state *s, int32_t count, int8_t *output,
                                       ptrdiff_t output_stride, struct rl_packed_rows *rows,
                                       struct rl_packed_runs *runs)
{
    rows->count = count;
    for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
        const int32_t from = rl_min_s32(i, count - 1);
        rows->output[i] = from * output_stride;
        if (RL_PACKED_IN_PLACE) {
            rows->row[i] = rows->row[from];
            runs->line[i] = runs->line[from];
        } else {
            rows->row[i] = rl_patch_memory(s, from);
        }
    }
    rl_matmul_packed_rows(s->matmul, rows, output);
}

// rl_patches_run where there is memory for few copies: patches that lie in the image fill the other rows. Where all are
// copied, half of the rows take less time than one more.
static __attribute__((noinline)) void rl_patches_run_deep(const struct rl_convolution_state *s, const int8_t *input,
                                                          const struct rl_positions *p, int8_t *output)
{
    enum { HALF = (RL_MATMUL_ROWS + 1) / 2 };
    struct rl_packed_runs runs;
    runs.bytes = rl_patches_run_bytes(s->layer);
    struct rl_packed_rows rows;
    rows.runs = &runs;
    const ptrdiff_t gap = p->output_row - p->columns * p->output_column; // to the outputs of the next row
    int32_t filled = 0, copies = 0;
    for (int32_t y = 0; y < p->rows; y++) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, s->layer, input, p->first_y + y);
        for (int32_t x = p->first_x; x < p->first_x + p->columns; x++) {
            const int8_t *const inside = rl_patch_inside(&row, x);
            const bool full = copies == RL_PATCHES || (copies == HALF && filled == HALF);
            if (filled == RL_MATMUL_ROWS || (!inside && full)) {
                rl_patches_multiply(s, filled, output, p->output_column, &rows, &runs);
                output += filled * p->output_column;
                filled = copies = 0;
            }
            int8_t *const memory = rl_patch_memory(s, copies);
            if (!inside) {
                rl_patch_copy(&row, x, memory);
                copies++;
            }
            rows.row[filled] = inside ? inside : memory;
            runs.line[filled] = inside ? row.line_bytes : row.run_bytes;
            filled++;
        }
        if (filled != 0 && (gap != 0 || y + 1 == p->rows)) {
            rl_patches_multiply(s, filled, output, p->output_column, &rows, &runs);
            output += filled * p->output_column + gap;
            filled = copies = 0;
        }
    }
}

// See rl_convolution_run_positions.
static void rl_patches_run(const struct rl_convolution_state *s, const int8_t *input, const struct rl_positions *p,
                           int8_t *output)
{
    if (RL_PACKED_IN_PLACE && !s->one_patch && s->more_patches == 0 && rl_patches_run_bytes(s->layer) != 0) {
        rl_patches_run_deep(s, input, p, output);
        return;
    }
    // Whether the outputs of a row follow those of the row before.
    const bool continuous = p->output_row == p->columns * p->output_column;
    const ptrdiff_t output_column = p->output_column;
    const int32_t end = p->first_x + p->columns, most = rl_patches_at_once(s);
    int32_t filled = 0;
    struct rl_packed_runs runs;
    runs.bytes = rl_patches_run_bytes(s->layer);
    struct rl_packed_rows rows;
    rows.runs = RL_PACKED_IN_PLACE && runs.bytes != 0 ? &runs : NULL;
    for (int32_t y = 0; y < p->rows; y++) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, s->layer, input, p->first_y + y);
        const int32_t last = continuous && y + 1 < p->rows ? end : end - 1;
        for (int32_t x = p->first_x; x < end; x++) {
            rl_patches_take(s, &row, x, filled, &rows, &runs);
            filled++;
            if (filled == most || x == last) {
                rl_patches_multiply(s, filled, output, output_column, &rows, &runs);
                output += filled * output_column;
                filled = 0;
            }
        }
        if (!continuous) {
            output += p->output_row - p->columns * output_column;
        }
    }
}

#endif
