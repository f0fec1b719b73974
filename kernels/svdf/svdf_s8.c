// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "arm_nn_svdf.h"
#include "isa.h"
#include "svdf/svdf.h"
#include RL_TILE(dot_tile.h)

int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *filter_dims)
{
    return RL_HAS_MVE ? arm_svdf_s8_get_buffer_size_mve(filter_dims) : arm_svdf_s8_get_buffer_size_dsp(filter_dims);
}

int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims)
{
    (void)filter_dims;
    return 0;
}

int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims)
{
    return filter_dims->n * (int32_t)sizeof(int32_t);
}

// One new activation for each row of the state. `sums` may be NULL.
static void append_activations(const struct rl_svdf *s, const int8_t *input, const int8_t *weights, const int32_t *sums,
                               int8_t *state)
{
    const int32_t offset = sums ? 0 : -s->params->input_offset;
    for (int32_t batch = 0; batch < s->batches; batch++) {
        for (int32_t feature = 0; feature < s->features; feature++) {
            const int8_t *w = weights + feature * s->input_size;
            const int32_t sum = rl_dot_s8_s8(input, offset, w, s->input_size) + (sums ? sums[feature] : 0);
            state[s->time - 1] = (int8_t)rl_svdf_activation(s, sum);
            state += s->time;
        }
        input += s->input_size;
    }
}

arm_cmsis_nn_status
arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
            const cmsis_nn_svdf_params *svdf_params, const cmsis_nn_per_tensor_quant_params *input_quant_params,
            const cmsis_nn_per_tensor_quant_params *output_quant_params, const cmsis_nn_dims *input_dims,
            const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
            const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
            const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims,
            const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    if ((RL_HAS_MVE && !ctx->buf) || !input_ctx->buf || !output_ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const struct rl_svdf s = {svdf_params,   input_quant_params, output_quant_params,     bias_data,
                              input_dims->n, input_dims->h,      weights_feature_dims->n, weights_time_dims->h};
    if (!rl_svdf_has_shape(&s)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t rows = s.batches * s.features;
    if (rows > 0) {
        memmove(state_data, state_data + 1, (size_t)(rows * s.time - 1));
    }
    append_activations(&s, input_data, weights_feature_data, RL_HAS_MVE ? (const int32_t *)ctx->buf : NULL, state_data);
    const int32_t unit_size = svdf_params->rank * s.time;
    for (int32_t batch = 0; batch < s.batches; batch++) {
        for (int32_t unit = 0; unit < rl_svdf_units(&s); unit++) {
            const int32_t bias = bias_data ? bias_data[unit] : 0;
            const int8_t *state = state_data + batch * s.features * s.time + unit * unit_size;
            const int32_t sum = rl_dot_s8_s8(state, 0, weights_time_data + unit * unit_size, unit_size);
            *output_data++ = rl_svdf_output(&s, bias + sum);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
