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

// Folds for short filters, whose sums take less time than calls. Not inlined, because its caller has few registers.
static __attribute__((noinline)) void rl_matmul_fold_short(const struct rl_matmul *m, const int32_t *given,
                                                           int32_t offset)
{
    const int8_t *filter = m->filter;
    const int32_t depth = m->depth;
    int32_t *bias = m->bias, *const end = bias + m->channels;
    for (; bias != end; filter += depth) {
        const int32_t base = given ? *given++ : 0;
        *bias++ = base + offset * rl_sum_s8(filter, depth);
    }
}

// Sets m->bias to the given biases, or zeros, with an offset of the input folded in.
static inline void rl_matmul_fold_offset(const struct rl_matmul *m, const int32_t *given, int32_t offset)
{
    if (!RL_SMALL && offset != 0 && m->channels > 1 && m->depth < RL_FOLD_DEPTH) {
        rl_matmul_fold_short(m, given, offset);
        return;
    }
    for (int32_t i = 0; i < m->channels; i++) {
        const int8_t *filter = m->filter + (ptrdiff_t)i * m->depth;
        const int32_t folded = offset == 0 ? 0 : offset * rl_sum_of_s8(filter, m->depth);
        m->bias[i] = folded + (given ? given[i] : 0);
    }
}

// Fills in m->bias for m->channels channels from `first` on, and what rl_matmul_begin_rows and rl_matmul_prepare set.
// All other fields are set.
static inline void rl_matmul_fold(struct rl_matmul *m, const struct rl_convolution *c, int32_t first)
{
    const int32_t *given = c->folded ? c->folded : c->bias;
    const int32_t rows = c->output.n * c->output.h * c->output.w;
    const int32_t offset = rl_matmul_begin_rows(m, rows, c->folded ? 0 : c->input_offset);
    rl_matmul_fold_offset(m, given ? given + first : NULL, offset);
    if (RL_SMALL) {
        rl_matmul_prepare(m);
    } else {
        rl_matmul_prepare_scales(m);
    }
}

#endif
