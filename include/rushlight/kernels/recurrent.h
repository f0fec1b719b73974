// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU and plain recurrent layers as PyTorch defines them: one layer in one direction over whole sequences of
// int8, with a scale for each row of the weights.
//
// For each batch and step, from the input x of the step and the hidden state h of the step before, both int8, each row
// r of the weights gives two sums. They and all that follows wrap at 32 bits.
//
//     of_input[r]  = input.bias[r]  + sum of input.weights[r][k]  * x[k]
//     of_hidden[r] = hidden.bias[r] + sum of hidden.weights[r][k] * h[k]
//
// They have one shift and two multipliers. high(v, m) is v * m / 2^32, ties upwards; a positive shift s multiplies the
// sums by 2^s before it, a negative one divides by 2^-s after it, ties upwards.
//
//     a[r] = shifted(high(of_input[r], input.multiplier[r]) + high(of_hidden[r], hidden.multiplier[r])),
//            limited to int16
//
// The rows of a gate follow one another; a gate has hidden_size of them. Below, sigmoid and tanh are those of
// rl_sigmoid_s16_run, from 12 to 15 fractional bits, scaled(v) is v scaled by output_scale as in all kernels, and
// quotients round ties upwards.
//
//   LSTM   gates in the order i, f, g, o; the cell c is int16 with cell_bits fractional bits
//              c = sigmoid(a_f) * c / 2^15 + sigmoid(a_i) * tanh(a_g) / 2^(30 - cell_bits), limited to int16
//              h = scaled(sigmoid(a_o) * tanh(c * 2^(12 - cell_bits))) + output_offset, limited to int8
//   GRU    gates in the order r, z, n; inside a run the hidden state is H, int16 in 256ths of a step of h, which has
//          the zero point 0; of_input_n and of_hidden_n are scaled and shifted one by one
//              m = sigmoid(a_r) * (of_hidden_n, limited to -65535..65535) / 2^15
//              n = scaled(tanh(of_input_n + m, limited to int16)), limited to int16
//              H = n + sigmoid(a_z) * (H - n) / 2^15
//              h = H / 256, limited to int8
//   RNN    one gate
//              h = scaled(tanh(a)) + output_offset, limited to int8; or with a rectifier: max(a, 0) in place of tanh(a)
//
// The scales of the rows decide the units of a: 12 fractional bits where it goes through sigmoid or tanh, any with a
// rectifier.
#ifndef RUSHLIGHT_KERNELS_RECURRENT_H
#define RUSHLIGHT_KERNELS_RECURRENT_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rl_recurrent_kind { RL_RECURRENT_LSTM, RL_RECURRENT_GRU, RL_RECURRENT_TANH, RL_RECURRENT_RELU };

// One of the two matrices.
struct rl_recurrent_part {
    const int8_t *weights;     // [rows][input_size], or [rows][hidden_size] of the hidden state
    const int32_t *bias;       // [rows], with minus the zero point times the sum of the row's weights folded in
    const int32_t *multiplier; // [rows]
};

struct rl_recurrent {
    enum rl_recurrent_kind kind;
    bool reverse; // from the last step to the first
    int32_t time_steps;
    int32_t batches;
    int32_t input_size;
    int32_t hidden_size;
    struct rl_recurrent_part input;
    struct rl_recurrent_part hidden;
    const int32_t *shift; // [rows], -31..30
    int32_t cell_bits;    // of an LSTM: 0..15
    struct rl_scale output_scale;
    int32_t output_offset; // the zero point of h; of a GRU: 0
};

// Initial and last states.
struct rl_recurrent_state {
    const int8_t *hidden; // [batches][hidden_size]; NULL: zero
    const int16_t *cell;  // of an LSTM: [batches][hidden_size]; NULL: zero
    int16_t *last_cell;   // of an LSTM: [batches][hidden_size], written
};

// The rows of each matrix for one unit: the number of gates.
int32_t rl_recurrent_gates(enum rl_recurrent_kind kind);

// Bytes of scratch that a run needs, on each core: 9 for each unit.
int32_t rl_recurrent_scratch(const struct rl_recurrent *layer);

// Input [time_steps][batches][input_size], output [time_steps][batches][hidden_size]. The last hidden state is the
// output of the last step that runs. The scratch must have rl_recurrent_scratch bytes at an even address. Nothing that
// is written may overlap anything else. Layers need no preparation.
void rl_recurrent_run(const struct rl_recurrent *layer, const struct rl_recurrent_state *state, const int8_t *input,
                      int8_t *output, struct rl_scratch scratch);

#ifdef __cplusplus
}
#endif

#endif
