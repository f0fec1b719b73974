// SPDX-License-Identifier: Apache-2.0
// SVDF and LSTM by their definitions (TFLite's integer kernels), one value at a time, on widened values.
#ifndef RL_TESTS_KERNELS_REFERENCE_RECURRENT_H
#define RL_TESTS_KERNELS_REFERENCE_RECURRENT_H

#include "support/kernel_test.h"

// One step of an SVDF. Arrays as in arm_nn_svdf.h, except that the input has its zero point taken off.
struct reference_svdf {
    int32_t batches, input_size, features, time, rank;
    const int32_t *input, *feature_weights, *time_weights;
    const int32_t *bias; // may be NULL
    cmsis_nn_per_tensor_quant_params input_scale, output_scale;
    cmsis_nn_activation state_limits, output_limits;
    int32_t output_offset;
};

// Moves `state` on by one step and computes the output.
void reference_svdf_step(const struct reference_svdf *s, int32_t *state, int8_t *output);

// Sequences of an LSTM. Gates in the order forget, input, cell, output.
struct reference_lstm {
    const cmsis_nn_lstm_params *params;
    bool wide; // int16 input and output, biases of 64 bits
    const int32_t *input_weights[4], *hidden_weights[4];
    const int64_t *input_bias[4], *hidden_bias[4];
};

// The whole sequence of one batch. `input` [time][input_size] and `output` [time][hidden_size]; `hidden` and `cell`
// hold the past and are moved on; `has_past` is false when the first step has no hidden state at all.
void reference_lstm_sequence(const struct reference_lstm *l, const int32_t *input, bool has_past, int32_t *hidden,
                             int32_t *cell, int32_t *output);

#endif
