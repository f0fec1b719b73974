// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_fully_connected.h"

#include <stddef.h>

#include "cmsis_nn/translate.h"
#include "fully_connected/fully_connected.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"

// Sets the model's part except bias, input_offset and folded, which no run of int8 weights reads. Field by field:
// clearing the fields of prepare would take longer than a small layer.
static inline void set_layer(struct rl_fully_connected *layer, const cmsis_nn_fc_params *params, struct rl_scale scale,
                             const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims, const int8_t *filter,
                             const cmsis_nn_dims *output_dims)
{
    layer->rows = input_dims->n;
    layer->depth = filter_dims->n;
    layer->channels = output_dims->c;
    layer->weights = filter;
    layer->scales.multiplier = NULL;
    layer->scale = scale;
    layer->weight_offset = params->filter_offset;
    layer->output_offset = params->output_offset;
    layer->range = rl_range_of(params->activation);
}

// Helium needs the kernel sums in ctx->buf. The other cores take them when they are offered in place of a bias, as a
// program prepared for Helium does, and otherwise do not read ctx.
static inline __attribute__((always_inline)) arm_cmsis_nn_status run(const cmsis_nn_context *ctx,
                                                                     struct rl_fully_connected *layer,
                                                                     const int32_t *bias, int32_t input_offset,
                                                                     const int8_t *input, int8_t *output)
{
    if (RL_HAS_MVE && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t *const folded = RL_HAS_MVE || !bias ? ctx->buf : NULL;
    rl_fully_connected_begin_with(layer, folded ? folded : bias, folded ? 0 : input_offset);
    if (RL_HAS_MVE) {
        rl_fully_connected_run(layer, input, output, (struct rl_scratch){NULL, 0});
    } else {
        rl_fully_connected_run_here(layer, input, output);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_fully_connected layer;
    set_layer(&layer, fc_params, rl_scale_of(quant_params), input_dims, filter_dims, filter_data, output_dims);
    return run(ctx, &layer, bias_data, fc_params->input_offset, input_data, output_data);
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    struct rl_fully_connected layer;
    set_layer(&layer, fc_params, (struct rl_scale){0, 0}, input_dims, filter_dims, filter_data, output_dims);
    if (layer.channels == 1) {
        layer.scale = (struct rl_scale){*quant_params->multiplier, *quant_params->shift};
    } else {
        layer.scales = rl_scales_of(quant_params);
    }
    return run(ctx, &layer, bias_data, fc_params->input_offset, input_data, output_data);
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    const cmsis_nn_per_channel_quant_params many = {quant_params->multiplier, quant_params->shift};
    const cmsis_nn_per_tensor_quant_params one = {*quant_params->multiplier, *quant_params->shift};
    if (quant_params->is_per_channel) {
        return arm_fully_connected_per_channel_s8(ctx, fc_params, &many, input_dims, input_data, filter_dims,
                                                  filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    return arm_fully_connected_s8(ctx, fc_params, &one, input_dims, input_data, filter_dims, filter_data, bias_dims,
                                  bias_data, output_dims, output_data);
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? arm_fully_connected_s8_get_buffer_size_mve(filter_dims)
                      : arm_fully_connected_s8_get_buffer_size_dsp(filter_dims);
}

int32_t arm_fully_connected_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0;
}

int32_t arm_fully_connected_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims)
{
    return filter_dims->c * (int32_t)sizeof(int32_t);
}

arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct rl_fully_connected layer;
    set_layer(&layer, fc_params, rl_scale_of(quant_params), input_dims, filter_dims, filter_data, output_dims);
    layer.bias = bias_data;
    layer.input_offset = fc_params->input_offset;
    rl_fully_connected_s4_run(&layer, input_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                            const cmsis_nn_per_tensor_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct rl_fully_connected layer;
    set_layer(&layer, fc_params, rl_scale_of(quant_params), input_dims, filter_dims, filter_data, output_dims);
    layer.wide_bias = bias_data;
    rl_fully_connected_s16_run(&layer, input_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0;
}

int32_t arm_fully_connected_s16_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims)
{
    return arm_fully_connected_s16_get_buffer_size(filter_dims);
}

int32_t arm_fully_connected_s16_get_buffer_size_mve(const cmsis_nn_dims *filter_dims)
{
    return arm_fully_connected_s16_get_buffer_size(filter_dims);
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data)
{
    const struct rl_fully_connected layer = {.depth = vector_cols,
                                             .channels = vector_rows,
                                             .weights = vector_data,
                                             .bias = bias_data,
                                             .input_offset = lhs_offset,
                                             .weight_offset = rhs_offset};
    rl_fully_connected_fold(&layer, vector_sum_buf);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                          const int8_t *vector_data, const int32_t lhs_offset, const int64_t *bias_data)
{
    for (int32_t row = 0; row < vector_rows; row++, vector_data += vector_cols) {
        vector_sum_buf[row] = bias_data ? bias_data[row] : 0;
        if (lhs_offset != 0) {
            vector_sum_buf[row] += (int64_t)lhs_offset * rl_sum_of_s8(vector_data, vector_cols);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
