// SPDX-License-Identifier: Apache-2.0
#include "lstm/lstm.h"

#include <string.h>

#include "arm_nn_activation.h"
#include "arm_nn_elementwise.h"
#include "requantize.h"

// One step: `batches` dense rows of input and of hidden state. `hidden` is NULL in the first step of a call without a
// past.
struct step {
    const cmsis_nn_lstm_params *params;
    int32_t batches;
    const void *input;
    const void *hidden;
};

static void run_gate(const struct rl_lstm_type *type, const struct step *step, const cmsis_nn_lstm_gate *gate,
                     int16_t *output)
{
    const int32_t units = step->params->hidden_size;
    const struct rl_lstm_part input = {gate->input_weights, gate->input_effective_bias, step->params->input_size,
                                       gate->input_multiplier, gate->input_shift};
    type->add_product(&input, step->input, step->batches, units, true, output);
    if (step->hidden) {
        const struct rl_lstm_part hidden = {gate->hidden_weights, gate->hidden_effective_bias, units,
                                            gate->hidden_multiplier, gate->hidden_shift};
        type->add_product(&hidden, step->hidden, step->batches, units, false, output);
    }
    (void)arm_nn_activation_s16(output, output, step->batches * units, 0, gate->activation_type);
}

// output[i] = gate[i] * cell[i] for i < count, rescaled as params say.
static void write_hidden(const struct rl_lstm_type *type, const cmsis_nn_lstm_params *params, const int16_t *gate,
                         const int16_t *cell, int32_t count, void *output)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled = rl_requantize(gate[i] * cell[i], params->output_multiplier, params->output_shift);
        const int32_t value = rl_clamp_s32(scaled + params->output_offset, type->limits.min, type->limits.max);
        if (type->element_size == sizeof(int8_t)) {
            ((int8_t *)output)[i] = (int8_t)value;
        } else {
            ((int16_t *)output)[i] = (int16_t)value;
        }
    }
}

// The gates come in the order that leaves two buffers enough.
static void run_step(const struct rl_lstm_type *type, const struct step *step, const cmsis_nn_lstm_context *buffers,
                     int16_t *cell, void *output)
{
    const cmsis_nn_lstm_params *params = step->params;
    const int32_t count = step->batches * params->hidden_size;
    int16_t *first = buffers->temp1, *second = buffers->temp2;
    run_gate(type, step, &params->forget_gate, first);
    (void)arm_elementwise_mul_s16(first, cell, 0, 0, cell, 0, params->forget_to_cell_multiplier,
                                  params->forget_to_cell_shift, INT16_MIN, INT16_MAX, count);
    run_gate(type, step, &params->input_gate, first);
    run_gate(type, step, &params->cell_gate, second);
    (void)arm_elementwise_mul_acc_s16(first, second, 0, 0, cell, 0, params->input_to_cell_multiplier,
                                      params->input_to_cell_shift, -params->cell_clip, params->cell_clip, count);
    run_gate(type, step, &params->output_gate, first);
    (void)arm_nn_activation_s16(cell, second, count, params->cell_scale_power + 12, ARM_TANH);
    write_hidden(type, params, first, second, count, output);
}

// `batches` sequences whose steps are dense: rows of one step follow each other, and so do steps.
static void run_sequences(const struct rl_lstm_type *type, const cmsis_nn_lstm_params *params, int32_t batches,
                          const cmsis_nn_lstm_context *buffers, const uint8_t *input, uint8_t *output)
{
    const size_t input_bytes = (size_t)(batches * params->input_size) * type->element_size;
    const size_t output_bytes = (size_t)(batches * params->hidden_size) * type->element_size;
    struct step step = {params, batches, input, buffers->hidden_state};
    for (int32_t time = 0; time < params->time_steps; time++) {
        run_step(type, &step, buffers, buffers->cell_state, output);
        step.hidden = output;
        step.input = (const uint8_t *)step.input + input_bytes;
        output += output_bytes;
    }
    if (buffers->hidden_state && params->time_steps > 0) {
        memcpy(buffers->hidden_state, step.hidden, output_bytes);
    }
}

void rl_lstm_run(const struct rl_lstm_type *type, const cmsis_nn_lstm_params *params,
                 const cmsis_nn_lstm_context *buffers, const void *input, void *output)
{
    if (!buffers->hidden_state) {
        memset(buffers->cell_state, 0, (size_t)(params->batch_size * params->hidden_size) * sizeof(int16_t));
    }
    if (params->time_major) {
        run_sequences(type, params, params->batch_size, buffers, input, output);
        return;
    }
    const size_t input_bytes = (size_t)(params->time_steps * params->input_size) * type->element_size;
    const size_t output_bytes = (size_t)(params->time_steps * params->hidden_size) * type->element_size;
    const size_t state_bytes = (size_t)params->hidden_size * type->element_size;
    cmsis_nn_lstm_context own = *buffers;
    for (int32_t batch = 0; batch < params->batch_size; batch++) {
        const size_t at = (size_t)batch;
        own.cell_state = (int16_t *)buffers->cell_state + batch * params->hidden_size;
        own.hidden_state = buffers->hidden_state ? (uint8_t *)buffers->hidden_state + at * state_bytes : NULL;
        run_sequences(type, params, 1, &own, (const uint8_t *)input + at * input_bytes,
                      (uint8_t *)output + at * output_bytes);
    }
}
