// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

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

arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                            const cmsis_nn_per_tensor_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int16_t *output_data)
{
    (void)ctx;
    (void)bias_dims;
    const int32_t multiplier = rl_reduce_multiplier(quant_params->multiplier), shift = quant_params->shift;
    const int32_t low = fc_params->activation.min, high = fc_params->activation.max;
    const int32_t depth = filter_dims->n, channels = output_dims->c;
    for (int32_t row = 0; row < input_dims->n; row++) {
        const int8_t *filter = filter_data;
        for (int32_t channel = 0; channel < channels; channel += 2) {
            const bool pair = channel + 1 < channels;
            int64_t sums[2] = {0, 0};
            if (bias_data) {
                sums[0] = bias_data[channel];
                sums[1] = bias_data[channel + (pair ? 1 : 0)];
            }
            rl_dot_s16_s8_pair(input_data, filter, pair ? filter + depth : filter, depth, sums);
            output_data[channel] = (int16_t)rl_clamp_s32(rl_requantize_s64(sums[0], multiplier, shift), low, high);
            if (pair) {
                output_data[channel + 1] =
                    (int16_t)rl_clamp_s32(rl_requantize_s64(sums[1], multiplier, shift), low, high);
            }
            filter += 2 * depth;
        }
        input_data += depth;
        output_data += channels;
    }
    return ARM_CMSIS_NN_SUCCESS;
}
