// SPDX-License-Identifier: Apache-2.0
// The LSTM without the element type of its input and output.
#ifndef RL_KERNELS_LSTM_LSTM_H
#define RL_KERNELS_LSTM_LSTM_H

#include <stdbool.h>
#include <stddef.h>

#include "arm_nn_types.h"

// One matrix of a gate.
struct rl_lstm_part {
    const int8_t *weights;
    const void *bias; // int32 or int64
    int32_t depth;
    int32_t multiplier;
    int32_t shift;
};

// What depends on the element type.
struct rl_lstm_type {
    size_t element_size;
    cmsis_nn_activation limits; // of the element type
    // Adds the scaled product of a matrix and each of `rows` dense rows of `depth` values to output[row][unit], or
    // writes it there when `first`; saturated to int16.
    void (*add_product)(const struct rl_lstm_part *part, const void *values, int32_t rows, int32_t units, bool first,
                        int16_t *output);
};

// All steps.
void rl_lstm_run(const struct rl_lstm_type *type, const cmsis_nn_lstm_params *params,
                 const cmsis_nn_lstm_context *buffers, const void *input, void *output);

#endif
