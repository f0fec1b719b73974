// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_lstm.h"

#include "rushlight/kernels/lstm.h"

// Field by field, because structures that are returned are copied, which takes as long as a small gate. Biases of
// either width share their place in the struct of a part.
static void set_gate(struct rl_lstm_gate *to, const cmsis_nn_lstm_gate *gate)
{
    to->input.weights = gate->input_weights;
    to->input.bias = gate->input_effective_bias;
    to->input.scale = (struct rl_scale){gate->input_multiplier, gate->input_shift};
    to->hidden.weights = gate->hidden_weights;
    to->hidden.bias = gate->hidden_effective_bias;
    to->hidden.scale = (struct rl_scale){gate->hidden_multiplier, gate->hidden_shift};
    to->is_tanh = gate->activation_type == ARM_TANH;
}

static void set_layer(struct rl_lstm *layer, const cmsis_nn_lstm_params *params)
{
    layer->time_major = params->time_major != 0;
    layer->batches = params->batch_size;
    layer->time_steps = params->time_steps;
    layer->input_size = params->input_size;
    layer->hidden_size = params->hidden_size;
    set_gate(&layer->forget_gate, &params->forget_gate);
    set_gate(&layer->input_gate, &params->input_gate);
    set_gate(&layer->cell_gate, &params->cell_gate);
    set_gate(&layer->output_gate, &params->output_gate);
    layer->forget_to_cell = (struct rl_scale){params->forget_to_cell_multiplier, params->forget_to_cell_shift};
    layer->input_to_cell = (struct rl_scale){params->input_to_cell_multiplier, params->input_to_cell_shift};
    layer->cell_clip = params->cell_clip;
    layer->cell_scale_power = params->cell_scale_power;
    layer->output_scale = (struct rl_scale){params->output_multiplier, params->output_shift};
    layer->output_offset = params->output_offset;
}

static struct rl_lstm_buffers buffers_of(const cmsis_nn_lstm_context *buffers)
{
    return (struct rl_lstm_buffers){{buffers->temp1, buffers->temp2}, buffers->cell_state, buffers->hidden_state};
}

arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output, const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers)
{
    struct rl_lstm layer;
    set_layer(&layer, params);
    const struct rl_lstm_buffers own = buffers_of(buffers);
    rl_lstm_run(&layer, input, output, &own);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
                                                const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers)
{
    struct rl_lstm layer;
    set_layer(&layer, params);
    const struct rl_lstm_buffers own = buffers_of(buffers);
    rl_lstm_s16_run(&layer, input, output, &own);
    return ARM_CMSIS_NN_SUCCESS;
}
