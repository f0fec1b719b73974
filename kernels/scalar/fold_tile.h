// SPDX-License-Identifier: Apache-2.0
// Prepares the channels of a product: folds the input offset into their biases and looks at their scales.
#ifndef RL_KERNELS_SCALAR_FOLD_TILE_H
#define RL_KERNELS_SCALAR_FOLD_TILE_H

#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)

// rl_matmul_prepare without branches in its loop, for which a Cortex-M0 has too few registers.
static inline void rl_matmul_prepare_scales(struct rl_matmul *m)
{
    enum { LEAST_SHIFT = -22 }; // of rl_rescale_fits
    const int32_t rounding = rl_rescale_rounding(m->output_offset);
    const int32_t *bias = m->bias, *multiplier = m->multiplier, *shift = m->shift;
    struct rl_rescale *scale = m->scale, *const end = scale + m->channels;
    uint32_t biases = 0, lefts = 0, shifts = 0; // with a high bit that is set where a bias or a shift does not fit
    while (scale != end) {
        const int32_t right = -*shift++;
        biases |= (uint32_t)*bias++ + (UINT32_C(1) << 28);
        lefts |= (uint32_t)right - 1;
        shifts |= (uint32_t)-LEAST_SHIFT - (uint32_t)right;
        scale->multiplier = *multiplier++;
        scale->addend = (int32_t)((uint32_t)rounding << (((uint32_t)right - 1) & 31));
        scale->right_shift = right;
        scale++;
    }
    m->right_shifts_only = lefts >> 31 == 0;
    m->simple = m->depth <= 1 << 14 && rl_offset_is_small(m->output_offset) && m->right_shifts_only &&
                shifts >> 31 == 0 && biases >> 29 == 0;
}

enum { RL_FOLD_DEPTH = 64 }; // for longer filters, rl_sum_of_s8 is the faster loop

// The biases of rl_convolution_base for short filters, whose sums take less time than calls. Not inlined, because its
// caller has few registers left.
static __attribute__((noinline)) void rl_matmul_fold_short(const struct rl_matmul *m, const int32_t *given,
                                                           int32_t input_offset)
{
    const int8_t *filter = m->filter;
    const int32_t depth = m->depth;
    int32_t *bias = m->bias, *const end = bias + m->channels;
    for (; bias != end; filter += depth) {
        const int32_t base = given ? *given++ : 0;
        *bias++ = base + input_offset * rl_sum_s8(filter, depth);
    }
}

// Fills in m->bias for m->channels channels from `first` on, then what rl_matmul_prepare sets, and m->rows.part. All
// other fields are set.
static inline void rl_matmul_fold(struct rl_matmul *m, const struct rl_convolution *c, int32_t first)
{
    const bool is_short = !RL_SMALL && !c->folded && m->channels > 1 && m->depth < RL_FOLD_DEPTH;
    if (is_short) {
        rl_matmul_fold_short(m, c->bias ? c->bias + first : NULL, c->input_offset);
    }
    for (int32_t i = 0; !is_short && i < m->channels; i++) {
        const int8_t *filter = m->filter + (ptrdiff_t)i * m->depth;
        m->bias[i] = rl_convolution_base(c, first + i, filter, m->depth);
    }
    if (RL_SMALL) {
        rl_matmul_prepare(m);
    } else {
        rl_matmul_prepare_scales(m);
    }
    m->rows.part = rl_matmul_part(m, c->output.n * c->output.h * c->output.w);
}

#endif
