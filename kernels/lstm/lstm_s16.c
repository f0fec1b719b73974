// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "lstm/lstm.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

static int16_t add_scaled(const struct rl_lstm_part *part, int64_t sum, int32_t before)
{
    const int64_t after =
        (int64_t)rl_requantize_s64(sum, rl_reduce_multiplier(part->scale.multiplier), part->scale.shift) + before;
    const int64_t limited = after > INT16_MAX ? INT16_MAX : after;
    return (int16_t)(limited < INT16_MIN ? INT16_MIN : limited);
}

// Adds a matrix times `rows` vectors to output, or writes it there when `first`.
static void add_product(const struct rl_lstm_part *part, const void *values, int32_t rows, int32_t depth, int32_t units,
                        bool first, int16_t *output)
{
    const int16_t *row_values = values;
    const int64_t *bias = part->wide_bias;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t unit = 0; unit < units; unit += 2) {
            const int32_t next = unit + 1 < units ? unit + 1 : unit;
            const int8_t *weights = part->weights + unit * depth;
            int64_t sums[2] = {bias[unit], bias[next]};
            rl_dot_s16_s8_pair(row_values, weights, part->weights + next * depth, depth, sums);
            const int32_t before = first ? 0 : output[unit], next_before = first ? 0 : output[next];
            output[unit] = add_scaled(part, sums[0], before);
            if (next != unit) {
                output[next] = add_scaled(part, sums[1], next_before);
            }
        }
        row_values += depth;
        output += units;
    }
}

void rl_lstm_s16_run(const struct rl_lstm *layer, const int16_t *input, int16_t *output,
                     const struct rl_lstm_buffers *buffers)
{
    static const struct rl_lstm_type type = {sizeof(int16_t), {INT16_MIN, INT16_MAX}, add_product};
    rl_lstm_run_type(&type, layer, input, output, buffers);
}
