// SPDX-License-Identifier: Apache-2.0
#include "lstm/lstm.h"

#include <string.h>

#include "isa.h"
#include "requantize.h"
#include "rushlight/kernels/activation.h"
#include "rushlight/kernels/elementwise.h"
#include RL_TILE(mul_s16_tile.h)

// One step: `batches` dense rows of input and of hidden state. `hidden` is NULL in the first step of a run that starts
// without a hidden state.
struct step {
    const struct rl_lstm *layer;
    int32_t batches;
    const void *input;
    const void *hidden;
};

static void run_gate(const struct rl_lstm_type *type, const struct step *step, const struct rl_lstm_gate *gate,
                     int16_t *output)
{
    const int32_t units = step->layer->hidden_size;
    type->add_product(&gate->input, step->input, step->batches, step->layer->input_size, units, true, output);
    if (step->hidden) {
        type->add_product(&gate->hidden, step->hidden, step->batches, units, units, false, output);
    }
    const struct rl_sigmoid activation = {.is_tanh = gate->is_tanh, .count = step->batches * units};
    rl_sigmoid_s16_run(&activation, output, output);
}

// output[i] = gate[i] * cell[i] for i < count, rescaled as the layer says.
static void write_hidden(const struct rl_lstm_type *type, const struct rl_lstm *layer, const int16_t *gate,
                         const int16_t *cell, int32_t count, void *output)
{
    const struct rl_mul product = {
        .scale = layer->output_scale,
        .output_offset = layer->output_offset,
        .range = type->range,
        .count = count,
    };
    if (type->element_size == sizeof(int8_t)) {
        rl_mul_s16_s8_tile(&product, gate, cell, output);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled = rl_requantize(gate[i] * cell[i], product.scale.multiplier, product.scale.shift);
        ((int16_t *)output)[i] = (int16_t)rl_clamp_s32(scaled + layer->output_offset, type->range.min, type->range.max);
    }
}

// In this order of the gates, two buffers are enough.
static void run_step(const struct rl_lstm_type *type, const struct step *step, const struct rl_lstm_buffers *buffers,
                     int16_t *cell, void *output)
{
    const struct rl_lstm *layer = step->layer;
    const int32_t count = step->batches * layer->hidden_size;
    int16_t *first = buffers->gates[0], *second = buffers->gates[1];
    run_gate(type, step, &layer->forget_gate, first);
    const struct rl_mul forget = {.scale = layer->forget_to_cell, .range = {INT16_MIN, INT16_MAX}, .count = count};
    rl_mul_s16_run(&forget, first, cell, cell);
    run_gate(type, step, &layer->input_gate, first);
    run_gate(type, step, &layer->cell_gate, second);
    const bool clips = layer->cell_clip > 0;
    const struct rl_mul add = {
        .scale = layer->input_to_cell,
        .range = {clips ? -layer->cell_clip : INT16_MIN, clips ? layer->cell_clip : INT16_MAX},
        .count = count,
    };
    rl_mul_add_s16_run(&add, first, second, cell);
    run_gate(type, step, &layer->output_gate, first);
    const struct rl_sigmoid squash = {.is_tanh = true, .left_shift = layer->cell_scale_power + 12, .count = count};
    rl_sigmoid_s16_run(&squash, cell, second);
    write_hidden(type, layer, first, second, count, output);
}

// Runs `batches` sequences whose steps are dense: the rows of a step follow each other, and so do the steps.
static void run_sequences(const struct rl_lstm_type *type, const struct rl_lstm *layer, int32_t batches,
                          const struct rl_lstm_buffers *buffers, const uint8_t *input, uint8_t *output)
{
    const size_t input_bytes = (size_t)(batches * layer->input_size) * type->element_size;
    const size_t output_bytes = (size_t)(batches * layer->hidden_size) * type->element_size;
    struct step step = {layer, batches, input, buffers->hidden_state};
    for (int32_t time = 0; time < layer->time_steps; time++) {
        run_step(type, &step, buffers, buffers->cell, output);
        step.hidden = output;
        step.input = (const uint8_t *)step.input + input_bytes;
        output += output_bytes;
    }
    if (buffers->hidden_state && layer->time_steps > 0) {
        memcpy(buffers->hidden_state, step.hidden, output_bytes);
    }
}

void rl_lstm_run_type(const struct rl_lstm_type *type, const struct rl_lstm *layer, const void *input, void *output,
                      const struct rl_lstm_buffers *buffers)
{
    if (!buffers->hidden_state) {
        memset(buffers->cell, 0, (size_t)(layer->batches * layer->hidden_size) * sizeof(int16_t));
    }
    if (layer->time_major) {
        run_sequences(type, layer, layer->batches, buffers, input, output);
        return;
    }
    const size_t input_bytes = (size_t)(layer->time_steps * layer->input_size) * type->element_size;
    const size_t output_bytes = (size_t)(layer->time_steps * layer->hidden_size) * type->element_size;
    const size_t state_bytes = (size_t)layer->hidden_size * type->element_size;
    struct rl_lstm_buffers own = *buffers;
    for (int32_t batch = 0; batch < layer->batches; batch++) {
        const size_t at = (size_t)batch;
        own.cell = buffers->cell + batch * layer->hidden_size;
        own.hidden_state = buffers->hidden_state ? (uint8_t *)buffers->hidden_state + at * state_bytes : NULL;
        run_sequences(type, layer, 1, &own, (const uint8_t *)input + at * input_bytes,
                      (uint8_t *)output + at * output_bytes);
    }
}
