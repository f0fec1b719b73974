// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/data_movement.h"

#include <string.h>

#include "arm_nn_concatenation.h"
#include "arm_nn_pad.h"
#include "arm_nn_reshape.h"
#include "arm_nn_transpose.h"
#include "cmsis_nn/translate.h"
#include "data_movement/copy_long.h"
#include "data_movement/transpose.h"
#include "isa.h"

#include RL_TILE(memory_tile.h)

arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
                               const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad)
{
    const struct rl_pad layer = {rl_image_of(input_size), rl_image_of(pre_pad), rl_image_of(post_pad), pad_value};
    rl_pad_run(&layer, input, output);
    return ARM_CMSIS_NN_SUCCESS;
}

// Tensors of one and two dimensions have a fixed permutation. Any other number of dimensions than 3 counts as 4.
arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *output_data, const cmsis_nn_dims *input_dims,
                                     const cmsis_nn_dims *output_dims,
                                     const cmsis_nn_transpose_params *transpose_params)
{
    (void)output_dims;
    const int32_t count = transpose_params->num_dims;
    if (count == 2) {
        const int32_t rows = input_dims->h, columns = input_dims->n; // of the output
        const struct rl_transpose_plane matrix = {rows, columns, rows, columns};
        if (rows == 1 || columns == 1) {
            rl_copy_s8(output_data, input_data, rows * columns);
        } else {
            rl_transpose_plane_run(&matrix, input_data, output_data);
        }
        return ARM_CMSIS_NN_SUCCESS;
    }
    static const uint32_t unchanged[1] = {0};
    const int32_t sizes[4] = {input_dims->n, input_dims->h, input_dims->w, input_dims->c};
    struct rl_transpose layer; // an initializer would clear what prepare fills in
    layer.rank = count == 1 || count == 3 ? count : 4;
    const uint32_t *permutation = layer.rank > 1 ? transpose_params->permutations : unchanged;
    const enum rl_status status = rl_transpose_axes(&layer, sizes, permutation);
    if (status == RL_OK) {
        rl_transpose_run(&layer, input_data, output_data);
    }
    return rl_status_of(status);
}

void arm_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_x, uint32_t offset_x)
{
    const struct rl_concatenation layer = {(uint32_t)input_y * input_z * input_w, input_x, output_x};
    rl_concatenation_run(&layer, input, output + offset_x);
}

void arm_concatenation_s8_y(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_y, uint32_t offset_y)
{
    const uint32_t inner = input_x;
    const struct rl_concatenation layer = {(uint32_t)input_z * input_w, inner * input_y, inner * output_y};
    rl_concatenation_run(&layer, input, output + offset_y * inner);
}

// Not inlined, because one copy needs no layer.
static __attribute__((noinline)) void concatenate(uint32_t runs, uint32_t run, uint32_t stride, const int8_t *input,
                                                  int8_t *output)
{
    const struct rl_concatenation layer = {runs, run, stride};
    rl_concatenation_run(&layer, input, output);
}

void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint16_t output_z, uint32_t offset_z)
{
    const uint32_t inner = (uint32_t)input_x * input_y;
    const uint32_t count = inner * input_z;
    output += offset_z * inner;
    if (input_w != 1) {
        concatenate(input_w, count, inner * output_z, input, output);
    } else if (RL_HAS_COPY_LONG && count >= RL_COPY_ALONE) {
        rl_copy_long_s8(output, input, (int32_t)count);
    } else {
        rl_copy_s8(output, input, (int32_t)count);
    }
}

void arm_concatenation_s8_w(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
                            int8_t *output, uint32_t offset_w)
{
    const uint32_t inner = (uint32_t)input_x * input_y * input_z;
    const struct rl_concatenation layer = {.runs = 1, .run = inner * input_w};
    rl_concatenation_run(&layer, input, output + offset_w * inner);
}

void arm_reshape_s8(const int8_t *input, int8_t *output, uint32_t total_size)
{
    if (input != output) {
        memcpy(output, input, total_size);
    }
}
