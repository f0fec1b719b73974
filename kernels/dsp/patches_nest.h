// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with patches. Patches inside the input are expanded from there; only those with padding or
// short runs are copied to the scratch.
#ifndef RL_KERNELS_DSP_PATCHES_NEST_H
#define RL_KERNELS_DSP_PATCHES_NEST_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "dsp/matmul_tile.h"

enum { RL_PATCHES_IN_PLACE = 1 };

// The patch of column `x`, in place or in `copy`. It is copied if it has padding, if words would cross the ends of
// runs, if it is computed alone and has several runs, or if its runs are too short to expand each.
static struct rl_matmul_row rl_patch_or_copy(const struct rl_patch_row *row, int32_t x, int32_t depth, bool alone,
                                             int8_t *copy)
{
    const int8_t *inside = rl_patch_inside(row, x);
    if (inside && ((row->run_bytes % 4 == 0 && row->run_bytes >= 16 && !alone) || row->run_bytes == depth)) {
        return (struct rl_matmul_row){inside, row->run_bytes, row->line_bytes, NULL};
    }
    rl_patch_copy(row, x, copy);
    return (struct rl_matmul_row){copy, depth, 0, NULL};
}

// Computes outputs of a single channel from column `x` on, as far as patches lie inside the input. A patch is one run.
// Returns how many it computed, or 0.
static __attribute__((noinline)) int32_t rl_patches_run_single(const struct rl_patch_row *row,
                                                               const struct rl_matmul *m, int32_t x, int32_t end,
                                                               int8_t *output, ptrdiff_t output_step)
{
    const struct rl_convolution *c = row->layer;
    const int8_t *first = rl_patch_inside(row, x);
    if (!first) {
        return 0;
    }
    const int32_t stride = c->stride.w;
    const int32_t inside_end = (row->last_inside + c->padding.w) / stride + 1;
    const int32_t count = rl_min_s32(end, inside_end) - x;
    const ptrdiff_t step = stride * (ptrdiff_t)c->input.c;
    return rl_matmul_one_channel(m, first, step, count, output, output_step) ? count : 0;
}

// See rl_convolution_run_positions.
static void rl_patches_run(const struct rl_convolution_state *s, const int8_t *input, const struct rl_positions *p,
                           int8_t *output)
{
    const struct rl_matmul *m = s->matmul;
    struct rl_matmul_work w;
    struct rl_matmul_row rows[RL_MATMUL_ROWS];
    const int32_t depth = m->depth, end = p->first_x + p->columns;
    const int32_t together = !RL_SMALL && m->channels == 1 ? RL_SINGLE_ROWS : RL_MATMUL_ROWS;
    const int32_t most = s->one_patch ? 1 : together;
    int32_t filled = 0;
    rl_matmul_begin(&w, m);
    for (int32_t y = 0; y < p->rows; y++, output += p->output_row) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, s->layer, input, p->first_y + y);
        int8_t *out = output;
        for (int32_t x = p->first_x; x < end; x++, out += p->output_column) {
            if (together == RL_SINGLE_ROWS && row.run_bytes == depth) {
                const int32_t run = rl_patches_run_single(&row, m, x, end, out, p->output_column);
                if (run > 0) {
                    x += run - 1;
                    out += (run - 1) * p->output_column;
                    continue;
                }
            }
            const bool alone = !w.usual || most == 1 || (filled == 0 && x + 1 == end && y + 1 == p->rows);
            rows[filled] = rl_patch_or_copy(&row, x, depth, alone, s->patches + (ptrdiff_t)filled * depth);
            rows[filled].output = out;
            if (++filled == most) {
                rl_matmul_block(&w, rows, filled);
                filled = 0;
            }
        }
    }
    if (filled > 0) {
        rl_matmul_block(&w, rows, filled);
    }
}

#endif
