// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/recurrent.h"

#include <string.h>

#include "recurrent/gates.h"

// int16 values of scratch for each unit: the gates, and beside two gates of a GRU its n and H.
enum { WIDE_UNITS = 4 };

int32_t rl_recurrent_gates(enum rl_recurrent_kind kind)
{
    if (kind == RL_RECURRENT_LSTM) {
        return 4;
    }
    return kind == RL_RECURRENT_GRU ? 3 : 1;
}

int32_t rl_recurrent_scratch(const struct rl_recurrent *layer)
{
    return layer->hidden_size * (WIDE_UNITS * (int32_t)sizeof(int16_t) + 1);
}

static void run_step(const struct rl_recurrent_step *step)
{
    switch (step->layer->kind) {
    case RL_RECURRENT_LSTM:
        rl_lstm_step(step);
        break;
    case RL_RECURRENT_GRU:
        rl_gru_step(step);
        break;
    default:
        rl_rnn_step(step);
        break;
    }
}

// All steps of one batch; `step` has its first hidden state, and the places of step 0.
static void run_batch(struct rl_recurrent_step step)
{
    const struct rl_recurrent *layer = step.layer;
    const ptrdiff_t input_step = (ptrdiff_t)layer->batches * layer->input_size;
    const ptrdiff_t output_step = (ptrdiff_t)layer->batches * layer->hidden_size;
    const ptrdiff_t direction = layer->reverse ? -1 : 1;
    if (layer->reverse && layer->time_steps > 0) {
        step.input += (layer->time_steps - 1) * input_step;
        step.output += (layer->time_steps - 1) * output_step;
    }
    for (int32_t left = layer->time_steps; left > 0; left--) {
        run_step(&step);
        step.hidden = step.output;
        if (left > 1) {
            step.input += direction * input_step;
            step.output += direction * output_step;
        }
    }
}

static void start_cells(const struct rl_recurrent *layer, const struct rl_recurrent_state *state)
{
    const size_t bytes = (size_t)layer->batches * (size_t)layer->hidden_size * sizeof(int16_t);
    if (state->cell) {
        memcpy(state->last_cell, state->cell, bytes);
    } else {
        memset(state->last_cell, 0, bytes);
    }
}

void rl_recurrent_run(const struct rl_recurrent *layer, const struct rl_recurrent_state *state, const int8_t *input,
                      int8_t *output, struct rl_scratch scratch)
{
    const int32_t units = layer->hidden_size;
    int16_t *gates = scratch.memory;
    int8_t *zeros = (int8_t *)(gates + WIDE_UNITS * (ptrdiff_t)units);
    const bool has_cell = layer->kind == RL_RECURRENT_LSTM;
    if (has_cell) {
        start_cells(layer, state);
    }
    if (!state->hidden) {
        memset(zeros, layer->output_offset, (size_t)units);
    }
    for (int32_t batch = 0; batch < layer->batches; batch++) {
        const ptrdiff_t at = (ptrdiff_t)batch * units;
        int16_t *wide = has_cell ? state->last_cell + at : gates + 3 * (ptrdiff_t)units;
        const int8_t *hidden = state->hidden ? state->hidden + at : zeros;
        for (int32_t i = 0; i < units && layer->kind == RL_RECURRENT_GRU; i++) {
            wide[i] = (int16_t)(hidden[i] * 256);
        }
        run_batch((struct rl_recurrent_step){layer, input + (ptrdiff_t)batch * layer->input_size, hidden, output + at,
                                             gates, wide});
    }
}
