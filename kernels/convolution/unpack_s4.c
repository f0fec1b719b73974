// SPDX-License-Identifier: Apache-2.0
#include "convolution/unpack_s4.h"

#include "isa.h"
#include RL_TILE(unpack_s4_tile.h)

static int8_t lower(int8_t byte)
{
    return (int8_t)((int8_t)((uint32_t)byte << 4) >> 4);
}

static int8_t upper(int8_t byte)
{
    return (int8_t)(byte >> 4);
}

void rl_unpack_s4(const int8_t *packed, int32_t first, int32_t count, int8_t *weights)
{
    packed += first >> 1;
    if ((first & 1) != 0 && count > 0) {
        *weights++ = upper(*packed++);
        count--;
    }
    const int32_t done = rl_unpack_s4_many(packed, count, weights);
    packed += done / 2;
    weights += done;
    count -= done;
    for (; count >= 2; count -= 2) {
        const int8_t byte = *packed++;
        *weights++ = lower(byte);
        *weights++ = upper(byte);
    }
    if (count > 0) {
        *weights = lower(*packed);
    }
}
