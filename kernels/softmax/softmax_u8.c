// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_softmax.h"
#include "softmax/exp_table.h"

static int32_t maximum_of_row(const uint8_t *input, int32_t count)
{
    int32_t maximum = input[0];
    for (int32_t i = 1; i < count; i++) {
        maximum = rl_max_s32(maximum, input[i]);
    }
    return maximum;
}

void arm_softmax_u8(const uint8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, uint8_t *output)
{
    struct rl_exp_table table;
    rl_exp_table_init(&table, mult, shift, diff_min);
    for (int32_t row = 0; row < num_rows; row++) {
        const int32_t maximum = maximum_of_row(input, row_size);
        uint32_t sum = 0;
        for (int32_t i = 0; i < row_size; i++) {
            sum += rl_exp_rounded_for_sum(rl_exp_look_up(&table, maximum - input[i]));
        }
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
        for (int32_t i = 0; i < row_size; i++) {
            const int32_t value = rl_softmax_output(&scale, table.value[maximum - input[i]]);
            output[i] = (uint8_t)rl_min_s32(value, UINT8_MAX);
        }
        input += row_size;
        output += row_size;
    }
}
