// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/batch_matmul.h"
#include RL_TILE(dot_tile.h)

// A row of results: the row of the left matrix by every column, two at a time.
static int16_t *run_row(const struct rl_batch_matmul *layer, const int16_t *row, const int16_t *columns,
                        int16_t *output)
{
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), shift = layer->scale.shift;
    const int32_t count = layer->right.w, depth = layer->right.c;
    for (int32_t column = 0; column < count; column += 2, columns += 2 * (ptrdiff_t)depth) {
        int64_t sums[2];
        const bool pair = column + 1 < count;
        rl_dot_s16_s16_pair(row, columns, columns + (pair ? depth : 0), depth, sums);
        for (int32_t i = 0; i < (pair ? 2 : 1); i++) {
            const int32_t scaled = rl_requantize_s64(sums[i], multiplier, shift);
            *output++ = (int16_t)rl_clamp_s32(scaled, layer->range.min, layer->range.max);
        }
    }
    return output;
}

void rl_batch_matmul_s16_run(const struct rl_batch_matmul *layer, const int16_t *left, const int16_t *right,
                             int16_t *output)
{
    for (int32_t n = 0; n < layer->output.n; n++) {
        for (int32_t h = 0; h < layer->output.h; h++) {
            const int16_t *lhs = left + n * layer->left_step.w + h * layer->left_step.h;
            const int16_t *rhs = right + n * layer->right_step.w + h * layer->right_step.h;
            for (int32_t row = 0; row < layer->left.w; row++, lhs += layer->right.c) {
                output = run_row(layer, lhs, rhs, output);
            }
        }
    }
}
