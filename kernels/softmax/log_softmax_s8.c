// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "softmax/exp_table.h"
#include "softmax/log_sum.h"
#include RL_TILE(softmax_s8_tile.h)

// 1 more than the sum, so that it is at least 2^31.
static uint64_t sum_of(struct rl_exp_table *table, const int8_t *input, int32_t count, int32_t maximum)
{
    uint64_t sum = 1;
    for (int32_t i = 0; i < count; i++) {
        sum += (uint32_t)rl_exp_look_up(table, maximum - input[i]);
    }
    return sum;
}

void rl_log_softmax_run(const struct rl_log_softmax *layer, const int8_t *input, int8_t *output)
{
    const int32_t count = layer->exponentials.row, step = layer->step, fraction = layer->fraction;
    const int32_t offset = layer->output_offset;
    struct rl_exp_table table;
    rl_exp_table_init(&table, &layer->exponentials);
    for (int32_t row = 0; row < layer->exponentials.rows; row++) {
        const int32_t maximum = rl_softmax_maximum_s8(input, count);
        const int32_t addend = rl_log_addend(layer, sum_of(&table, input, count, maximum)) + ((1 << fraction) >> 1);
        for (int32_t i = 0; i < count; i++) {
            const int32_t below = ((maximum - input[i]) * step + addend) >> fraction;
            output[i] = (int8_t)rl_clamp_s32(offset - below, INT8_MIN, INT8_MAX);
        }
        input += count;
        output += count;
    }
}
