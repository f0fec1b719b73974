// SPDX-License-Identifier: Apache-2.0
// Each product of matrices is a fully connected layer whose filter is the right side.
#include <stddef.h>

#include "arm_nn_batch_matmul.h"
#include "arm_nn_fully_connected.h"
#include "batch_matmul/broadcast.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

static void one_product(struct rl_fully_connected *f, const int8_t *lhs, int32_t rows, int32_t lhs_offset,
                        int32_t *sums, int8_t *output)
{
    if (RL_HAS_MVE) {
        (void)arm_vector_sum_s8(sums, f->depth, f->channels, f->filter, lhs_offset, f->filter_offset, NULL);
    }
    rl_fully_connected_run(f, lhs, rows, output);
}

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
    const cmsis_nn_fc_params *params = &bmm_params->fc_params;
    struct rl_rescale rescale;
    const bool simple =
        rl_rescale_init(params->output_offset, quant_params->multiplier, quant_params->shift, &rescale);
    struct rl_fully_connected f = {
        .depth = input_rhs_dims->c,
        .channels = input_rhs_dims->w,
        .base = RL_HAS_MVE ? (const int32_t *)ctx->buf : NULL,
        .multiplier = &quant_params->multiplier,
        .shift = &quant_params->shift,
        .scale_step = 0,
        .input_offset = RL_HAS_MVE ? 0 : params->input_offset,
        .filter_offset = params->filter_offset,
        .output_offset = params->output_offset,
        .output_min = params->activation.min,
        .output_max = params->activation.max,
        .rescale = simple ? &rescale : NULL,
    };
    const int32_t rows = input_lhs_dims->w;
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t h = 0; h < output_dims->h; h++) {
            f.filter = input_rhs + n * batches.rhs_step[0] + h * batches.rhs_step[1];
            one_product(&f, input_lhs + n * batches.lhs_step[0] + h * batches.lhs_step[1], rows,
                        params->input_offset, (int32_t *)ctx->buf, output);
            output += rows * f.channels;
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
