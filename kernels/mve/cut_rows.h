// SPDX-License-Identifier: Apache-2.0
// Rows of outputs whose filters hang over the first or the last line of the input, where windows are copied: as those
// of a layer with lower filters. Nothing of that padding is copied or multiplied. Windows that are read in place have a
// way of their own (rl_patches_slide_cut).
#ifndef RL_KERNELS_MVE_CUT_ROWS_H
#define RL_KERNELS_MVE_CUT_ROWS_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "mve/dot_slide.h"
#include "mve/edges_nest.h"
#include "mve/matmul_tile.h"
#include "mve/memory_tile.h"
#include "mve/strips_nest.h"

// The rows of outputs that see all lines of the filters.
struct rl_full_rows {
    int32_t first;
    int32_t end;
};

static inline struct rl_full_rows rl_full_rows_of(const struct rl_convolution *c, const struct rl_positions *p)
{
    struct rl_full_rows rows = {0, p->rows};
    int32_t in_y = p->first_y * c->stride.h - c->padding.h;
    for (; rows.first < rows.end && in_y < 0; rows.first++) {
        in_y += c->stride.h;
    }
    in_y = (p->first_y + rows.end - 1) * c->stride.h - c->padding.h + c->filter.h;
    for (; rows.end > rows.first && in_y > c->input.h; rows.end--) {
        in_y -= c->stride.h;
    }
    return rows;
}

// Runs row `y` of the positions, of whose filters some lines lie on the input.
static __attribute__((noinline)) void rl_cut_row_run(const struct rl_convolution_state *s, const int8_t *input,
                                                     const struct rl_positions *p, int32_t y, rl_positions_loop *run,
                                                     int8_t *output)
{
    int32_t bias[RL_SUM_BLOCK];
    struct rl_convolution low = *s->layer;
    struct rl_convolution_state state = *s;
    struct rl_matmul m = *s->matmul;
    struct rl_patch_row row;
    rl_patch_row_start(&row, s->layer, input, p->first_y + y);
    const int32_t above = row.above * row.run_bytes, present = row.present * row.run_bytes;
    rl_copy_s32(bias, m.bias, m.channels);
    rl_edge_leave_out(s, m.filter, 1, above, bias);
    rl_edge_leave_out(s, m.filter + above + present, 1, m.depth - above - present, bias);
    m.bias = bias;
    m.filter += above;
    m.gap = m.depth - present;
    m.depth = present;
    low.filter.h = row.present;
    low.stride.h = 1;
    low.padding.h = 0;
    state.layer = &low;
    state.matmul = &m;
    const struct rl_positions at = {row.in_y + row.above, p->first_x, 1, p->columns, 0, p->output_column};
    run(&state, input, &at, output + y * p->output_row);
}

// Runs all positions, rows without padding first, whose products may complete the biases. `run` is known where this is
// inlined.
static inline __attribute__((always_inline)) void rl_cut_rows_run(const struct rl_convolution_state *s,
                                                                  const int8_t *input, const struct rl_positions *p,
                                                                  rl_positions_loop *run, int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    struct rl_matmul *m = s->matmul;
    const struct rl_full_rows full = rl_full_rows_of(c, p);
    struct rl_positions at = *p;
    at.first_y += full.first;
    at.rows = full.end - full.first;
    if (at.rows > 0) {
        run(s, input, &at, output + full.first * p->output_row);
    } else if (m->late_offset != 0) {
        rl_matmul_settle(m);
    }
    for (int32_t y = 0; y < full.first; y++) {
        rl_cut_row_run(s, input, p, y, run, output);
    }
    for (int32_t y = full.end; y < p->rows; y++) {
        rl_cut_row_run(s, input, p, y, run, output);
    }
}

// Whether rl_cut_rows_run serves these positions: enough lines of the filters lie on the input for the loops, and those
// that do not are worth taking their part out of the biases.
static inline bool rl_cut_rows_suit(const struct rl_convolution_state *s, const struct rl_positions *p)
{
    enum { CHANNEL = 20, ROW = 500 }; // cycles
    const struct rl_convolution *c = s->layer;
    const int32_t run = c->filter.w * c->filter_channels, height = c->filter.h;
    if (s->matmul->channels * (run * (p->columns - 1) / 8 - CHANNEL) <= ROW) {
        return false;
    }
    const int32_t above = c->padding.h;
    const int32_t below = (p->first_y + p->rows - 1) * c->stride.h - above + height - c->input.h;
    const bool slides = c->stride.w == 1 && rl_dot_can_slide(c->filter.w, c->input.c);
    if ((above <= 0 && below <= 0) || slides || s->one_patch || s->matmul->is_prelu) {
        return false;
    }
    const int32_t most = rl_max_s32(above, below);
    return (height - (c->input.h < height ? above + rl_max_s32(below, 0) : most)) * run > RL_SHORT_DEPTH;
}

#endif
