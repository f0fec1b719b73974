// SPDX-License-Identifier: Apache-2.0
// A table of all int8 values.
#ifndef RL_KERNELS_SCALAR_TABLE_S8_TILE_H
#define RL_KERNELS_SCALAR_TABLE_S8_TILE_H

#include <stdint.h>

#include "isa.h"
#include RL_TILE(packed_s8_tile.h)

// The results of the four bytes of a word, whose highest bits are turned, as a word. The loads follow each other, which
// saves cycles on a Cortex-M4.
static inline uint32_t rl_table_of_4(const uint8_t *results, uint32_t places)
{
    uint32_t a = results[places & 0xff], b = results[places >> 8 & 0xff];
    uint32_t c = results[places >> 16 & 0xff], d = results[places >> 24];
    RL_KEEP("+r"(a), "+r"(b), "+r"(c), "+r"(d));
    return a | b << 8 | c << 16 | d << 24;
}

// output[i] = results[input[i] + 128] for i < count. In place is allowed.
static inline void rl_table_s8_tile(const int8_t *results, const int8_t *input, int8_t *output, int32_t count)
{
    const uint8_t *const bytes = (const uint8_t *)results;
    const uint32_t turned = UINT32_C(0x80808080);
    if (!RL_SMALL && rl_words_allowed((uintptr_t)input | (uintptr_t)output)) {
        for (; count >= 4; count -= 4, input += 4, output += 4) {
            rl_store_s8x4(output, rl_table_of_4(bytes, rl_load_s8x4(input) ^ turned));
        }
    }
    for (; count > 0; count--) {
        *output++ = results[*input++ - INT8_MIN];
    }
}

#endif
