// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c): there are no kinds but that of pixels under a stride.
#ifndef RL_KERNELS_SCALAR_KINDS_NEST_H
#define RL_KERNELS_SCALAR_KINDS_NEST_H

#include "convolution/convolution.h"
#include "isa.h"
#include "scalar/kinds_none.h"

#include RL_TILE(matmul_tile.h)

// Multiplies the pixels of `rows`, the first `count` of RL_MATMUL_ROWS. Missing ones repeat the last one.
static inline void rl_kind_multiply(const struct rl_matmul *m, struct rl_packed_rows *rows, int32_t count,
                                    int8_t *output, ptrdiff_t output_stride)
{
    rows->count = count;
    for (int32_t i = 0; i < RL_MATMUL_ROWS; i++) {
        const int32_t from = rl_min_s32(i, count - 1);
        rows->row[i] = rows->row[from];
        rows->output[i] = from * output_stride;
    }
    rl_matmul_packed_rows(m, rows, output);
}

// Runs pixels under a stride, those of all lines one after the other: short lines would leave rows empty. Not inlined,
// like the other functions that rl_convolution_run_block calls, so that only one of them has its variables on the
// stack.
static __attribute__((noinline)) void rl_kind_pixels(const struct rl_convolution_state *s, const int8_t *images,
                                                     int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const ptrdiff_t depth = s->matmul->depth, output_stride = c->output.c, line_bytes = c->input.w * depth;
    int32_t left = rl_convolution_outputs(c), filled = 0;
    struct rl_packed_rows rows;
    rows.runs = NULL;
    for (; left > 0; images += c->input.h * line_bytes) {
        const int8_t *line = images;
        for (int32_t y = c->output.h; y > 0; y--, line += c->stride.h * line_bytes) {
            if (RL_SMALL) { // each line alone
                rl_matmul_rows(s->matmul, line, c->stride.w * depth, c->output.w, output, output_stride);
                output += c->output.w * output_stride;
                left -= c->output.w;
                continue;
            }
            const int8_t *pixel = line;
            for (int32_t x = c->output.w; x > 0; x--, pixel += c->stride.w * depth) {
                rows.row[filled++] = pixel;
                if (filled == RL_MATMUL_ROWS || filled == left) {
                    rl_kind_multiply(s->matmul, &rows, filled, output, output_stride);
                    output += filled * output_stride;
                    left -= filled;
                    filled = 0;
                }
            }
        }
    }
}

#endif
