// SPDX-License-Identifier: Apache-2.0
// The loops of convolutions with patches: RL_MATMUL_ROWS patches are copied to the scratch, then multiplied.
#ifndef RL_KERNELS_SCALAR_PATCHES_NEST_H
#define RL_KERNELS_SCALAR_PATCHES_NEST_H

#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)

enum { RL_PATCHES_IN_PLACE = 0 };

// See rl_convolution_run_positions.
static void rl_patches_run(const struct rl_convolution_state *s, const int8_t *input, const struct rl_positions *p,
                           int8_t *output)
{
    const struct rl_matmul *m = s->matmul;
    // Whether the outputs of a row follow those of the row before.
    const bool continuous = p->output_row == p->columns * p->output_column;
    const ptrdiff_t output_column = p->output_column;
    const int32_t depth = m->depth;
    const int32_t end = p->first_x + p->columns;
    int8_t *const scratch = s->patches, *patch = scratch;
    const int32_t most = s->one_patch ? 1 : RL_MATMUL_ROWS;
    int32_t filled = 0;
    for (int32_t y = 0; y < p->rows; y++) {
        struct rl_patch_row row;
        rl_patch_row_start(&row, s->layer, input, p->first_y + y);
        const int32_t last = continuous && y + 1 < p->rows ? end : end - 1;
        for (int32_t x = p->first_x; x < end; x++) {
            rl_patch_copy(&row, x, patch);
            patch += depth;
            filled++;
            if (filled == most || x == last) {
                rl_matmul_rows(m, scratch, depth, filled, output, output_column);
                output += filled * output_column;
                patch = scratch;
                filled = 0;
            }
        }
        if (!continuous) {
            output += p->output_row - p->columns * output_column;
        }
    }
}

#endif
