// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "arm_nn_pooling.h"
#include "isa.h"
#include RL_TILE(average_s16_tile.h)

// The sums live in registers, so no core needs scratch; the DSP size is kept because callers rely on the value.
int32_t arm_avgpool_s16_get_buffer_size(int dim_dst_width, int ch_src)
{
    return RL_HAS_DSP && !RL_HAS_MVE ? arm_avgpool_s16_get_buffer_size_dsp(dim_dst_width, ch_src) : 0;
}

int32_t arm_avgpool_s16_get_buffer_size_dsp(int dim_dst_width, int ch_src)
{
    (void)dim_dst_width;
    return ch_src * (int32_t)sizeof(int32_t);
}

int32_t arm_avgpool_s16_get_buffer_size_mve(int dim_dst_width, int ch_src)
{
    (void)dim_dst_width;
    (void)ch_src;
    return 0;
}

static void tile(const struct rl_pool_window *window, const void *input, void *output)
{
    rl_average_s16_tile(window, input, output);
}

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int16_t *output_data)
{
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!ctx->buf && arm_avgpool_s16_get_buffer_size(output_dims->w, input_dims->c) != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!rl_pool_windows_touch_image(pool_params, input_dims, filter_dims, output_dims)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_pool_each_window(pool_params, input_dims, filter_dims, output_dims, INT16_MIN, INT16_MAX, sizeof(int16_t), tile,
                        (const int8_t *)input_data, (int8_t *)output_data);
    return ARM_CMSIS_NN_SUCCESS;
}
