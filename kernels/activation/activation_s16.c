// SPDX-License-Identifier: Apache-2.0
#include "activation/activation_s16.h"

#include "arm_nn_activation.h"
#include "isa.h"
#include RL_TILE(activation_s16_tile.h)

arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, int32_t size, int32_t left_shift,
                                          arm_nn_activation_type type)
{
    const int32_t left = rl_clamp_s32(left_shift, 0, 31), right = rl_clamp_s32(-left_shift, 0, 31);
    const struct rl_activation_input scale = {
        .multiplier = rl_shift_left_s32(3, left),
        .rounding = right > 0 ? INT32_C(1) << (right - 1) : 0,
        .right_shift = right,
    };
    if (type == ARM_SIGMOID) {
        rl_sigmoid_s16_tile(scale, input, output, size);
    } else {
        rl_tanh_s16_tile(scale, input, output, size);
    }
    return ARM_CMSIS_NN_SUCCESS;
}
