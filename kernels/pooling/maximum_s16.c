// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_pooling.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(maximum_s16_tile.h)

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                     int16_t *output_data)
{
    (void)ctx;
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    struct rl_pool_window window = {.row_stride = input_dims->w * input_dims->c,
                                    .channels = input_dims->c,
                                    .min = rl_max_s32(pool_params->activation.min, INT16_MIN),
                                    .max = rl_min_s32(pool_params->activation.max, INT16_MAX)};
    for (int32_t n = 0; n < input_dims->n; n++) {
        for (int32_t y = 0; y < output_dims->h; y++) {
            const struct rl_pool_span rows =
                rl_pool_span(y, pool_params->stride.h, pool_params->padding.h, filter_dims->h, input_dims->h);
            window.rows = rows.length;
            for (int32_t x = 0; x < output_dims->w; x++) {
                const struct rl_pool_span columns = rl_pool_span(
                    x, pool_params->stride.w, pool_params->padding.w, filter_dims->w, input_dims->w);
                window.columns = columns.length;
                const int32_t first = rows.start * window.row_stride + columns.start * window.channels;
                rl_maximum_s16_tile(&window, input_data + first, output_data);
                output_data += window.channels;
            }
        }
        input_data += input_dims->h * window.row_stride;
    }
    return ARM_CMSIS_NN_SUCCESS;
}
