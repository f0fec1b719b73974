// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_elementwise.h"
#include "isa.h"
#include RL_TILE(mul_s8_tile.h)

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_2_offset, int8_t *output,
                                           int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                           int32_t out_activation_min, int32_t out_activation_max, int32_t block_size)
{
    const struct rl_mul_s8 mul = {
        .offset = {input_1_offset, input_2_offset},
        .output = {out_offset, out_mult, out_shift},
        .min = out_activation_min,
        .max = out_activation_max,
    };
    rl_mul_s8_tile(&mul, input_1_vect, input_2_vect, output, block_size);
    return ARM_CMSIS_NN_SUCCESS;
}
