// SPDX-License-Identifier: Apache-2.0
// The nest of convolutions with patches. Neighbouring ones of some shapes are read where they lie in the
// input (dot_slide.h), and so are patches of one run; others are copied to the scratch. Three patches wait
// for each other wherever their outputs are.
#ifndef RL_KERNELS_MVE_PATCHES_NEST_H
#define RL_KERNELS_MVE_PATCHES_NEST_H

#include "convolution/patch.h"
#include "mve/dot_slide.h"
#include "mve/matmul_tile.h"
#include "mve/memory_tile.h"

// No: the scratch of a 1xN convolution takes one patch only.
enum { RL_PATCHES_IN_PLACE = 0 };

struct rl_waiting_patches {
    int32_t count;
    const int8_t *patch[RL_MATMUL_ROWS];
    int8_t *output[RL_MATMUL_ROWS];
};

// The products of those that wait. Ones that are missing repeat the first, and write its outputs once more.
static void rl_waiting_patches_run(struct rl_waiting_patches *w, const struct rl_matmul *m, int32_t *sums)
{
    for (; w->count < RL_MATMUL_ROWS; w->count++) {
        w->patch[w->count] = w->patch[0];
        w->output[w->count] = w->output[0];
    }
    const struct rl_three_rows rows = {
        w->patch[0], m, w->patch[1], w->patch[2], sums, w->output[0], w->output[1], w->output[2]};
    rl_matmul_three(m, &rows);
    w->count = 0;
}

// Outputs of `triples` times three windows, the first one at `window`.
static void rl_patches_slide(const struct rl_patch_row *row, const struct rl_matmul *m, const int8_t *window,
                             int32_t triples, int8_t *output, ptrdiff_t output_column, int32_t *sums)
{
    const int32_t pixel = row->convolution->input_dims->c;
    struct rl_windows windows = {window + RL_WINDOW_NEAR, m, row->line_bytes, row->present, sums};
    struct rl_three_rows rows;
    rows.filters = m;
    rows.sums = sums;
    for (; triples > 0; triples--) {
        rl_dot_slide(&windows, pixel);
        rows.output_0 = output;
        rows.output_1 = output + output_column;
        rows.output_2 = output + 2 * output_column;
        rl_matmul_scale(m, &rows);
        windows.near += RL_MATMUL_ROWS * pixel;
        output += RL_MATMUL_ROWS * output_column;
    }
}

// The patch of output column `x`, whose window starts in input column `in_x`: a run of the input, or a copy.
static inline const int8_t *rl_patch_or_copy(const struct rl_patch_row *row, int32_t x, int32_t in_x,
                                             int32_t depth, int8_t *copy)
{
    if (in_x < 0 || in_x > row->last_inside) {
        rl_patch_copy(row, x, copy);
        return copy;
    }
    const int8_t *from = row->input + (ptrdiff_t)row->in_y * row->line_bytes +
                         (ptrdiff_t)in_x * row->convolution->input_dims->c;
    if (row->run_bytes == depth) {
        return from;
    }
    rl_copy_runs_s8(copy, row->run_bytes, from, row->line_bytes, row->run_bytes, row->present);
    return copy;
}

// See rl_convolution_run_positions.
static void rl_patches_run(const struct rl_convolution *c, const struct rl_matmul *m, const int8_t *input,
                           const struct rl_positions *p, int8_t *output, int8_t *scratch)
{
    int32_t sums[RL_MATMUL_ROWS * RL_CHANNEL_BLOCK];
    struct rl_waiting_patches waiting = {.count = 0};
    const int32_t end = p->first_x + p->columns;
    const int32_t pad = c->params->padding.w;
    const int32_t stride = c->params->stride.w;
    const bool slides = stride == 1 && rl_dot_can_slide(c->filter_dims->w, c->input_dims->c);
    const int32_t slide_from = rl_max_s32(p->first_x, pad);
    for (int32_t y = 0; y < p->rows; y++, output += p->output_row) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, c, input, p->first_y + y);
        const int32_t slide_end = rl_min_s32(end, row.last_inside + 1 + pad);
        const int32_t triples = slides ? (slide_end - slide_from) / RL_MATMUL_ROWS : 0;
        int8_t *out = output;
        for (int32_t x = p->first_x; x < end; x++, out += p->output_column) {
            if (x == slide_from && triples > 0) {
                rl_patches_slide(&row, m, rl_patch_inside(&row, x), triples, out, p->output_column, sums);
                x += RL_MATMUL_ROWS * triples - 1;
                out += (RL_MATMUL_ROWS * triples - 1) * p->output_column;
                continue;
            }
            int8_t *copy = scratch + (ptrdiff_t)waiting.count * m->depth;
            waiting.patch[waiting.count] = rl_patch_or_copy(&row, x, x * stride - pad, m->depth, copy);
            waiting.output[waiting.count] = out;
            if (++waiting.count == RL_MATMUL_ROWS) {
                rl_waiting_patches_run(&waiting, m, sums);
            }
        }
    }
    if (waiting.count > 0) {
        rl_waiting_patches_run(&waiting, m, sums);
    }
}

#endif
