// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_pooling.h"
#include "isa.h"
#include RL_TILE(maximum_s16_tile.h)

static void tile(const struct rl_pool_window *window, const void *input, void *output)
{
    rl_maximum_s16_tile(window, input, output);
}

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                     int16_t *output_data)
{
    (void)ctx;
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_pool_each_window(pool_params, input_dims, filter_dims, output_dims, INT16_MIN, INT16_MAX, sizeof(int16_t), tile,
                        (const int8_t *)input_data, (int8_t *)output_data);
    return ARM_CMSIS_NN_SUCCESS;
}
