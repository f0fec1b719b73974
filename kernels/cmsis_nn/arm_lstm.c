// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_lstm.h"

#include "rushlight/kernels/lstm.h"

// Biases of either width: both share their place in the struct of a part.
static struct rl_lstm_gate gate_of(const cmsis_nn_lstm_gate *gate)
{
    return (struct rl_lstm_gate){
        .input = {.weights = gate->input_weights,
                  .bias = gate->input_effective_bias,
                  .scale = {gate->input_multiplier, gate->input_shift}},
        .hidden = {.weights = gate->hidden_weights,
                   .bias = gate->hidden_effective_bias,
                   .scale = {gate->hidden_multiplier, gate->hidden_shift}},
        .is_tanh = gate->activation_type == ARM_TANH,
    };
}

static struct rl_lstm layer_of(const cmsis_nn_lstm_params *params)
{
    return (struct rl_lstm){
        .time_major = params->time_major != 0,
        .batches = params->batch_size,
        .time_steps = params->time_steps,
        .input_size = params->input_size,
        .hidden_size = params->hidden_size,
        .forget_gate = gate_of(&params->forget_gate),
        .input_gate = gate_of(&params->input_gate),
        .cell_gate = gate_of(&params->cell_gate),
        .output_gate = gate_of(&params->output_gate),
        .forget_to_cell = {params->forget_to_cell_multiplier, params->forget_to_cell_shift},
        .input_to_cell = {params->input_to_cell_multiplier, params->input_to_cell_shift},
        .cell_clip = params->cell_clip,
        .cell_scale_power = params->cell_scale_power,
        .output_scale = {params->output_multiplier, params->output_shift},
        .output_offset = params->output_offset,
    };
}

static struct rl_lstm_buffers buffers_of(const cmsis_nn_lstm_context *buffers)
{
    return (struct rl_lstm_buffers){{buffers->temp1, buffers->temp2}, buffers->cell_state, buffers->hidden_state};
}

arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output, const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers)
{
    const struct rl_lstm layer = layer_of(params);
    const struct rl_lstm_buffers own = buffers_of(buffers);
    rl_lstm_run(&layer, input, output, &own);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
                                                const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers)
{
    const struct rl_lstm layer = layer_of(params);
    const struct rl_lstm_buffers own = buffers_of(buffers);
    rl_lstm_s16_run(&layer, input, output, &own);
    return ARM_CMSIS_NN_SUCCESS;
}
