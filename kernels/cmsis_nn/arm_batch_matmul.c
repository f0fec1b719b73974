// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_batch_matmul.h"

#include <stddef.h>

#include "batch_matmul/batch_matmul.h"
#include "cmsis_nn/translate.h"
#include "isa.h"
#include "rushlight/kernels/batch_matmul.h"

// Field by field, because a structure that is returned would be cleared and copied.
static inline void set_layer(struct rl_batch_matmul *layer, const cmsis_nn_bmm_params *params,
                             const cmsis_nn_per_tensor_quant_params *quant, const cmsis_nn_dims *lhs_dims,
                             const cmsis_nn_dims *rhs_dims, const cmsis_nn_dims *output_dims)
{
    layer->left = rl_image_of(lhs_dims);
    layer->right = rl_image_of(rhs_dims);
    layer->output = rl_image_of(output_dims);
    layer->left_offset = params->fc_params.input_offset;
    layer->right_offset = params->fc_params.filter_offset;
    layer->output_offset = params->fc_params.output_offset;
    layer->scale = rl_scale_of(quant);
    layer->range = rl_range_of(params->fc_params.activation);
}

arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output)
{
    struct rl_batch_matmul layer;
    set_layer(&layer, bmm_params, quant_params, input_lhs_dims, input_rhs_dims, output_dims);
    if (rl_batch_matmul_begin(&layer) != RL_OK || (RL_HAS_MVE && !ctx->buf)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_scratch scratch = {NULL, 0}; // Helium alone uses any
    if (RL_HAS_MVE) {
        scratch = rl_scratch_of(ctx, rl_batch_matmul_scratch(&layer, RL_ISA_HERE));
    }
    rl_batch_matmul_each(&layer, input_lhs, input_rhs, output, scratch);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output)
{
    (void)ctx;
    struct rl_batch_matmul layer;
    set_layer(&layer, bmm_params, quant_params, input_lhs_dims, input_rhs_dims, output_dims);
    const enum rl_status status = rl_batch_matmul_begin(&layer);
    if (status == RL_OK) {
        rl_batch_matmul_s16_each(&layer, input_lhs, input_rhs, output);
    }
    return rl_status_of(status);
}
