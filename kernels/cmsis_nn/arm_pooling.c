// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/pooling.h"

#include "arm_nn_pooling.h"
#include "cmsis_nn/translate.h"
#include "isa.h"
#include "requantize.h"

static int32_t bytes_of(int32_t channels, enum rl_isa isa)
{
    const struct rl_pool layer = {.kind = RL_POOL_AVERAGE, .input = {.c = channels}};
    return rl_pool_scratch(&layer, isa);
}

int32_t arm_avgpool_s8_get_buffer_size(int dim_dst_width, int ch_src)
{
    (void)dim_dst_width;
    return bytes_of(ch_src, RL_ISA_HERE);
}

int32_t arm_avgpool_s8_get_buffer_size_dsp(int dim_dst_width, int ch_src)
{
    (void)dim_dst_width;
    return bytes_of(ch_src, RL_ISA_DSP);
}

int32_t arm_avgpool_s8_get_buffer_size_mve(int dim_dst_width, int ch_src)
{
    (void)dim_dst_width;
    return bytes_of(ch_src, RL_ISA_MVE);
}

int32_t arm_avgpool_s16_get_buffer_size(int dim_dst_width, int ch_src)
{
    return arm_avgpool_s8_get_buffer_size(dim_dst_width, ch_src);
}

int32_t arm_avgpool_s16_get_buffer_size_dsp(int dim_dst_width, int ch_src)
{
    return arm_avgpool_s8_get_buffer_size_dsp(dim_dst_width, ch_src);
}

int32_t arm_avgpool_s16_get_buffer_size_mve(int dim_dst_width, int ch_src)
{
    return arm_avgpool_s8_get_buffer_size_mve(dim_dst_width, ch_src);
}

// The layer of a call; its limits are kept within those of the type.
static arm_cmsis_nn_status prepare(enum rl_pool_kind kind, const cmsis_nn_context *ctx,
                                   const cmsis_nn_pool_params *params, const cmsis_nn_dims *input,
                                   const cmsis_nn_dims *window, const cmsis_nn_dims *output, int32_t low, int32_t high,
                                   struct rl_pool *layer)
{
    // No initializer, which would clear the rest, and copy it all.
    layer->kind = kind;
    layer->input = rl_image_of(input);
    layer->output = rl_image_of(output);
    layer->window = (struct rl_extent){.h = window->h, .w = window->w};
    layer->stride = rl_extent_of(params->stride);
    layer->padding = rl_extent_of(params->padding);
    layer->range = (struct rl_range){rl_max_s32(params->activation.min, low), rl_min_s32(params->activation.max, high)};
    if (rl_pool_scratch(layer, RL_ISA_HERE) != 0 && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    return rl_status_of(rl_pool_prepare(layer));
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data)
{
    struct rl_pool layer;
    const arm_cmsis_nn_status status =
        prepare(RL_POOL_AVERAGE, ctx, pool_params, input_dims, filter_dims, output_dims, INT8_MIN, INT8_MAX, &layer);
    if (status == ARM_CMSIS_NN_SUCCESS) {
        rl_average_pool_run(&layer, input_data, output_data);
    }
    return status;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data)
{
    struct rl_pool layer;
    const arm_cmsis_nn_status status =
        prepare(RL_POOL_MAXIMUM, ctx, pool_params, input_dims, filter_dims, output_dims, INT8_MIN, INT8_MAX, &layer);
    if (status == ARM_CMSIS_NN_SUCCESS) {
        rl_maximum_pool_run(&layer, input_data, output_data);
    }
    return status;
}

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int16_t *output_data)
{
    struct rl_pool layer;
    const arm_cmsis_nn_status status =
        prepare(RL_POOL_AVERAGE, ctx, pool_params, input_dims, filter_dims, output_dims, INT16_MIN, INT16_MAX, &layer);
    if (status == ARM_CMSIS_NN_SUCCESS) {
        rl_average_pool_s16_run(&layer, input_data, output_data);
    }
    return status;
}

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                     int16_t *output_data)
{
    struct rl_pool layer;
    const arm_cmsis_nn_status status =
        prepare(RL_POOL_MAXIMUM, ctx, pool_params, input_dims, filter_dims, output_dims, INT16_MIN, INT16_MAX, &layer);
    if (status == ARM_CMSIS_NN_SUCCESS) {
        rl_maximum_pool_s16_run(&layer, input_data, output_data);
    }
    return status;
}
