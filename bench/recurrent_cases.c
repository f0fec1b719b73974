// SPDX-License-Identifier: Apache-2.0
//
// Cases with a state: filters along time, and recurrent cells.
#include "bench.h"
#include "mark.h"

#include <string.h>

enum { MOST_FEATURES = 600, MOST_HIDDEN = 64, GATES = 4, TIME_WEIGHTS = 300000, STATE = 1000 };

int32_t bench_svdf(const struct bench_case *test)
{
    static int32_t input_buffer[MOST_FEATURES], output_buffer[MOST_FEATURES];
    struct bench_memory *m = &bench_memory;
    const struct bench_svdf *layer = &test->of.svdf;
    const int32_t units = layer->features / layer->rank;
    const cmsis_nn_context scratch = {m->scratch, sizeof m->scratch};
    const cmsis_nn_context inputs = {input_buffer, sizeof input_buffer},
                           outputs = {output_buffer, sizeof output_buffer};
    const cmsis_nn_activation limits = bench_limits(BENCH_S8, BENCH_SMALL);
    const cmsis_nn_svdf_params params = {layer->rank, 5, -3, limits, limits};
    const cmsis_nn_per_tensor_quant_params input_scale = {0x55555555, -8}, output_scale = {0x55555555, -7};
    const cmsis_nn_dims input = {layer->batches, layer->inputs, 1, 1};
    const cmsis_nn_dims state = {layer->batches, layer->memory, layer->features, 1};
    const cmsis_nn_dims by_feature = {layer->features, layer->inputs, 1, 1};
    const cmsis_nn_dims by_time = {layer->features, layer->memory, 1, 1};
    const cmsis_nn_dims bias = {units, 1, 1, 1}, output = {layer->batches, units, 1, 1};
    const int32_t state_bytes = layer->batches * layer->features * layer->memory;
    memcpy(m->second_scratch, m->input.s8 + STATE, (size_t)state_bytes);
    m->multiplications = layer->batches * layer->features * (layer->inputs + layer->memory);
    if (arm_vector_sum_s8((int32_t *)m->scratch, layer->inputs, layer->features, m->weights, 5, 0, NULL)) {
        return -1;
    }
    rl_mark_begin();
    const arm_cmsis_nn_status status =
        arm_svdf_s8(&scratch, &inputs, &outputs, &params, &input_scale, &output_scale, &input, m->input.s8, &state,
                    (int8_t *)m->second_scratch, &by_feature, m->weights, &by_time, m->weights + TIME_WEIGHTS, &bias,
                    m->bias, &output, m->output.s8);
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, layer->batches * units);
}

// The gates' weights follow each other; their sums are parts of the bias.
static void describe_gates(const struct bench_lstm *layer, cmsis_nn_lstm_gate gates[GATES])
{
    static int32_t input_sums[GATES][MOST_HIDDEN], hidden_sums[GATES][MOST_HIDDEN];
    enum { CELL = 2 };
    const struct bench_memory *m = &bench_memory;
    const int8_t *weights = m->weights;
    for (int i = 0; i < GATES; i++) {
        for (int k = 0; k < layer->hidden; k++) {
            input_sums[i][k] = m->bias[k + i * 64];
            hidden_sums[i][k] = m->bias[k + i * 32];
        }
        const int8_t *hidden_weights = weights + layer->inputs * layer->hidden;
        gates[i] = (cmsis_nn_lstm_gate){0x55555555,     -7,
                                        weights,        input_sums[i],
                                        0x45555555,     -6,
                                        hidden_weights, hidden_sums[i],
                                        m->bias,        i == CELL ? ARM_TANH : ARM_SIGMOID};
        weights = hidden_weights + layer->hidden * layer->hidden;
    }
}

int32_t bench_lstm(const struct bench_case *test)
{
    enum { BUFFER = 4096 };
    struct bench_memory *m = &bench_memory;
    const struct bench_lstm *layer = &test->of.lstm;
    cmsis_nn_lstm_gate gates[GATES];
    describe_gates(layer, gates);
    const cmsis_nn_lstm_params params = {.time_major = 0,
                                         .batch_size = 1,
                                         .time_steps = layer->steps,
                                         .input_size = layer->inputs,
                                         .hidden_size = layer->hidden,
                                         .input_offset = 5,
                                         .forget_to_cell_multiplier = 0x60000000,
                                         .forget_to_cell_shift = -14,
                                         .input_to_cell_multiplier = 0x60000000,
                                         .input_to_cell_shift = -14,
                                         .cell_clip = INT16_MAX,
                                         .cell_scale_power = -11,
                                         .output_multiplier = 0x55555555,
                                         .output_shift = -21,
                                         .output_offset = 3,
                                         .forget_gate = gates[0],
                                         .input_gate = gates[1],
                                         .cell_gate = gates[2],
                                         .output_gate = gates[3]};
    cmsis_nn_lstm_context buffers = {m->scratch, m->scratch + BUFFER, m->second_scratch, m->second_scratch + BUFFER};
    memset(m->second_scratch, 0, (size_t)2 * BUFFER);
    m->multiplications = layer->steps * GATES * layer->hidden * (layer->inputs + layer->hidden);
    rl_mark_begin();
    const arm_cmsis_nn_status status = arm_lstm_unidirectional_s8(m->input.s8, m->output.s8, &params, &buffers);
    rl_mark_end();
    return bench_bytes(status, BENCH_S8, layer->steps * layer->hidden);
}
