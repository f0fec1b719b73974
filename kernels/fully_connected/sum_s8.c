// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/sum_s8.h"

#include "isa.h"

#include RL_TILE(matmul_tile.h)

int32_t rl_sum_of_s8(const int8_t *values, int32_t count)
{
    return rl_sum_s8(values, count);
}

void rl_sums_of_s8(const int8_t *values, int32_t count, int32_t rows, int32_t *sums)
{
#if RL_HAS_MVE
    for (; rows >= 4; rows -= 4, values += 4 * count, sums += 4) {
        rl_four_sums_s8(values, count, sums);
    }
#endif
    for (; rows > 0; rows--, values += count) {
        *sums++ = rl_sum_s8(values, count);
    }
}
