// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DATA_MOVEMENT_TRANSPOSE_H
#define RL_KERNELS_DATA_MOVEMENT_TRANSPOSE_H

#include <stdint.h>

// output[r * output_step + c] = input[c * input_step + r] for r < rows, c < columns.
struct rl_transpose_plane {
    int32_t rows;
    int32_t columns;
    int32_t input_step;
    int32_t output_step;
};

#endif
