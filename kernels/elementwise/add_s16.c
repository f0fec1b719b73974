// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_elementwise.h"
#include "isa.h"
#include RL_TILE(add_s16_tile.h)

arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                            int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                            int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult,
                                            int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                            int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    const struct rl_add add = {
        .input = {{0, input_1_mult, input_1_shift}, {0, input_2_mult, input_2_shift}},
        .left_shift = left_shift,
        .output = {0, out_mult, out_shift},
        .min = out_activation_min,
        .max = out_activation_max,
    };
    rl_add_s16_tile(&add, input_1_vect, input_2_vect, output, block_size);
    return ARM_CMSIS_NN_SUCCESS;
}
