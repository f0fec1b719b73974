// SPDX-License-Identifier: Apache-2.0
// The depthwise convolutions of CMSIS-NN. Functions of one data type differ in what they accept, not in how they
// compute.
#include <stddef.h>

#include "arm_nn_depthwise.h"
#include "arm_nn_depthwise_s16.h"
#include "arm_nn_depthwise_s4.h"
#include "arm_nnsupportfunctions.h"
#include "cmsis_nn/translate.h"
#include "depthwise/depthwise.h"
#include "isa.h"

// All but weights, bias and scales.
static struct rl_depthwise layer_of(enum rl_depthwise_type type, const cmsis_nn_dw_conv_params *params,
                                    int32_t multiplier, const cmsis_nn_dims *input_dims,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims)
{
    struct rl_depthwise layer; // an initializer would clear all of it first
    layer.type = type;
    layer.input = rl_image_of(input_dims);
    layer.output = rl_image_of(output_dims);
    layer.filter = (struct rl_extent){filter_dims->h, filter_dims->w};
    layer.stride = rl_extent_of(params->stride);
    layer.padding = rl_extent_of(params->padding);
    layer.dilation = rl_extent_of(params->dilation);
    layer.multiplier = multiplier;
    layer.weights = NULL;
    layer.bias = NULL;
    layer.scales = (struct rl_scales){NULL, NULL};
    layer.input_offset = params->input_offset;
    layer.output_offset = params->output_offset;
    layer.range = rl_range_of(params->activation);
    layer.by_windows = false;
    return layer;
}

static bool is_plain(const cmsis_nn_dw_conv_params *params)
{
    return params->ch_mult == 1 && params->dilation.w == 1 && params->dilation.h == 1;
}

static bool is_3x3(const cmsis_nn_dims *filter_dims)
{
    return filter_dims->w == 3 && filter_dims->h == 3;
}

static int32_t announced(enum rl_depthwise_type type, const cmsis_nn_dw_conv_params *params,
                         const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                         const cmsis_nn_dims *output_dims, enum rl_isa isa)
{
    const struct rl_depthwise layer = layer_of(type, params, params->ch_mult, input_dims, filter_dims, output_dims);
    return rl_depthwise_announced(&layer, isa);
}

// For the function that copies the filter.
static int32_t announced_fast(enum rl_depthwise_type type, const cmsis_nn_dims *input_dims,
                              const cmsis_nn_dims *filter_dims, enum rl_isa isa)
{
    struct rl_depthwise layer; // the fields that count; an initializer would clear all others
    layer.type = type;
    layer.input = rl_image_of(input_dims);
    layer.filter = (struct rl_extent){filter_dims->h, filter_dims->w};
    return rl_depthwise_announced_fast(&layer, isa);
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return announced_fast(RL_DEPTHWISE_S8, input_dims, filter_dims, RL_ISA_HERE);
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return announced_fast(RL_DEPTHWISE_S8, input_dims, filter_dims, RL_ISA_DSP);
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return announced_fast(RL_DEPTHWISE_S8, input_dims, filter_dims, RL_ISA_MVE);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S8, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_HERE);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S8, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_DSP);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S8, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_MVE);
}

static arm_cmsis_nn_status run_s8(struct rl_depthwise *layer, const cmsis_nn_per_channel_quant_params *quant,
                                  const int8_t *input, const int8_t *filter, const int32_t *bias, int8_t *output,
                                  struct rl_scratch scratch)
{
    layer->weights = filter;
    layer->bias = bias;
    layer->scales = rl_scales_of(quant);
    const enum rl_status status = rl_depthwise_prepare(layer);
    if (status == RL_OK) {
        rl_depthwise_run(layer, input, output, scratch);
    }
    return rl_status_of(status);
}

arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                          const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    struct rl_depthwise layer =
        layer_of(RL_DEPTHWISE_S8, dw_conv_params, dw_conv_params->ch_mult, input_dims, filter_dims, output_dims);
    return run_s8(&layer, quant_params, input, filter, bias, output, rl_scratch_of(ctx, 0));
}

arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    const int32_t bytes = arm_depthwise_conv_s8_opt_get_buffer_size(input_dims, filter_dims);
    if (!ctx->buf && bytes > 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_depthwise layer = layer_of(RL_DEPTHWISE_S8, dw_conv_params, 1, input_dims, filter_dims, output_dims);
    return run_s8(&layer, quant_params, input, filter, bias, output, rl_scratch_of(ctx, bytes));
}

arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                              const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    if (dw_conv_params->padding.w > 1 || !is_3x3(filter_dims)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_depthwise layer = layer_of(RL_DEPTHWISE_S8, dw_conv_params, 1, input_dims, filter_dims, output_dims);
    return run_s8(&layer, quant_params, input, filter, bias, output, rl_scratch_of(ctx, 0));
}

// Accepts what the function that CMSIS-NN would choose accepts.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                                  const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)bias_dims;
    const bool small = is_3x3(filter_dims) && dw_conv_params->padding.h <= 1 && dw_conv_params->padding.w <= 1;
    const bool needs_scratch = is_plain(dw_conv_params) && input_dims->n == 1 && (RL_HAS_MVE || !small);
    if (needs_scratch && !ctx->buf && arm_depthwise_conv_s8_opt_get_buffer_size(input_dims, filter_dims) > 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_depthwise layer =
        layer_of(RL_DEPTHWISE_S8, dw_conv_params, dw_conv_params->ch_mult, input_dims, filter_dims, output_dims);
    const int32_t bytes = RL_HAS_MVE ? rl_depthwise_announced(&layer, RL_ISA_MVE) : 0; // others do not rely on it
    return run_s8(&layer, quant_params, input, filter, bias, output, rl_scratch_of(ctx, bytes));
}

int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return announced_fast(RL_DEPTHWISE_S4, input_dims, filter_dims, RL_ISA_HERE);
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S4, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_HERE);
}

// As in CMSIS-NN, the plain size of this build.
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return arm_depthwise_conv_wrapper_s4_get_buffer_size(dw_conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S4, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_MVE);
}

static arm_cmsis_nn_status run_s4(struct rl_depthwise *layer, const cmsis_nn_per_channel_quant_params *quant,
                                  const int8_t *input, const int8_t *filter, const int32_t *bias, int8_t *output,
                                  bool counted, struct rl_scratch scratch)
{
    layer->weights = filter;
    layer->bias = bias;
    layer->scales = rl_scales_of(quant);
    const enum rl_status status = rl_depthwise_prepare(layer);
    if (status == RL_OK && counted) {
        rl_depthwise_s4_run_counted(layer, input, output);
    } else if (status == RL_OK) {
        rl_depthwise_s4_run(layer, input, output, scratch);
    }
    return rl_status_of(status);
}

arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct rl_depthwise layer =
        layer_of(RL_DEPTHWISE_S4, dw_conv_params, dw_conv_params->ch_mult, input_dims, filter_dims, output_dims);
    return run_s4(&layer, quant_params, input_data, filter_data, bias_data, output_data, input_dims->c % 2 != 0,
                  (struct rl_scratch){0});
}

arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
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
    struct rl_depthwise layer = layer_of(RL_DEPTHWISE_S4, dw_conv_params, 1, input_dims, filter_dims, output_dims);
    layer.dilation = (struct rl_extent){1, 1};
    const int32_t bytes = arm_depthwise_conv_s4_opt_get_buffer_size(input_dims, filter_dims);
    return run_s4(&layer, quant_params, input_data, filter_data, bias_data, output_data, false,
                  (struct rl_scratch){ctx->buf, bytes});
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    if (is_plain(dw_conv_params) && input_dims->n == 1) {
        return arm_depthwise_conv_s4_opt(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                         filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    return arm_depthwise_conv_s4(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                 bias_dims, bias_data, output_dims, output_data);
}

int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims)
{
    return announced_fast(RL_DEPTHWISE_S16, input_dims, filter_dims, RL_ISA_HERE);
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S16, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_HERE);
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S16, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_DSP);
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims)
{
    return announced(RL_DEPTHWISE_S16, dw_conv_params, input_dims, filter_dims, output_dims, RL_ISA_MVE);
}

static arm_cmsis_nn_status run_s16(struct rl_depthwise *layer, const cmsis_nn_per_channel_quant_params *quant,
                                   const int16_t *input, const int8_t *filter, const int64_t *bias, int16_t *output)
{
    layer->weights = filter;
    layer->wide_bias = bias;
    layer->scales = rl_scales_of(quant);
    const enum rl_status status = rl_depthwise_prepare(layer);
    if (status == RL_OK) {
        rl_depthwise_s16_run(layer, input, output);
    }
    return rl_status_of(status);
}

arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    struct rl_depthwise layer =
        layer_of(RL_DEPTHWISE_S16, dw_conv_params, dw_conv_params->ch_mult, input_dims, filter_dims, output_dims);
    return run_s16(&layer, quant_params, input_data, filter_data, bias_data, output_data);
}

arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
                                                const cmsis_nn_dw_conv_params *dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)bias_dims;
    const bool lacks_scratch = !ctx->buf && arm_depthwise_conv_fast_s16_get_buffer_size(input_dims, filter_dims) > 0;
    if (lacks_scratch || filter_dims->w * filter_dims->h >= RL_DEPTHWISE_S16_FAST) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_depthwise layer = layer_of(RL_DEPTHWISE_S16, dw_conv_params, 1, input_dims, filter_dims, output_dims);
    return run_s16(&layer, quant_params, input_data, filter_data, bias_data, output_data);
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
                                                   const cmsis_nn_dw_conv_params *dw_conv_params,
                                                   const cmsis_nn_per_channel_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    if (is_plain(dw_conv_params) && filter_dims->w * filter_dims->h < RL_DEPTHWISE_S16_FAST) {
        return arm_depthwise_conv_fast_s16(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                           filter_data, bias_dims, bias_data, output_dims, output_data);
    }
    return arm_depthwise_conv_s16(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                  bias_dims, bias_data, output_dims, output_data);
}
