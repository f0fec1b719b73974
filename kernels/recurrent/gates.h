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

// value / 2^15, ties upwards.
static inline int32_t rl_halve_15_times(int32_t value)
{
    return (value + (1 << 14)) >> 15;
}

static inline int16_t rl_limited_s16(int32_t value)
{
    return (int16_t)rl_clamp_s32(value, INT16_MIN, INT16_MAX);
}

// Writes a[0..rows-1] to the step's gates.
void rl_recurrent_sums(const struct rl_recurrent_step *step, int32_t rows);

// Writes of_input and of_hidden of at most RL_GATE_BLOCK rows from `first` on.
void rl_recurrent_terms(const struct rl_recurrent_step *step, int32_t first, int32_t rows, int32_t *of_input,
                        int32_t *of_hidden);

void rl_lstm_step(const struct rl_recurrent_step *step);
void rl_gru_step(const struct rl_recurrent_step *step);
void rl_rnn_step(const struct rl_recurrent_step *step);

#endif
