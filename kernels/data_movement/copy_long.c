// SPDX-License-Identifier: Apache-2.0
#include "data_movement/copy_long.h"

#include <stdint.h>

#include "scalar/copy_blocks.h"
#include "scalar/copy_lines.h"
#include RL_TILE(memory_tile.h)

__attribute__((noinline)) void rl_copy_long_s8(int8_t *to, const int8_t *from, int32_t count)
{
    if (RL_HAS_THUMB2_LOOP && !RL_SMALL) {
        rl_copy_lines_last(to, from, count);
    } else {
        if (RL_HAS_COPY_BLOCKS && count >= RL_COPY_BLOCK && (((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
            const int32_t blocks = count / RL_COPY_BLOCK;
            rl_copy_blocks_s8(to, from, blocks);
            to += blocks * RL_COPY_BLOCK;
            from += blocks * RL_COPY_BLOCK;
            count -= blocks * RL_COPY_BLOCK;
        }
        rl_copy_s8(to, from, count);
    }
}
