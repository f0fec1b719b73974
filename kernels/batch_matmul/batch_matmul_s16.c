// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/batch_matmul.h"
#include RL_TILE(dot_tile.h)

void rl_batch_matmul_s16_run(const struct rl_batch_matmul *layer, const int16_t *left, const int16_t *right,
                             int16_t *output)
{
    const int32_t multiplier = rl_reduce_multiplier(layer->scale.multiplier), shift = layer->scale.shift;
    const int32_t rows = layer->left.w, columns = layer->right.w, depth = layer->right.c;
    for (int32_t n = 0; n < layer->output.n; n++) {
        for (int32_t h = 0; h < layer->output.h; h++) {
            const int16_t *lhs = left + n * layer->left_step.w + h * layer->left_step.h;
            const int16_t *rhs = right + n * layer->right_step.w + h * layer->right_step.h;
            for (int32_t row = 0; row < rows; row++) {
                for (int32_t column = 0; column < columns; column++) {
                    const int64_t sum = rl_dot_s16_s16(lhs + row * depth, rhs + column * depth, depth);
                    const int32_t scaled = rl_requantize_s64(sum, multiplier, shift);
                    *output++ = (int16_t)rl_clamp_s32(scaled, layer->range.min, layer->range.max);
                }
            }
        }
    }
}
