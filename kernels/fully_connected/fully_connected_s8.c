// SPDX-License-Identifier: Apache-2.0
// The three entries of the int8 fully connected layer and their scratch.
#include "arm_nn_fully_connected.h"

#include "fully_connected/fully_connected.h"
#include "isa.h"

// Helium needs the kernel sums in ctx->buf. The other cores take them when they are offered in place of a bias, as a
// program prepared for Helium does, and otherwise do not read ctx.
static bool uses_kernel_sums(const cmsis_nn_context *ctx, const int32_t *bias)
{
    return RL_HAS_MVE || (ctx->buf && !bias);
}

struct scales {
    const int32_t *multiplier;
    const int32_t *shift;
    int32_t step; // as in struct rl_fully_connected
};

// Inlined, because handing on a dozen arguments costs as much as a small layer.
static inline __attribute__((always_inline)) arm_cmsis_nn_status
run(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *params, struct scales scales,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter,
    const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output)
{
    if (RL_HAS_MVE && !ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const bool sums_given = uses_kernel_sums(ctx, bias);
    struct rl_rescale rescale;
    const bool simple = !RL_SMALL && scales.step == 0 &&
                        rl_rescale_init(params->output_offset, *scales.multiplier, *scales.shift, &rescale);
    const struct rl_fully_connected f = {
        .filter = filter,
        .depth = filter_dims->n,
        .channels = output_dims->c,
        .base = sums_given ? (const int32_t *)ctx->buf : bias,
        .multiplier = scales.multiplier,
        .shift = scales.shift,
        .scale_step = scales.step,
        .input_offset = sums_given ? 0 : params->input_offset,
        .filter_offset = params->filter_offset,
        .output_offset = params->output_offset,
        .output_min = params->activation.min,
        .output_max = params->activation.max,
        .rescale = simple ? &rescale : NULL,
        .work = {NULL, 0},
    };
    rl_fully_connected_run(&f, input, input_dims->n, output);
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
    const struct scales scales = {&quant_params->multiplier, &quant_params->shift, 0};
    return run(ctx, fc_params, scales, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
               output_data);
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    const struct scales scales = {quant_params->multiplier, quant_params->shift, 1};
    return run(ctx, fc_params, scales, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
               output_data);
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)bias_dims;
    const struct scales scales = {quant_params->multiplier, quant_params->shift, quant_params->is_per_channel ? 1 : 0};
    return run(ctx, fc_params, scales, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
               output_data);
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
