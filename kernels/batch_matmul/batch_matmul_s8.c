// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_batch_matmul.h"
#include "batch_matmul/broadcast.h"
#include "isa.h"
#include RL_TILE(batch_matmul_s8_tile.h)

arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output)
{
    struct rl_matmul_batches batches;
    if (!rl_matmul_batches_plan(input_lhs_dims, input_rhs_dims, output_dims, &batches)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (RL_HAS_MVE && ctx->buf == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const struct rl_matmul_s8 matmul = {
        .rows = input_lhs_dims->w,
        .columns = input_rhs_dims->w,
        .depth = input_rhs_dims->c,
        .lhs_offset = bmm_params->fc_params.input_offset,
        .rhs_offset = bmm_params->fc_params.filter_offset,
        .output_offset = bmm_params->fc_params.output_offset,
        .multiplier = quant_params->multiplier,
        .shift = quant_params->shift,
        .min = bmm_params->fc_params.activation.min,
        .max = bmm_params->fc_params.activation.max,
        .sums = ctx->buf,
    };
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t h = 0; h < output_dims->h; h++) {
            rl_matmul_s8_tile(&matmul, input_lhs + n * batches.lhs_step[0] + h * batches.lhs_step[1],
                              input_rhs + n * batches.rhs_step[0] + h * batches.rhs_step[1], output);
            output += matmul.rows * matmul.columns;
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
