// SPDX-License-Identifier: Apache-2.0
// The transposed convolutions of CMSIS-NN: which scratch they demand.
#include "rushlight/kernels/transpose_convolution.h"

#include "arm_nn_transpose_convolution.h"
#include "cmsis_nn/translate.h"
#include "isa.h"
#include "requantize.h"

static struct rl_transpose_convolution sizes_of(const cmsis_nn_transpose_conv_params *params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                int32_t channels)
{
    return (struct rl_transpose_convolution){.input = rl_image_of(input_dims),
                                             .output.c = channels,
                                             .filter = {filter_dims->h, filter_dims->w},
                                             .stride = rl_extent_of(params->stride),
                                             .padding = rl_extent_of(params->padding)};
}

int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims)
{
    const struct rl_transpose_convolution t = sizes_of(transpose_conv_params, input_dims, filter_dims, out_dims->c);
    return rl_transpose_convolution_scratch(&t, RL_ISA_HERE);
}

int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims)
{
    const struct rl_transpose_convolution t = sizes_of(transpose_conv_params, input_dims, filter_dims, out_dims->c);
    return rl_transpose_convolution_scratch(&t, RL_ISA_MVE);
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims)
{
    const struct rl_transpose_convolution t = sizes_of(transpose_conv_params, input_dims, filter_dims, filter_dims->n);
    return rl_transpose_convolution_filters(&t);
}

// The least scratch that a caller of arm_transpose_conv_s8 has given, unless ctx->size says less: what CMSIS-NN may
// have announced.
static int32_t least_announced(const struct rl_transpose_convolution *t)
{
    const int32_t width = (t->input.w - 1) * t->stride.w + rl_max_s32(t->filter.w, t->stride.w);
    const int32_t rows = width * t->output.c * rl_max_s32(t->filter.h, t->stride.h) * (int32_t)sizeof(int32_t);
    return rl_min_s32(rows, rl_transpose_convolution_scratch(t, RL_ISA_HERE));
}

static inline void set_layer(struct rl_transpose_convolution *t, const cmsis_nn_transpose_conv_params *params,
                             const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input_dims,
                             const cmsis_nn_dims *filter_dims, const int8_t *weights, const int32_t *bias,
                             const cmsis_nn_dims *output_dims)
{
    t->input = rl_image_of(input_dims);
    t->output = rl_image_of(output_dims);
    t->filter = (struct rl_extent){filter_dims->h, filter_dims->w};
    t->stride = rl_extent_of(params->stride);
    t->padding = rl_extent_of(params->padding);
    t->weights = weights;
    t->bias = bias;
    t->scales = rl_scales_of(quant);
    t->input_offset = params->input_offset;
    t->output_offset = params->output_offset;
    t->range = rl_range_of(params->activation);
}

// Runs a layer without memory for the filters.
static arm_cmsis_nn_status run_alone(struct rl_transpose_convolution *t, const cmsis_nn_context *ctx,
                                     const int8_t *input, int8_t *output)
{
    const enum rl_status status = rl_transpose_convolution_prepare(t);
    if (status == RL_OK) {
        rl_transpose_convolution_run(t, input, output, rl_scratch_of(ctx, least_announced(t)), (struct rl_scratch){0});
    }
    return rl_status_of(status);
}

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)output_ctx;
    (void)bias_dims;
    struct rl_transpose_convolution t;
    set_layer(&t, transpose_conv_params, quant_params, input_dims, filter_dims, filter_data, bias_data, output_dims);
    return run_alone(&t, ctx, input_data, output_data);
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *reverse_conv_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    if (!ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_transpose_convolution t;
    set_layer(&t, transpose_conv_params, quant_params, input_dims, filter_dims, filter_data, bias_data, output_dims);
    const int32_t filters = rl_transpose_convolution_filters(&t);
    if (filters == 0) {
        return run_alone(&t, ctx, input_data, output_data);
    }
    if (!reverse_conv_ctx->buf || rl_transpose_convolution_prepare(&t) != RL_OK) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t announced = rl_transpose_convolution_scratch(&t, RL_ISA_HERE);
    rl_transpose_convolution_run(&t, input_data, output_data, rl_scratch_of(ctx, announced),
                                 rl_scratch_of(reverse_conv_ctx, filters));
    return ARM_CMSIS_NN_SUCCESS;
}
