// SPDX-License-Identifier: Apache-2.0
#include "data_movement/copy_long.h"

#include <stdint.h>

#include "scalar/copy_lines.h"
#include RL_TILE(memory_tile.h)

__attribute__((noinline)) void rl_copy_long_s8(int8_t *to, const int8_t *from, int32_t count)
{
    if (RL_HAS_THUMB2_LOOP && !RL_SMALL) {
        rl_copy_lines_last(to, from, count);
    } else {
        rl_copy_s8(to, from, count);
    }
}
