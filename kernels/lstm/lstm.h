// SPDX-License-Identifier: Apache-2.0
// The parts of the LSTM that do not depend on the element type of its input and output.
#ifndef RL_KERNELS_LSTM_LSTM_H
#define RL_KERNELS_LSTM_LSTM_H

#include <stdbool.h>
#include <stddef.h>

#include "rushlight/kernels/lstm.h"

// The parts that depend on the element type.
struct rl_lstm_type {
    size_t element_size;
    struct rl_range range; // the range of the element type
    // Adds the scaled product of a matrix and each of `rows` dense rows of `depth` values to output[row][unit], or
    // writes it there when `first`; saturated to int16.
    void (*add_product)(const struct rl_lstm_part *part, const void *values, int32_t rows, int32_t depth, int32_t units,
                        bool first, int16_t *output);
};

// Runs all steps.
void rl_lstm_run_type(const struct rl_lstm_type *type, const struct rl_lstm *layer, const void *input, void *output,
                      const struct rl_lstm_buffers *buffers);

#endif
