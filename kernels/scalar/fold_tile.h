// SPDX-License-Identifier: Apache-2.0
// Prepares the channels of a product: folds the input offset into their biases and looks at their scales.
#ifndef RL_KERNELS_SCALAR_FOLD_TILE_H
#define RL_KERNELS_SCALAR_FOLD_TILE_H

#include "convolution/convolution.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)

// Fills in m->bias for m->channels channels from `first` on, then what rl_matmul_prepare sets, and m->rows.part. All
// other fields are set.
static inline void rl_matmul_fold(struct rl_matmul *m, const struct rl_convolution *c, int32_t first)
{
    for (int32_t i = 0; i < m->channels; i++) {
        const int8_t *filter = m->filter + (ptrdiff_t)i * m->depth;
        m->bias[i] = rl_convolution_base(c, first + i, filter, m->depth);
    }
    rl_matmul_prepare(m);
    m->rows.part = rl_matmul_part(m, c->output.n * c->output.h * c->output.w);
}

#endif
