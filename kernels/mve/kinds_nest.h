// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c). A function names those of its kind alone.
#ifndef RL_KERNELS_MVE_KINDS_NEST_H
#define RL_KERNELS_MVE_KINDS_NEST_H

#include "convolution/convolution.h"
#include "mve/matmul_tile.h"
#include "mve/patches_nest.h"

// Runs pixels under a stride, three at a time, which may be those of two lines. Not inlined, like the other functions
// that rl_convolution_run_block calls, so that only one of them has its variables on the stack.
static __attribute__((noinline)) void rl_pixels_across_lines(const struct rl_convolution_state *s, const int8_t *images,
                                                             int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const int32_t depth = s->matmul->depth, outputs = c->output.h * c->output.w;
    const ptrdiff_t line_bytes = c->input.w * depth, step = c->stride.w * depth, channels = c->output.c;
    const ptrdiff_t next_line = c->stride.h * line_bytes - c->output.w * step;
    int32_t sums[RL_MATMUL_ROWS * RL_SUM_BLOCK];
    struct rl_matmul_loops loops;
    struct rl_three_rows three = {.filters = &loops.filters, .sums = sums};
    rl_matmul_start(&loops, s->matmul, rl_dot_rows_s8(depth));
    for (int32_t batch = 0; batch < c->input.n; batch++, images += c->input.h * line_bytes) {
        const int8_t *pixel = images, *rows[RL_MATMUL_ROWS];
        for (int32_t at = 0, column = 0; at < outputs; at += RL_MATMUL_ROWS) {
            const int32_t count = rl_min_s32(outputs - at, RL_MATMUL_ROWS);
            for (int32_t i = 0; i < count; i++) {
                rows[i] = pixel;
                pixel += step;
                if (++column == c->output.w) {
                    column = 0;
                    pixel += next_line;
                }
            }
            three.row_0 = rows[0];
            three.row_1 = rows[1];
            three.row_2 = rows[2];
            three.output_0 = output;
            three.output_1 = output + channels;
            three.output_2 = output + 2 * channels;
            output += count * channels;
            if (count == RL_MATMUL_ROWS) {
                rl_matmul_three(&loops, &three);
            } else {
                rl_matmul_rest(&loops, &three, count);
            }
        }
    }
}

// Pixels under a stride. Whole threes of a line, a single line and single columns are rows at one distance.
static __attribute__((noinline)) void rl_kind_pixels(const struct rl_convolution_state *s, const int8_t *images,
                                                     int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    if (c->output.h > 1 && c->output.w % RL_MATMUL_ROWS != 0 && c->output.w > 1) {
        rl_pixels_across_lines(s, images, output);
        return;
    }
    const bool column = c->output.w == 1;
    const int32_t lines = column ? 1 : c->output.h, count = column ? c->output.h : c->output.w;
    const ptrdiff_t pixel = s->matmul->depth, line = c->stride.h * c->input.w * pixel;
    const ptrdiff_t step = column ? line : c->stride.w * pixel;
    for (int32_t batch = 0; batch < c->input.n; batch++, images += c->input.h * c->input.w * pixel) {
        const int8_t *input = images;
        for (int32_t y = 0; y < lines; y++, input += line, output += count * c->output.c) {
            rl_convolution_run_rows(s->matmul, input, step, count, output, c->output.c);
        }
    }
}

static inline void rl_kind_dense(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    struct rl_matmul *m = s->matmul;
    rl_matmul_in_threes(m, rl_dot_rows_long(m->depth), input, m->depth, rl_convolution_outputs(s->layer), output,
                        s->layer->output.c);
}

// Calls `run`, which is known where this is inlined, for each image.
static inline __attribute__((always_inline)) void
rl_kind_images(const struct rl_convolution_state *s, const int8_t *input, int8_t *output,
               void (*run)(const struct rl_convolution_state *, const int8_t *, const struct rl_positions *, int8_t *))
{
    const struct rl_convolution *c = s->layer;
    const ptrdiff_t input_bytes = (ptrdiff_t)c->input.h * c->input.w * c->input.c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output.w * c->output.c;
    const struct rl_positions all = {0, 0, c->output.h, c->output.w, row_bytes, c->output.c};
    for (int32_t batch = c->input.n; batch > 0; batch--, input += input_bytes, output += all.rows * row_bytes) {
        run(s, input, &all, output);
    }
}

static inline void rl_kind_short(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    struct rl_matmul *m = s->matmul;
    if (s->layer->dense) {
        rl_matmul_short_rows(m, input, m->depth, rl_convolution_outputs(s->layer), output, s->layer->output.c);
    } else {
        rl_kind_images(s, input, output, rl_patches_run_short);
    }
}

static __attribute__((noinline)) void rl_patches_run_sliding(const struct rl_convolution_state *s, const int8_t *input,
                                                             const struct rl_positions *p, int8_t *output)
{
    rl_patches_loop(s, rl_dot_rows_long(s->matmul->depth), input, p, output, RL_PATCHES_SLIDING);
}

static inline void rl_kind_windows(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_kind_images(s, input, output, rl_patches_run_sliding);
}

static __attribute__((noinline)) void rl_patches_run_copied(const struct rl_convolution_state *s, const int8_t *input,
                                                            const struct rl_positions *p, int8_t *output)
{
    const int32_t depth = s->matmul->depth;
    rl_assembler *multiply = rl_matmul_has_gaps(s->matmul) ? rl_dot_rows_any(depth) : rl_dot_rows_long(depth);
    rl_patches_loop(s, multiply, input, p, output, RL_PATCHES_COPIED);
}

static inline void rl_patches_run_padded(const struct rl_convolution_state *s, const int8_t *input,
                                         const struct rl_positions *p, int8_t *output)
{
    if (rl_cut_rows_suit(s, p)) {
        rl_cut_rows_run(s, input, p, rl_patches_run_copied, output);
    } else {
        rl_patches_run_copied(s, input, p, output);
    }
}

static inline void rl_kind_copied(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_kind_images(s, input, output, rl_patches_run_padded);
}

#endif
