// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "arm_nn_pooling.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(average_s16_tile.h)

// The sums live in registers, so no core needs scratch; the DSP size is kept because callers rely on the
// value.
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

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int16_t *output_data)
{
    if (input_dims->n < 1) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (ctx->buf == NULL && arm_avgpool_s16_get_buffer_size(output_dims->w, input_dims->c) != 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    if (!rl_pool_windows_touch_image(pool_params, input_dims, filter_dims, output_dims)) {
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
                rl_average_s16_tile(&window, input_data + first, output_data);
                output_data += window.channels;
            }
        }
        input_data += input_dims->h * window.row_stride;
    }
    return ARM_CMSIS_NN_SUCCESS;
}
