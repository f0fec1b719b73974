// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_softmax.h"
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                        int32_t diff_min, int16_t *output)
{
    struct rl_exp_table table;
    rl_exp_table_init(&table, mult, shift, diff_min);
    for (int32_t row = 0; row < num_rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, row_size);
        const uint32_t sum = rl_softmax_sum_s8(&table, input, row_size, maximum);
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 16);
        for (int32_t i = 0; i < row_size; i++) {
            const int32_t value = rl_softmax_output(&scale, table.value[maximum - input[i]]) + INT16_MIN;
            output[i] = (int16_t)rl_min_s32(value, INT16_MAX);
        }
        input += row_size;
        output += row_size;
    }
}
