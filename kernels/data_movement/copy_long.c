// SPDX-License-Identifier: Apache-2.0
#include "data_movement/copy_long.h"

#include <stdint.h>

#include "scalar/copy_lines.h"
#include RL_TILE(memory_tile.h)

void rl_copy_long_s8(int8_t *to, const int8_t *from, int32_t count)
{
    const int32_t lines = count / RL_COPY_LINE;
    if (RL_HAS_THUMB2_LOOP && !RL_SMALL && (((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
        rl_copy_lines_s8(to, from, lines);
        to += lines * RL_COPY_LINE;
        from += lines * RL_COPY_LINE;
        count -= lines * RL_COPY_LINE;
        if (count == 0) {
            return;
        }
    }
    rl_copy_s8(to, from, count);
}
