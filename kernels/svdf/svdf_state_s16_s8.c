// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "arm_nn_svdf.h"
#include "isa.h"
#include "svdf/svdf.h"
#include RL_TILE(dot_tile.h)

// One new activation for each row of the state.
static void append_activations(const struct rl_svdf *s, const int8_t *input, const int8_t *weights, int16_t *state)
{
    for (int32_t batch = 0; batch < s->batches; batch++) {
        for (int32_t feature = 0; feature < s->features; feature++) {
            const int8_t *w = weights + feature * s->input_size;
            const int32_t sum = rl_dot_s8_s8(input, -s->params->input_offset, w, s->input_size);
            state[s->time - 1] = (int16_t)rl_svdf_activation(s, sum);
            state += s->time;
        }
        input += s->input_size;
    }
}

arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_svdf_params *svdf_params,
                                          const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                          const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *state_dims, int16_t *state_data,
                                          const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                          const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data)
{
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    if (!input_ctx->buf || !output_ctx->buf) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const struct rl_svdf s = {svdf_params,   input_quant_params, output_quant_params,     bias_data,
                              input_dims->n, input_dims->h,      weights_feature_dims->n, weights_time_dims->h};
    if (!rl_svdf_has_shape(&s)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t rows = s.batches * s.features;
    if (rows > 0) {
        memmove(state_data, state_data + 1, (size_t)(rows * s.time - 1) * sizeof(int16_t));
    }
    append_activations(&s, input_data, weights_feature_data, state_data);
    const int32_t unit_size = svdf_params->rank * s.time;
    for (int32_t batch = 0; batch < s.batches; batch++) {
        for (int32_t unit = 0; unit < rl_svdf_units(&s); unit++) {
            const uint32_t bias = bias_data ? (uint32_t)bias_data[unit] : 0;
            const int16_t *state = state_data + batch * s.features * s.time + unit * unit_size;
            const int64_t sum = rl_dot_s16_s16(state, weights_time_data + unit * unit_size, unit_size);
            *output_data++ = rl_svdf_output(&s, (int32_t)(bias + (uint32_t)sum));
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}
