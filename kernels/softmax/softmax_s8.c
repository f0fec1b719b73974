// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "softmax/exp_table.h"
#include RL_TILE(softmax_s8_tile.h)

// Rows up to this length use no table: clearing it costs more than few elements save.
enum { SHORT_ROW = 16 };

// Computes one row of at most SHORT_ROW elements, without a table on the stack.
static __attribute__((noinline)) void short_row(const struct rl_softmax *layer, const int8_t *input, int8_t *output)
{
    const int32_t count = layer->row;
    int32_t value[SHORT_ROW];
    const int32_t maximum = rl_softmax_maximum_s8(input, count);
    uint32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        value[i] = rl_exp_of_difference(layer, input[i] - maximum);
        sum += rl_exp_rounded_for_sum(value[i]);
    }
    const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
    for (int32_t i = 0; i < count; i++) {
        output[i] = rl_softmax_output_s8(&scale, value[i]);
    }
}

static __attribute__((noinline)) void rows(const struct rl_softmax *layer, const int8_t *input, int8_t *output)
{
    const int32_t count = layer->row;
    struct rl_exp_table table;
    rl_exp_table_init(&table, layer);
    for (int32_t i = 0; i < layer->rows; i++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, count);
        const uint32_t sum = rl_softmax_sum_s8(&table, input, count, maximum);
        const struct rl_softmax_scale scale = rl_softmax_scale(sum, 8);
        rl_softmax_scale_row_s8(&table, &scale, input, count, maximum, output);
        input += count;
        output += count;
    }
}

void rl_softmax_run(const struct rl_softmax *layer, const int8_t *input, int8_t *output)
{
    if (!RL_HAS_MVE && layer->rows == 1 && layer->row <= SHORT_ROW) {
        short_row(layer, input, output);
    } else {
        rows(layer, input, output);
    }
}
