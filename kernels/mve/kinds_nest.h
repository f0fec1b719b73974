// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c). A function names those of its kind alone.
#ifndef RL_KERNELS_MVE_KINDS_NEST_H
#define RL_KERNELS_MVE_KINDS_NEST_H

#include "convolution/convolution.h"
#include "mve/matmul_tile.h"
#include "mve/patches_nest.h"

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
    rl_patches_loop(s, rl_dot_rows_long(s->matmul->depth), input, p, output, false, true);
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
    rl_patches_loop(s, multiply, input, p, output, false, false);
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
