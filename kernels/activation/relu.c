// SPDX-License-Identifier: Apache-2.0
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
    for (uint32_t i = 0; i < size; i++) {
        data[i] = data[i] > 0 ? data[i] : 0;
    }
}
