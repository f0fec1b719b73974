// SPDX-License-Identifier: Apache-2.0
// What the kinds of recurrent layers share. rushlight/kernels/recurrent.h has the formulas.
#ifndef RL_KERNELS_RECURRENT_GATES_H
#define RL_KERNELS_RECURRENT_GATES_H

#include <stddef.h>

#include "recurrent/rows.h"
#include "requantize.h"
#include "rushlight/kernels/recurrent.h"

// One step of one batch. `gates` and `wide` are scratch.
struct rl_recurrent_step {
    const struct rl_recurrent *layer;
    const int8_t *input;  // [input_size]
    const int8_t *hidden; // [hidden_size], of the step before
    int8_t *output;       // [hidden_size]
    int16_t *gates;       // [gates][hidden_size]
    int16_t *wide;        // [hidden_size]: the cell of an LSTM, H of a GRU
};

// Writes a[0..rows-1] to the step's gates.
void rl_recurrent_sums(const struct rl_recurrent_step *step, int32_t rows);

// Writes the inputs of tanh of a GRU's third gate in place of `reset`.
void rl_recurrent_new_gates(const struct rl_recurrent_step *step, int16_t *reset);

void rl_lstm_step(const struct rl_recurrent_step *step);
void rl_gru_step(const struct rl_recurrent_step *step);
void rl_rnn_step(const struct rl_recurrent_step *step);

#endif
