// SPDX-License-Identifier: Apache-2.0
//
// Loops over elements of one byte, which take the place of 64-bit integers in quantized models: limits, with the
// kernel for them, and choices.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_BYTES_H
#define RL_RUNTIME_OPERATORS_PORTABLE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/types.h"

// The output, or an operand, along the innermost dimension of a walk.
struct rl_byte_operand {
    uint8_t *data;    // of one byte an element, unless it is constant
    uint32_t step;    // distance of its elements
    int64_t constant; // the value of all elements, if it is constant
    int dtype;        // enum rl_scalar_type
    bool is_constant;
};

// x[0] is the output, x[1] the first operand. False if the loop does not take these, and then nothing is written.
typedef bool rl_byte_loop(const struct rl_byte_operand *x, uint32_t count);

// Operand 1 from below limited by operand 2, from above by operand 3, or by both; and by 0 from below.
rl_byte_loop rl_limit_bytes_below;
rl_byte_loop rl_limit_bytes_above;
rl_byte_loop rl_limit_bytes;
rl_byte_loop rl_relu_of_bytes;

// Operand 2 where operand 1 is not 0, else operand 3.
rl_byte_loop rl_choose_bytes;

// Operand 3 where operand 2 is not 0, else operand 1.
rl_byte_loop rl_fill_bytes;

#endif
