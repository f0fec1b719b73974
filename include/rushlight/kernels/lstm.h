// SPDX-License-Identifier: Apache-2.0
//
// Long short-term memory in one direction, over whole sequences of int8 (rl_lstm_run) or int16 (rl_lstm_s16_run) data.
//
// For each time step and batch, with the gates f (forget), i (input), g (cell) and o (output):
//
//     gate = activation(requantize(W_input x + bias_input) + requantize(W_hidden h + bias_hidden))
//     cell = clip(requantize(f * cell) + requantize(i * g))
//     h    = requantize(o * tanh(cell)) + output_offset, the output of the step and the h of the next
//
// Gate values, tanh(cell) and the cell are int16.
#ifndef RUSHLIGHT_KERNELS_LSTM_H
#define RUSHLIGHT_KERNELS_LSTM_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

// One matrix of a gate.
struct rl_lstm_part {
    const int8_t *weights; // [hidden_size][input_size], or [hidden_size][hidden_size] of the hidden state
    RL_EXTENSION union {                // [hidden_size], with input offset times the sum of the weights folded in
        const int32_t *bias;
        const int64_t *wide_bias; // of int16 data
    };
    struct rl_scale scale; // of int16 data: the multiplier is used with 16 bits, and the shift is at most 14
};

struct rl_lstm_gate {
    struct rl_lstm_part input;
    struct rl_lstm_part hidden;
    bool is_tanh; // the activation, else a sigmoid; usually only the cell gate has the tanh
};

struct rl_lstm {
    bool time_major; // input [time_steps][batches][input_size] and output likewise, else [batches][time_steps][...]
    int32_t batches;
    int32_t time_steps;
    int32_t input_size;
    int32_t hidden_size; // output [batches][time_steps][hidden_size]
    struct rl_lstm_gate forget_gate;
    struct rl_lstm_gate input_gate;
    struct rl_lstm_gate cell_gate;
    struct rl_lstm_gate output_gate;
    struct rl_scale forget_to_cell;
    struct rl_scale input_to_cell;
    int32_t cell_clip;        // the cell is limited to -cell_clip..cell_clip; 0: to int16 alone
    int32_t cell_scale_power; // minus the fractional bits of the cell
    struct rl_scale output_scale;
    int32_t output_offset;
};

// The memory of a run. None of it may overlap the input or the output.
struct rl_lstm_buffers {
    int16_t *gates[2];  // [batches][hidden_size] each, any contents
    int16_t *cell;      // [batches][hidden_size], read and written
    void *hidden_state; // [batches][hidden_size] of the output's type: read before the first step, written after the
                        // last. NULL for a first run, which starts with h = 0 and sets `cell` to 0
};

// Layers need no preparation and no other scratch.
void rl_lstm_run(const struct rl_lstm *layer, const int8_t *input, int8_t *output,
                 const struct rl_lstm_buffers *buffers);
void rl_lstm_s16_run(const struct rl_lstm *layer, const int16_t *input, int16_t *output,
                     const struct rl_lstm_buffers *buffers);

#ifdef __cplusplus
}
#endif

#endif
