// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_elementwise.h"
#include "isa.h"
#include RL_TILE(mul_s16_tile.h)

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                            int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                            int32_t out_activation_min, int32_t out_activation_max, int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    const struct rl_mul_s16 mul = {out_mult, out_shift, out_activation_min, out_activation_max};
    rl_mul_s16_tile(&mul, input_1_vect, input_2_vect, output, block_size);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_acc_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                                int32_t input_1_offset, int32_t input_2_offset, int16_t *output,
                                                int32_t out_offset, int32_t out_mult, int32_t out_shift,
                                                int32_t out_activation_min, int32_t out_activation_max,
                                                int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    struct rl_mul_s16 mul = {out_mult, out_shift, INT16_MIN, INT16_MAX};
    if (out_activation_max > 0) {
        mul.min = out_activation_min;
        mul.max = out_activation_max;
    }
    rl_mul_accumulate_s16_tile(&mul, input_1_vect, input_2_vect, output, block_size);
    return ARM_CMSIS_NN_SUCCESS;
}
