// SPDX-License-Identifier: Apache-2.0
#include "softmax/exp_table.h"

void rl_softmax_s16_s8_run(const struct rl_softmax *layer, const int16_t *input, int8_t *output)
{
    const int32_t count = layer->row;
    for (int32_t row = 0; row < layer->rows; row++, input += count, output += count) {
        int32_t maximum = INT16_MIN;
        uint32_t sum = 0;
        for (int32_t i = 0; i < count; i++) {
            maximum = rl_max_s32(maximum, input[i]);
        }
        for (int32_t i = 0; i < count; i++) {
            sum += rl_exp_rounded_for_sum(rl_exp_of_difference(layer, input[i] - maximum));
        }
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_softmax_output_s8(&scale, rl_exp_of_difference(layer, input[i] - maximum));
        }
    }
}
