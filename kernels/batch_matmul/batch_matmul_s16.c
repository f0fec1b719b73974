// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_batch_matmul.h"
#include "batch_matmul/broadcast.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output)
{
    (void)ctx;
    struct rl_matmul_batches batches;
    if (!rl_matmul_batches_plan(input_lhs_dims, input_rhs_dims, output_dims, &batches)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t multiplier = rl_reduce_multiplier(quant_params->multiplier), shift = quant_params->shift;
    const cmsis_nn_activation limits = bmm_params->fc_params.activation;
    const int32_t rows = input_lhs_dims->w, columns = input_rhs_dims->w, depth = input_rhs_dims->c;
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t h = 0; h < output_dims->h; h++) {
            const int16_t *lhs = input_lhs + n * batches.lhs_step[0] + h * batches.lhs_step[1];
            const int16_t *rhs = input_rhs + n * batches.rhs_step[0] + h * batches.rhs_step[1];
            for (int32_t row = 0; row < rows; row++) {
                for (int32_t column = 0; column < columns; column++) {
                    const int64_t sum = rl_dot_s16_s16(lhs + row * depth, rhs + column * depth, depth);
                    const int32_t scaled = rl_requantize_s64(sum, multiplier, shift);
                    *output++ = (int16_t)rl_clamp_s32(scaled, limits.min, limits.max);
                }
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
