// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/sum_s8.h"

#include "isa.h"

#include RL_TILE(matmul_tile.h)

int32_t rl_sum_of_s8(const int8_t *values, int32_t count)
{
    return rl_sum_s8(values, count);
}
