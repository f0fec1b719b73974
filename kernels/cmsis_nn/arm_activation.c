// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/activation.h"

#include "arm_nn_activation.h"
#include "isa.h"
#include RL_TILE(extremum_s8_tile.h)

void arm_relu_q7(int8_t *data, uint16_t size)
{
    rl_clamp_s8(data, 0, INT8_MAX, data, size);
}

void arm_relu6_s8(int8_t *data, uint16_t size)
{
    rl_clamp_s8(data, 0, 6, data, size);
}

void arm_relu_q15(int16_t *data, uint16_t size)
{
    const struct rl_limit layer = {.range = {0, INT16_MAX}, .count = size};
    rl_limit_s16_run(&layer, data, data);
}

arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, int32_t size, int32_t left_shift,
                                          arm_nn_activation_type type)
{
    const struct rl_sigmoid layer = {.is_tanh = type != ARM_SIGMOID, .left_shift = left_shift, .count = size};
    rl_sigmoid_s16_run(&layer, input, output);
    return ARM_CMSIS_NN_SUCCESS;
}
