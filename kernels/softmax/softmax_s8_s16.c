// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

void rl_softmax_s8_s16_run(const struct rl_softmax *layer, const int8_t *input, int16_t *output)
{
    const int32_t count = layer->row;
    struct rl_exp_table table;
    rl_exp_table_init(&table, layer);
    for (int32_t row = 0; row < layer->rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, count);
        const uint32_t sum = rl_softmax_sum_s8(&table, input, count, maximum);
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 16);
        for (int32_t i = 0; i < count; i++) {
            const int32_t value = rl_softmax_output(&scale, table.value[maximum - input[i]]) + INT16_MIN;
            output[i] = (int16_t)rl_min_s32(value, INT16_MAX);
        }
        input += count;
        output += count;
    }
}
