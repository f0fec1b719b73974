// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "arm_nn_lstm.h"
#include "isa.h"
#include "lstm/lstm.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)

// One matrix of a gate.
struct part {
    const int8_t *weights;
    const int32_t *bias;
    int32_t depth;
    int32_t multiplier;
    int32_t shift;
};

static int16_t add_scaled(const struct part *part, int32_t sum, int32_t before)
{
    const int32_t after = rl_requantize(sum, part->multiplier, part->shift) + before;
    return (int16_t)rl_clamp_s32(after, INT16_MIN, INT16_MAX);
}

// Adds a matrix times `rows` vectors to output, or writes it there when `first`.
static void add_product(const struct part *part, const int8_t *values, int32_t rows, int32_t units,
                        bool first, int16_t *output)
{
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t unit = 0; unit < units; unit += 2) {
            const int32_t next = unit + 1 < units ? unit + 1 : unit;
            const int8_t *weights = part->weights + unit * part->depth;
            int32_t sums[2] = {part->bias[unit], part->bias[next]};
            rl_dot_s8_s8_pair(values, 0, weights, part->weights + next * part->depth, part->depth, sums);
            const int32_t before = first ? 0 : output[unit], next_before = first ? 0 : output[next];
            output[unit] = add_scaled(part, sums[0], before);
            if (next != unit) {
                output[next] = add_scaled(part, sums[1], next_before);
            }
        }
        values += part->depth;
        output += units;
    }
}

static void gate_sums(const struct rl_lstm_step *step, const cmsis_nn_lstm_gate *gate, int16_t *output)
{
    const int32_t units = step->params->hidden_size;
    const struct part input = {gate->input_weights, gate->input_effective_bias, step->params->input_size,
                               gate->input_multiplier, gate->input_shift};
    add_product(&input, step->input, step->batches, units, true, output);
    if (step->hidden != NULL) {
        const struct part hidden = {gate->hidden_weights, gate->hidden_effective_bias, units,
                                    gate->hidden_multiplier, gate->hidden_shift};
        add_product(&hidden, step->hidden, step->batches, units, false, output);
    }
}

static void hidden(const cmsis_nn_lstm_params *params, const int16_t *gate, const int16_t *cell,
                   int32_t count, void *output)
{
    int8_t *out = output;
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled =
            rl_requantize(gate[i] * cell[i], params->output_multiplier, params->output_shift);
        out[i] = (int8_t)rl_clamp_s32(scaled + params->output_offset, INT8_MIN, INT8_MAX);
    }
}

arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output,
                                               const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers)
{
    static const struct rl_lstm_type type = {sizeof(int8_t), gate_sums, hidden};
    rl_lstm_run(&type, params, buffers, input, output);
    return ARM_CMSIS_NN_SUCCESS;
}
