// SPDX-License-Identifier: Apache-2.0
#include "softmax/exp_table.h"

static int32_t maximum_of_row(const uint8_t *input, int32_t count)
{
    int32_t maximum = input[0];
    for (int32_t i = 1; i < count; i++) {
        maximum = rl_max_s32(maximum, input[i]);
    }
    return maximum;
}

void rl_softmax_u8_run(const struct rl_softmax *layer, const uint8_t *input, uint8_t *output)
{
    const int32_t count = layer->row;
    struct rl_exp_table table;
    rl_exp_table_init(&table, layer);
    for (int32_t row = 0; row < layer->rows; row++) {
        const int32_t maximum = maximum_of_row(input, count);
        uint32_t sum = 0;
        for (int32_t i = 0; i < count; i++) {
            sum += rl_exp_rounded_for_sum(rl_exp_look_up(&table, maximum - input[i]));
        }
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
        for (int32_t i = 0; i < count; i++) {
            const int32_t value = rl_softmax_output(&scale, table.value[maximum - input[i]]);
            output[i] = (uint8_t)rl_min_s32(value, UINT8_MAX);
        }
        input += count;
        output += count;
    }
}
