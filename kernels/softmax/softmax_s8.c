// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_softmax.h"
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

// A row that does not repay a table: clearing one costs more than what few elements have in common.
enum { SHORT_ROW = 16 };

// One row of at most SHORT_ROW elements, without a table on the stack.
static __attribute__((noinline)) void short_row(const struct rl_exp *exp, const int8_t *input, int32_t count,
                                                int8_t *output)
{
    int32_t value[SHORT_ROW];
    const int32_t maximum = rl_softmax_maximum_s8(input, count);
    uint32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        value[i] = rl_exp_of_difference(exp, input[i] - maximum);
        sum += rl_exp_rounded_for_sum(value[i]);
    }
    const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_softmax_output_s8(&scale, value[i]);
    }
}

static __attribute__((noinline)) void rows(const struct rl_exp *exp, const int8_t *input, int32_t num_rows,
                                           int32_t row_size, int8_t *output)
{
    struct rl_exp_table table;
    rl_exp_table_init(&table, exp->multiplier, exp->shift, exp->diff_min);
    for (int32_t row = 0; row < num_rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, row_size);
        const uint32_t sum = rl_softmax_sum_s8(&table, input, row_size, maximum);
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
        rl_softmax_scale_row_s8(&table, &scale, input, row_size, maximum, output);
        input += row_size;
        output += row_size;
    }
}

void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
                    int32_t diff_min, int8_t *output)
{
    const struct rl_exp exp = {mult, shift, diff_min};
    if (!RL_HAS_MVE && num_rows == 1 && row_size <= SHORT_ROW) {
        short_row(&exp, input, row_size, output);
    } else {
        rows(&exp, input, num_rows, row_size, output);
    }
}
