// SPDX-License-Identifier: Apache-2.0
// Convolutions with patches whose windows are short (short_rows.h): many copies of windows are multiplied at a time.
// Used by patches_nest.h and kinds_nest.h.
#ifndef RL_KERNELS_MVE_SHORT_PATCHES_H
#define RL_KERNELS_MVE_SHORT_PATCHES_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "mve/matmul_tile.h"
#include "mve/patch_copies.h"

// The address of the window that starts in input column `in_x` of a row.
static inline const int8_t *rl_window_at(const struct rl_patch_row *row, int32_t in_x)
{
    return row->input + (ptrdiff_t)row->in_y * row->line_bytes + (ptrdiff_t)in_x * row->layer->input.c;
}

// Whether the outputs of all rows are one distance apart.
static inline bool rl_positions_are_even(const struct rl_positions *p)
{
    return p->rows == 1 || p->output_row == p->columns * p->output_column;
}

enum { RL_SHORT_BYTES = 1024 }; // of copies

// Copies of short windows that wait for each other.
struct rl_short_patches {
    struct rl_matmul *matmul;
    int8_t *output; // of the first one
    ptrdiff_t output_column;
    int32_t count, most;
    int8_t patches[RL_SHORT_BYTES];
};

static void rl_short_patches_run(struct rl_short_patches *w)
{
    const int32_t depth = w->matmul->depth;
    if (w->count > 0) {
        rl_matmul_short_rows(w->matmul, w->patches, depth, w->count, w->output, w->output_column);
        w->output += w->count * w->output_column;
        w->count = 0;
    }
}

// Copies windows of a row from column `x` of `end` on, as many as there is room for and share a form, or computes them
// in place. Returns how many.
static int32_t rl_short_patches_add(struct rl_short_patches *w, const struct rl_patch_row *row, int32_t x, int32_t end,
                                    bool in_place)
{
    const struct rl_convolution *c = row->layer;
    const int32_t depth = w->matmul->depth, stride = c->stride.w;
    const int32_t in_x = x * stride - c->padding.w;
    const int32_t whole = in_x < 0 || in_x > row->last_inside ? 0 : (row->last_inside - in_x) / stride + 1;
    const int32_t inside = rl_min_s32(end - x, whole);
    const ptrdiff_t step = (ptrdiff_t)stride * c->input.c;
    if (in_place && inside > 1) {
        rl_short_patches_run(w);
        rl_matmul_short_rows(w->matmul, rl_window_at(row, in_x), step, inside, w->output, w->output_column);
        w->output += inside * w->output_column;
        return inside;
    }
    int8_t *to = w->patches + w->count * depth;
    const int32_t threes = row->run_bytes <= 16 ? rl_min_s32(inside, w->most - w->count) / 3 : 0;
    if (threes > 0) {
        rl_patches_copy_threes(row, rl_window_at(row, in_x), step, to, depth, threes);
        w->count += 3 * threes;
        return 3 * threes;
    }
    rl_patch_copy(row, x, to);
    w->count++;
    return 1;
}

// Computes the outputs of layers with short windows of runs, from copies of many of them. Windows of one line are read
// in place where copies do not pay.
static __attribute__((noinline)) void rl_patches_run_short(const struct rl_convolution_state *s, const int8_t *input,
                                                           const struct rl_positions *p, int8_t *output)
{
    struct rl_short_patches w;
    const struct rl_convolution *c = s->layer;
    const bool is_even = rl_positions_are_even(p);
    const bool in_place = c->filter.h == 1 && (!is_even || c->filter.w * c->filter_channels > 16);
    const int32_t end = p->first_x + p->columns;
    w.matmul = s->matmul;
    w.output_column = p->output_column;
    w.output = output;
    w.count = 0;
    w.most = RL_SHORT_BYTES / s->matmul->depth / 6 * 6; // threes, and pairs of rows
    for (int32_t y = 0; y < p->rows; y++) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, c, input, p->first_y + y);
        for (int32_t x = p->first_x; x < end;) {
            x += rl_short_patches_add(&w, &row, x, end, in_place);
            if (w.count == w.most) {
                rl_short_patches_run(&w);
            }
        }
        if (!is_even) {
            rl_short_patches_run(&w);
            output += p->output_row;
            w.output = output;
        }
    }
    rl_short_patches_run(&w);
}

#endif
