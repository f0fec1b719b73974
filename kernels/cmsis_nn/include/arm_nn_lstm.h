// SPDX-License-Identifier: Apache-2.0
// Long short-term memory in one direction, over whole sequences.
//
// For each time step and batch, with the gates f (forget), i (input), g (cell) and o (output):
//
//     gate = activation(requantize(W_in x + effective_bias_in) + requantize(W_hid h + effective_bias_hid))
//     cell = clip(requantize(f * cell) + requantize(i * g))
//     h = requantize(o * tanh(cell)) + output_offset, the output of the step and the h of the next
//
// Gate values, tanh(cell) and the cell are int16. The cell has -cell_scale_power fractional bits, so tanh is taken with
// a left_shift of cell_scale_power + 12 (arm_nn_activation_s16). Each gate names its activation: as a rule sigmoid, and
// tanh for g. The effective biases contain bias and sum(weights) * input offset; `bias` and `input_offset` are not
// read.
//
// Shapes: input [batch, time, input_size], output [batch, time, hidden_size]; with time_major != 0 [time, batch, ...].
// Weights int8, [hidden_size, input_size] and [hidden_size, hidden_size]; effective biases [hidden_size].
//
// buffers: temp1 and temp2, batch_size * hidden_size int16 each, any contents. cell_state, batch_size * hidden_size
// int16, read and written. hidden_state, batch_size * hidden_size of the output's type: read before the first step and
// written after the last one; NULL for a first call, which starts with h = 0 and sets cell_state to 0.
// None of them may overlap the input or the output.
#ifndef ARM_NN_LSTM_H
#define ARM_NN_LSTM_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// int8 input and output; effective biases int32. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output, const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers);

// int16 input and output; effective biases int64; gate multipliers are used with 16 bits. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
                                                const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers);

#ifdef __cplusplus
}
#endif

#endif
