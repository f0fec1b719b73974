// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/batch_matmul.h"
#include RL_TILE(dot_tile.h)

enum { COLUMNS = 16 }; // sums kept at a time, an even number

// The sums of a row and `count` columns; of an odd number the last one is written twice.
static __attribute__((noinline)) void sum_columns(const int16_t *row, const int16_t *columns, int32_t depth,
                                                  int32_t count, int64_t *sums)
{
    for (; count > 0; count -= 2, columns += 2 * (ptrdiff_t)depth, sums += 2) {
        rl_dot_s16_s16_pair(row, columns, columns + (count > 1 ? depth : 0), depth, sums);
    }
}

// A row of results: the row of the left matrix by every column.
static int16_t *run_row(const struct rl_batch_matmul *layer, const int16_t *row, const int16_t *columns,
                        int16_t *output)
{
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), shift = layer->scale.shift;
    const int32_t low = layer->range.min, high = layer->range.max, depth = layer->right.c;
    for (int32_t left = layer->right.w; left > 0; left -= COLUMNS, columns += COLUMNS * (ptrdiff_t)depth) {
        int64_t sums[COLUMNS];
        const int32_t count = rl_min_s32(left, COLUMNS);
        sum_columns(row, columns, depth, count, sums);
        for (int32_t i = 0; i < count; i++) {
            *output++ = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[i], multiplier, shift), low, high);
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
