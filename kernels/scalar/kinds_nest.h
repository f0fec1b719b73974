// SPDX-License-Identifier: Apache-2.0
// The loops of each kind of convolution (convolution.c): without Helium there are no kinds but that of pixels under a
// stride.
#ifndef RL_KERNELS_SCALAR_KINDS_NEST_H
#define RL_KERNELS_SCALAR_KINDS_NEST_H

#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)

// Runs pixels under a stride, one output row at a time. Not inlined, like the other functions that
// rl_convolution_run_block calls, so that only one of them has its variables on the stack.
static __attribute__((noinline)) void rl_kind_pixels(const struct rl_convolution_state *s, const int8_t *images,
                                                     int8_t *output)
{
    const struct rl_convolution *c = s->layer;
    const ptrdiff_t depth = s->matmul->depth, output_stride = c->output.c, line_bytes = c->input.w * depth;
    for (int32_t batch = 0; batch < c->input.n; batch++) {
        const int8_t *input = images + (ptrdiff_t)batch * c->input.h * line_bytes;
        if (!RL_SMALL && c->output.w == 1) {
            rl_matmul_rows(s->matmul, input, c->stride.h * line_bytes, c->output.h, output, output_stride);
            output += c->output.h * output_stride;
            continue;
        }
        for (int32_t y = 0; y < c->output.h; y++) {
            rl_matmul_rows(s->matmul, input, c->stride.w * depth, c->output.w, output, output_stride);
            input += c->stride.h * line_bytes;
            output += c->output.w * output_stride;
        }
    }
}

static inline void rl_kind_dense(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_short(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_windows(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

static inline void rl_kind_copied(const struct rl_convolution_state *s, const int8_t *input, int8_t *output)
{
    rl_convolution_run_block(s, input, output);
}

#endif
