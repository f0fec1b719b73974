// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with patches, which run three patches at a time. Neighbouring patches without padding on
// their left and right are read in place (dot_slide.h) or copied to the scratch. Others are copied and wait there until
// there are three. Windows with gaps are those of strips without them (strips_nest.h), or copied with each tap a run.
#ifndef RL_KERNELS_MVE_PATCHES_NEST_H
#define RL_KERNELS_MVE_PATCHES_NEST_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "mve/cut_rows.h"
#include "mve/dot_lines.h"
#include "mve/dot_slide.h"
#include "mve/edges_nest.h"
#include "mve/matmul_tile.h"
#include "mve/memory_tile.h"
#include "mve/patch_copies.h"
#include "mve/short_patches.h"
#include "mve/strips_nest.h"

// Not in place: the scratch of a 1xN convolution takes only one patch.
enum { RL_PATCHES_IN_PLACE = 0 };

struct rl_waiting_patches {
    int32_t count;
    int8_t *patch[RL_MATMUL_ROWS];
    int8_t *output[RL_MATMUL_ROWS];
};

// The first one that waits leaves the memory of three patches to copies of others.
static inline void rl_waiting_patches_start(struct rl_waiting_patches *w, const struct rl_convolution_state *s)
{
    const ptrdiff_t depth = s->matmul->depth;
    w->count = 0;
    w->patch[0] = s->one_patch ? s->patches : s->patches + RL_MATMUL_ROWS * depth;
    w->patch[1] = s->patches;
    w->patch[2] = s->patches + depth;
}

// Multiplies the waiting patches. Missing ones repeat the first one and write its outputs once more.
static void rl_waiting_patches_run(struct rl_waiting_patches *w, struct rl_matmul_loops *loops,
                                   struct rl_three_rows *rows)
{
    rows->row_0 = w->patch[0];
    rows->output_0 = w->output[0];
    if (w->count < RL_MATMUL_ROWS && rl_matmul_suits_apart(loops, w->count)) {
        rows->row_1 = w->patch[1];
        rows->output_1 = w->output[1];
        rl_matmul_apart(loops, rows, w->count);
        w->count = 0;
        return;
    }
    for (; w->count < RL_MATMUL_ROWS; w->count++) {
        w->patch[w->count] = w->patch[0];
        w->output[w->count] = w->output[0];
    }
    rows->row_1 = w->patch[1];
    rows->row_2 = w->patch[2];
    rows->output_1 = w->output[1];
    rows->output_2 = w->output[2];
    rl_matmul_three(loops, rows);
    w->count = 0;
}

// Computes the outputs of `triples` times three windows, the first one at `window`, in place.
static void rl_patches_slide(const struct rl_patch_row *row, const struct rl_matmul_loops *loops, const int8_t *window,
                             int32_t triples, int8_t *output, ptrdiff_t output_column, struct rl_three_rows *rows)
{
    const int32_t pixel = row->layer->input.c;
    rl_assembler *multiply = rl_dot_slide(pixel, row->present, row->present == row->layer->filter.h);
    struct rl_windows windows = {.near = window + RL_WINDOW_NEAR,
                                 .line_bytes = row->line_bytes,
                                 .lines = row->present,
                                 .sums = rows->sums,
                                 .filters = &loops->filters};
    rows->output_0 = output;
    rows->output_1 = output + output_column;
    rows->output_2 = output + 2 * output_column;
    const ptrdiff_t next_outputs = RL_MATMUL_ROWS * output_column;
    for (; triples > 0; triples--) {
        rl_call_assembler(multiply, &windows);
        rl_call_assembler(loops->scale, rows);
        windows.near += RL_MATMUL_ROWS * pixel;
        rows->output_0 += next_outputs;
        rows->output_1 += next_outputs;
        rows->output_2 += next_outputs;
    }
}

// The same for rows where filters hang over the first or the last line of the input: without the lines of the filters
// that have none under them. Not inlined, so that the biases are not on the stack of other loops.
static __attribute__((noinline)) void rl_patches_slide_cut(const struct rl_convolution_state *s,
                                                           const struct rl_patch_row *row,
                                                           const struct rl_matmul_loops *loops, const int8_t *window,
                                                           int32_t triples, int8_t *output, ptrdiff_t output_column,
                                                           struct rl_three_rows *rows)
{
    int32_t bias[RL_SUM_BLOCK];
    struct rl_matmul_loops cut = *loops;
    const int32_t run = row->run_bytes, above = row->above, below = row->layer->filter.h - above - row->present;
    rl_copy_s32(bias, cut.filters.bias, cut.filters.channels);
    rl_edge_leave_out(s, cut.filters.filter, 1, above * run, bias);
    rl_edge_leave_out(s, cut.filters.filter + (above + row->present) * run, 1, below * run, bias);
    cut.filters.filter += above * run;
    cut.filters.bias = cut.filters.eights.bias = bias;
    rows->filters = &cut.filters;
    rl_patches_slide(row, &cut, window + above * row->line_bytes, triples, output, output_column, rows);
    rows->filters = &loops->filters;
}

// Computes windows in place, with all lines of the filter or those that are present.
static inline __attribute__((always_inline)) void
rl_patches_in_place(const struct rl_convolution_state *s, const struct rl_patch_row *row,
                    const struct rl_matmul_loops *loops, const int8_t *window, int32_t triples, int8_t *output,
                    ptrdiff_t output_column, struct rl_three_rows *rows)
{
    if (row->present == row->layer->filter.h) {
        rl_patches_slide(row, loops, window, triples, output, output_column, rows);
    } else {
        rl_patches_slide_cut(s, row, loops, window, triples, output, output_column, rows);
    }
}

// Computes the outputs of `triples` times three windows, the first one at `window`, from copies. `gaps` has the taps of
// windows with gaps, or is NULL: a constant.
static inline __attribute__((always_inline)) void
rl_patches_copied(const struct rl_patch_row *row, const struct rl_matmul_loops *loops, const int8_t *window,
                  int32_t triples, int8_t *scratch, int8_t *output, ptrdiff_t output_column, struct rl_three_rows *rows,
                  const struct rl_gap_taps *gaps)
{
    const int32_t depth = loops->filters.depth;
    const ptrdiff_t step = (ptrdiff_t)row->layer->stride.w * row->layer->input.c;
    int8_t *copies = scratch;
    // Padding stays in the copies.
    if (gaps && (gaps->lines < row->layer->filter.h || gaps->inside < row->layer->filter.w)) {
        rl_fill_s8(scratch, (int8_t)-row->layer->input_offset, RL_MATMUL_ROWS * depth);
    }
    if (!gaps && row->present < row->layer->filter.h) {
        rl_fill_s8(scratch, (int8_t)-row->layer->input_offset, RL_MATMUL_ROWS * depth);
        window += row->above * row->line_bytes;
        copies += row->above * row->run_bytes;
    }
    rows->row_0 = scratch;
    rows->row_1 = scratch + depth;
    rows->row_2 = scratch + 2 * depth;
    rows->output_0 = output;
    rows->output_1 = output + output_column;
    rows->output_2 = output + 2 * output_column;
    for (; triples > 0; triples--, window += RL_MATMUL_ROWS * step) {
        if (gaps) {
            rl_patches_copy_taps(row, gaps, window, step, copies, depth);
        } else {
            rl_patches_copy_runs(row, window, step, copies, depth);
        }
        rl_matmul_three(loops, rows);
        rows->output_0 += RL_MATMUL_ROWS * output_column;
        rows->output_1 += RL_MATMUL_ROWS * output_column;
        rows->output_2 += RL_MATMUL_ROWS * output_column;
    }
}

// Computes the outputs of `triples` times three windows of one line, in place: the first one at `window`.
static inline void rl_patches_of_a_line(const struct rl_matmul_loops *loops, const int8_t *window, ptrdiff_t step,
                                        int32_t triples, int8_t *output, ptrdiff_t output_column,
                                        struct rl_three_rows *rows)
{
    for (; triples > 0; triples--, window += RL_MATMUL_ROWS * step, output += RL_MATMUL_ROWS * output_column) {
        rows->row_0 = window;
        rows->row_1 = window + step;
        rows->row_2 = window + 2 * step;
        rows->output_0 = output;
        rows->output_1 = output + output_column;
        rows->output_2 = output + 2 * output_column;
        rl_matmul_three(loops, rows);
    }
}

// Computes the outputs of `triples` times three windows in place, the first one at `window`. Not inlined, so that its
// variables are not on the stack of other loops.
static __attribute__((noinline)) void rl_patches_of_lines(const struct rl_patch_row *row,
                                                          const struct rl_matmul_loops *loops, const int8_t *window,
                                                          int32_t triples, int8_t *output, ptrdiff_t output_column,
                                                          int32_t *sums)
{
    const ptrdiff_t step = (ptrdiff_t)row->layer->stride.w * row->layer->input.c;
    struct rl_window_lines w = {.rows = {.row_0 = window,
                                         .filters = &loops->filters,
                                         .row_1 = window + step,
                                         .row_2 = window + 2 * step,
                                         .sums = sums,
                                         .output_0 = output,
                                         .output_1 = output + output_column,
                                         .output_2 = output + 2 * output_column}};
    rl_window_lines_start(&w, row->run_bytes, row->present, row->line_bytes);
    rl_assembler *multiply = rl_dot_lines(row->run_bytes);
    for (; triples > 0; triples--) {
        rl_call_assembler(multiply, &w);
        rl_call_assembler(loops->scale, &w);
        w.rows.row_0 += RL_MATMUL_ROWS * step;
        w.rows.row_1 += RL_MATMUL_ROWS * step;
        w.rows.row_2 += RL_MATMUL_ROWS * step;
        w.rows.output_0 += RL_MATMUL_ROWS * output_column;
        w.rows.output_1 += RL_MATMUL_ROWS * output_column;
        w.rows.output_2 += RL_MATMUL_ROWS * output_column;
    }
}

// Computes a few outputs that follow each other, from copies of all their patches, for which there is room at
// `patches`. Starting the loops for many takes longer.
static __attribute__((noinline)) void rl_patches_run_few(const struct rl_convolution_state *s, const int8_t *input,
                                                         const struct rl_positions *p, int8_t *patches, int8_t *output)
{
    const int32_t depth = s->matmul->depth, columns = p->columns;
    const bool are_runs = s->layer->rows_are_runs;
    int8_t *patch = patches;
    struct rl_patch_row row;
    struct rl_patch_runs runs;
    if (are_runs) {
        rl_fill_s8(patch, (int8_t)-s->layer->input_offset, p->rows * columns * depth);
    }
    for (int32_t y = 0; y < p->rows; y++) {
        if (!are_runs) {
            rl_patch_row_start(&row, s->layer, input, p->first_y + y);
            for (int32_t x = 0; x < columns; x++, patch += depth) {
                rl_patch_copy(&row, p->first_x + x, patch);
            }
            continue;
        }
        rl_patch_runs_start(&runs, s->layer, input, p->first_y + y);
        for (int32_t x = 0; x < columns; x++, patch += depth) {
            rl_patch_copy_inside(&runs, p->first_x + x, patch);
        }
    }
    rl_matmul_in_threes(s->matmul, rl_dot_rows_s8(depth), patches, depth, p->rows * columns, output, p->output_column);
}

enum { RL_TINY_BYTES = 1024, RL_TINY_OUTPUTS = 25 };

// The same for more outputs of short windows. Not inlined, so that their copies are not on the stack of other layers.
static __attribute__((noinline)) void rl_patches_run_tiny(const struct rl_convolution_state *s, const int8_t *input,
                                                          const struct rl_positions *p, int8_t *output)
{
    int8_t patches[RL_TINY_BYTES];
    rl_patches_run_few(s, input, p, patches, output);
}

// How windows without padding on their left and right are read.
enum rl_patches_way {
    RL_PATCHES_COPIED,  // those of one line in place
    RL_PATCHES_SLIDING, // by rl_patches_slide where it takes them, else copied
    RL_PATCHES_LINES,   // by rl_patches_of_lines
    RL_PATCHES_GAPS,    // tap by tap, for windows that are not runs
};

// The loops for all windows. `way` is a constant.
static inline __attribute__((always_inline)) void rl_patches_loop(const struct rl_convolution_state *s,
                                                                  rl_assembler *multiply, const int8_t *input,
                                                                  const struct rl_positions *p, int8_t *output,
                                                                  enum rl_patches_way way)
{
    const bool gaps = way == RL_PATCHES_GAPS, has_lines = way == RL_PATCHES_LINES;
    struct rl_matmul *m = s->matmul;
    int32_t sums[RL_MATMUL_ROWS * RL_SUM_BLOCK];
    struct rl_three_rows rows;
    struct rl_matmul_loops loops;
    struct rl_waiting_patches waiting;
    rows.sums = sums;
    rl_waiting_patches_start(&waiting, s);
    const struct rl_convolution *c = s->layer;
    const int32_t pad = c->padding.w;
    const int32_t stride = c->stride.w;
    const bool slides = way == RL_PATCHES_SLIDING && stride == 1 && rl_dot_can_slide(c->filter.w, c->input.c);
    if ((slides || has_lines) && m->late_offset != 0 && !m->is_prelu) {
        rl_matmul_settle(m);
    }
    rl_matmul_start(&loops, m, multiply);
    rows.filters = &loops.filters;
    const struct rl_edge_rows edges = slides ? rl_edge_rows_of(s, p) : (struct rl_edge_rows){0, 0};
    rl_edges_run(s, &loops, input, p, edges, output);
    for (int32_t y = 0; y < p->rows; y++, output += p->output_row) {
        struct rl_patch_row row;
        const int32_t edge = y >= edges.first && y < edges.end ? 1 : 0;
        const int32_t end = p->first_x + p->columns - edge;
        rl_patch_row_start(&row, s->layer, input, p->first_y + y);
        const int32_t last_sliding = row.present > 0 ? c->input.w - c->filter.w : -1;
        struct rl_gap_taps taps;
        taps.inside = 0;
        taps.last = c->dilation.w < 3 ? -1 : INT32_MIN; // no three windows before share their taps
        int8_t *out = output + edge * p->output_column;
        for (int32_t x = p->first_x + edge; x < end;) {
            const int32_t in_x = x * stride - pad;
            int32_t done = 1, last_whole = last_sliding;
            if (gaps) {
                if (in_x > taps.last && x + 2 < end) {
                    rl_gap_taps_of(&row, in_x, &taps);
                }
                last_whole = taps.inside > 0 ? taps.last : in_x - 1;
            }
            if (slides && in_x >= 0 && x + 2 < end && in_x + 2 <= last_sliding) {
                const int32_t triples = rl_min_s32(end - x, last_sliding + 1 - in_x) / 3;
                rl_patches_in_place(s, &row, &loops, rl_window_at(&row, in_x), triples, out, p->output_column, &rows);
                done = 3 * triples;
            } else if (in_x >= 0 && x + 2 < end && in_x + 2 * stride <= last_sliding &&
                       (has_lines ? row.present == c->filter.h : !gaps && c->filter.h == 1)) {
                const int32_t triples = rl_min_s32(end - x, (last_sliding - in_x) / stride + 1) / 3;
                if (has_lines) {
                    rl_patches_of_lines(&row, &loops, rl_window_at(&row, in_x), triples, out, p->output_column, sums);
                } else {
                    rl_patches_of_a_line(&loops, rl_window_at(&row, in_x), (ptrdiff_t)stride * c->input.c, triples, out,
                                         p->output_column, &rows);
                }
                done = 3 * triples;
            } else if (!s->one_patch && waiting.count <= 1 && (gaps || in_x >= 0) && x + 2 < end &&
                       in_x + 2 * stride <= last_whole) {
                const int32_t triples = rl_min_s32(end - x, (last_whole - in_x) / stride + 1) / 3;
                rl_patches_copied(&row, &loops, rl_window_at(&row, in_x), triples, s->patches, out, p->output_column,
                                  &rows, gaps ? &taps : NULL);
                done = 3 * triples;
            } else {
                rl_patch_copy(&row, x, waiting.patch[waiting.count]);
                waiting.output[waiting.count] = out;
                if (++waiting.count == (s->one_patch ? 1 : RL_MATMUL_ROWS)) {
                    rl_waiting_patches_run(&waiting, &loops, &rows);
                }
            }
            x += done;
            out += done * p->output_column;
        }
    }
    if (waiting.count > 0) {
        rl_waiting_patches_run(&waiting, &loops, &rows);
    }
}

static inline rl_assembler *rl_patches_multiply(const struct rl_matmul *m)
{
    return rl_matmul_has_gaps(m) ? rl_dot_rows_any(m->depth) : rl_dot_rows_s8(m->depth);
}

static __attribute__((noinline)) void rl_patches_run_many(const struct rl_convolution_state *s, const int8_t *input,
                                                          const struct rl_positions *p, int8_t *output)
{
    rl_patches_loop(s, rl_patches_multiply(s->matmul), input, p, output, RL_PATCHES_SLIDING);
}

static __attribute__((noinline)) void rl_patches_run_lines(const struct rl_convolution_state *s, const int8_t *input,
                                                           const struct rl_positions *p, int8_t *output)
{
    rl_patches_loop(s, rl_patches_multiply(s->matmul), input, p, output, RL_PATCHES_LINES);
}

static __attribute__((noinline)) void rl_patches_run_gaps(const struct rl_convolution_state *s, const int8_t *input,
                                                          const struct rl_positions *p, int8_t *output)
{
    rl_patches_loop(s, rl_dot_rows_s8(s->matmul->depth), input, p, output, RL_PATCHES_GAPS);
}

// Whether all outputs are computed from copies of their patches in the scratch, or on the stack.
static inline bool rl_patches_are_few(const struct rl_convolution_state *s, const struct rl_positions *p)
{
    return !s->one_patch && p->rows * p->columns <= RL_PATCHES && rl_positions_are_even(p);
}

static inline bool rl_patches_are_tiny(const struct rl_convolution_state *s, const struct rl_positions *p)
{
    const struct rl_matmul *m = s->matmul;
    const int32_t outputs = p->rows * p->columns;
    return outputs <= RL_TINY_OUTPUTS && outputs * m->depth <= RL_TINY_BYTES && !m->rows.in_fours &&
           rl_positions_are_even(p);
}

// Runs windows that are read in place line by line.
static __attribute__((noinline)) void rl_patches_whole_lines(const struct rl_convolution_state *s, const int8_t *input,
                                                             const struct rl_positions *p, int8_t *output)
{
    if (rl_cut_rows_suit(s, p)) {
        rl_cut_rows_run(s, input, p, rl_patches_run_lines, output);
    } else {
        rl_patches_run_lines(s, input, p, output);
    }
}

static inline bool rl_patches_suit_lines(const struct rl_convolution_state *s, const struct rl_positions *p)
{
    const struct rl_convolution *c = s->layer;
    const bool slides = c->stride.w == 1 && rl_dot_can_slide(c->filter.w, c->input.c);
    return !slides && p->columns >= RL_MATMUL_ROWS && rl_convolution_suits_lines_mve(c, s->matmul->channels);
}

// Runs windows without gaps, more than a few.
static inline __attribute__((always_inline)) void rl_patches_whole(const struct rl_convolution_state *s,
                                                                   const int8_t *input, const struct rl_positions *p,
                                                                   int8_t *output)
{
    if (s->matmul->rows.in_fours) {
        rl_patches_run_short(s, input, p, output);
    } else if (rl_patches_suit_lines(s, p)) {
        rl_patches_whole_lines(s, input, p, output);
    } else if (rl_cut_rows_suit(s, p)) {
        rl_cut_rows_run(s, input, p, rl_patches_run_many, output);
    } else {
        rl_patches_run_many(s, input, p, output);
    }
}

static __attribute__((noinline)) void rl_patches_run_whole(const struct rl_convolution_state *s, const int8_t *input,
                                                           const struct rl_positions *p, int8_t *output)
{
    if (rl_patches_are_few(s, p)) {
        rl_patches_run_few(s, input, p, s->patches, output);
    } else {
        rl_patches_whole(s, input, p, output);
    }
}

static __attribute__((noinline)) void rl_patches_run_apart(const struct rl_convolution_state *s, const int8_t *input,
                                                           const struct rl_positions *p, int8_t *output)
{
    if (rl_strips_suit(s->layer, p)) {
        rl_strips_run(s, input, p, rl_patches_run_whole, output);
    } else {
        rl_patches_run_gaps(s, input, p, output);
    }
}

// See rl_convolution_run_positions.
static inline void rl_patches_run(const struct rl_convolution_state *s, const int8_t *input,
                                  const struct rl_positions *p, int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    if (rl_patches_are_few(s, p)) {
        rl_patches_run_few(s, input, p, s->patches, output);
        return;
    }
    if (rl_patches_are_tiny(s, p)) {
        rl_patches_run_tiny(s, input, p, output);
        return;
    }
    const bool few = c->padding.w == 0 || p->rows * p->columns <= RL_STRIP_FEW_OUTPUTS || s->one_patch;
    if (c->rows_are_runs && (few || !rl_strips_save_copies(c, p))) {
        rl_patches_run_whole(s, input, p, output);
    } else {
        rl_patches_run_apart(s, input, p, output);
    }
}

#endif
