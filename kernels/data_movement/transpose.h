// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_DATA_MOVEMENT_TRANSPOSE_H
#define RL_KERNELS_DATA_MOVEMENT_TRANSPOSE_H

#include <stdint.h>

#include "rushlight/kernels/data_movement.h"
#include "rushlight/status.h"

// output[r * output_step + c] = input[c * input_step + r] for r < rows, c < columns.
struct rl_transpose_plane {
    int32_t rows;
    int32_t columns;
    int32_t input_step;
    int32_t output_step;
};

// Input and output do not overlap.
void rl_transpose_plane_run(const struct rl_transpose_plane *plane, const int8_t *input, int8_t *output);

// rl_transpose_prepare with `sizes` and `permutation` in place of the layer's own, which are not read.
enum rl_status rl_transpose_axes(struct rl_transpose *layer, const int32_t *sizes, const uint32_t *permutation);

#endif
