// SPDX-License-Identifier: Apache-2.0
// The first and the last column of a convolution of three by three with padding. Their windows lose a column, and what
// remains is read in place, for three outputs below each other: no patch is copied, and padding is not multiplied.
#ifndef RL_KERNELS_MVE_EDGES_NEST_H
#define RL_KERNELS_MVE_EDGES_NEST_H

#include "convolution/convolution.h"
#include "mve/dot_edge.h"
#include "mve/matmul_tile.h"
#include "mve/memory_tile.h"

// The rows of outputs whose edges are computed in this way: whole threes, without padding above and below.
struct rl_edge_rows {
    int32_t first;
    int32_t end;
};

static inline struct rl_edge_rows rl_edge_rows_of(const struct rl_convolution_state *s, const struct rl_positions *p)
{
    const struct rl_convolution *c = s->layer;
    const int32_t first = rl_max_s32(c->padding.h - p->first_y, 0);
    const int32_t end = rl_min_s32(p->rows, c->input.h - 2 + c->padding.h - p->first_y);
    const bool suits = c->filter.h == 3 && c->filter.w == 3 && c->stride.h == 1 && c->padding.w == 1 &&
                       p->first_x == 0 && p->columns == c->input.w && p->columns > 1 && s->matmul->channels % 2 == 0;
    if (!suits || end < first) {
        return (struct rl_edge_rows){0, 0};
    }
    return (struct rl_edge_rows){first, first + (end - first) / 3 * 3};
}

// Biases take in the input offset for all weights. Takes out those of `runs` runs of each filter, the first one of the
// first filter at `cut`: `run_bytes` each.
static inline void rl_edge_leave_out(const struct rl_convolution_state *s, const int8_t *cut, int32_t runs,
                                     int32_t run_bytes, int32_t *bias)
{
    const struct rl_matmul *m = s->matmul;
    const int32_t line = s->layer->filter.w * s->layer->input.c, offset = s->layer->input_offset;
    if (offset == 0 || run_bytes == 0) {
        return;
    }
    for (int32_t i = 0; i < m->channels; i++, cut += m->depth) {
        int32_t sum = 0;
        const int8_t *run = cut;
        for (int32_t left = runs; left > 0; left--, run += line) {
            sum += rl_sum_s8(run, run_bytes);
        }
        bias[m->scale_in_eights ? rl_scale_place(i, m->channels) : i] -= offset * sum;
    }
}

// Computes the first column of these rows, or the last one if `is_last`. `output` is that of the first position. Not
// inlined, so that the biases are not on the stack of the loop that calls it.
static __attribute__((noinline)) void rl_edge_run(const struct rl_convolution_state *s,
                                                  const struct rl_matmul_loops *loops, const int8_t *input,
                                                  const struct rl_positions *p, struct rl_edge_rows rows, bool is_last,
                                                  int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const int32_t pixel = c->input.c;
    const ptrdiff_t line_bytes = (ptrdiff_t)c->input.w * pixel, next_input = 3 * line_bytes;
    int32_t bias[RL_SUM_BLOCK], sums[RL_MATMUL_ROWS * RL_SUM_BLOCK];
    struct rl_filters filters = loops->filters;
    rl_copy_s32(bias, filters.bias, filters.channels);
    rl_edge_leave_out(s, filters.filter + (is_last ? 2 * pixel : 0), 3, pixel, bias);
    filters.filter += is_last ? 0 : pixel;
    filters.bias = filters.eights.bias = bias;
    const int32_t in_y = p->first_y + rows.first - c->padding.h;
    struct rl_edge edge = {.input = input + in_y * line_bytes + (is_last ? line_bytes - 2 * pixel : 0),
                           .filters = &filters,
                           .line_bytes = line_bytes,
                           .sums = sums};
    output += rows.first * p->output_row + (is_last ? (p->columns - 1) * p->output_column : 0);
    struct rl_three_rows three = {.filters = &filters, .sums = sums};
    rl_assembler *multiply = rl_dot_edge(pixel);
    for (int32_t y = rows.first; y < rows.end; y += 3, edge.input += next_input) {
        three.output_0 = output;
        three.output_1 = output + p->output_row;
        three.output_2 = output + 2 * p->output_row;
        rl_call_assembler(multiply, &edge);
        rl_call_assembler(loops->scale, &three);
        output += 3 * p->output_row;
    }
}

// Computes the first and the last column of these rows, of which there may be none.
static inline __attribute__((always_inline)) void rl_edges_run(const struct rl_convolution_state *s,
                                                               const struct rl_matmul_loops *loops, const int8_t *input,
                                                               const struct rl_positions *p, struct rl_edge_rows rows,
                                                               int8_t *output)
{
    if (rows.first < rows.end) {
        rl_edge_run(s, loops, input, p, rows, false, output);
        rl_edge_run(s, loops, input, p, rows, true, output);
    }
}

#endif
