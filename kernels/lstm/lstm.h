// SPDX-License-Identifier: Apache-2.0
// The LSTM without the element type of its input and output.
#ifndef RL_KERNELS_LSTM_LSTM_H
#define RL_KERNELS_LSTM_LSTM_H

#include <stddef.h>

#include "arm_nn_types.h"

// One step: `batches` dense rows of input and of hidden state. `hidden` is NULL in the first step of a call
// without a past.
struct rl_lstm_step {
    const cmsis_nn_lstm_params *params;
    int32_t batches;
    const void *input;
    const void *hidden;
};

// What depends on the element type.
struct rl_lstm_type {
    size_t element_size;
    // output[batch][unit] = the sums of a gate before its activation, saturated to int16.
    void (*gate_sums)(const struct rl_lstm_step *step, const cmsis_nn_lstm_gate *gate, int16_t *output);
    // output[i] = gate[i] * cell[i] for i < count, rescaled as params say.
    void (*hidden)(const cmsis_nn_lstm_params *params, const int16_t *gate, const int16_t *cell,
                   int32_t count, void *output);
};

// All steps.
void rl_lstm_run(const struct rl_lstm_type *type, const cmsis_nn_lstm_params *params,
                 const cmsis_nn_lstm_context *buffers, const void *input, void *output);

#endif
