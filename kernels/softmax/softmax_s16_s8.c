// SPDX-License-Identifier: Apache-2.0
#include "softmax/exp_table.h"

// The maximum of a row, and the factor for outputs of `bits` bits.
static struct rl_softmax_scale scale_of_row(const struct rl_softmax *layer, const int16_t *input, int32_t bits,
                                            int32_t *maximum)
{
    uint32_t sum = 0;
    *maximum = INT16_MIN;
    for (int32_t i = 0; i < layer->row; i++) {
        *maximum = rl_max_s32(*maximum, input[i]);
    }
    for (int32_t i = 0; i < layer->row; i++) {
        sum += rl_exp_rounded_for_sum(rl_exp_of_difference(layer, input[i] - *maximum));
    }
    return rl_softmax_scale(sum, bits);
}

void rl_softmax_s16_s8_run(const struct rl_softmax *layer, const int16_t *input, int8_t *output)
{
    const int32_t count = layer->row;
    for (int32_t row = 0; row < layer->rows; row++, input += count, output += count) {
        int32_t maximum;
        const struct rl_softmax_scale scale = scale_of_row(layer, input, 8, &maximum);
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_softmax_output_s8(&scale, rl_exp_of_difference(layer, input[i] - maximum));
        }
    }
}

void rl_softmax_wide_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output)
{
    const int32_t count = layer->row;
    for (int32_t row = 0; row < layer->rows; row++, input += count, output += count) {
        int32_t maximum;
        const struct rl_softmax_scale scale = scale_of_row(layer, input, 15, &maximum);
        for (int32_t i = 0; i < count; i++) {
            const int32_t value = rl_softmax_output(&scale, rl_exp_of_difference(layer, input[i] - maximum));
            output[i] = (int16_t)rl_min_s32(value, INT16_MAX);
        }
    }
}
