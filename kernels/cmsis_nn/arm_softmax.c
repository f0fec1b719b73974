// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/softmax.h"

#include "arm_nn_softmax.h"

void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, int8_t *output)
{
    const struct rl_softmax layer = {num_rows, row_size, {mult, shift}, .diff_min = diff_min};
    rl_softmax_run(&layer, input, output);
}

void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                        int32_t diff_min, int16_t *output)
{
    const struct rl_softmax layer = {num_rows, row_size, {mult, shift}, .diff_min = diff_min};
    rl_softmax_s8_s16_run(&layer, input, output);
}

void arm_softmax_u8(const uint8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, uint8_t *output)
{
    const struct rl_softmax layer = {num_rows, row_size, {mult, shift}, .diff_min = diff_min};
    rl_softmax_u8_run(&layer, input, output);
}

arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
                                    int32_t shift, const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output)
{
    const struct rl_softmax layer = {
        .rows = num_rows,
        .row = row_size,
        .scale = {mult, shift},
        .exponentials = softmax_params->exp_lut,
        .reciprocals = softmax_params->one_by_one_lut,
    };
    if (!layer.exponentials || !layer.reciprocals) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    rl_softmax_s16_run(&layer, input, output);
    return ARM_CMSIS_NN_SUCCESS;
}
