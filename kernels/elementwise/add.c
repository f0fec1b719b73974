// SPDX-License-Identifier: Apache-2.0
#include "elementwise/elementwise.h"
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include "scratch.h"
#include RL_TILE(add_s8_tile.h)

// Elements up to which preparing a loop takes longer than it saves.
enum { FEW = RL_HAS_MVE || RL_SMALL ? 0 : 2 };

// Not inlined, because a loop would compute what depends on the layer ahead.
static __attribute__((noinline)) int8_t add_one(const struct rl_add *layer, int32_t a, int32_t b)
{
    return (int8_t)rl_add_one(layer, a, b);
}

void rl_add_run(const struct rl_add *layer, const int8_t *a, const int8_t *b, int8_t *output, struct rl_scratch scratch)
{
    if (layer->count > FEW) {
        rl_add_s8_tile(layer, a, b, output, rl_scratch_rest(scratch, 0));
        return;
    }
    for (int32_t i = layer->count; i > 0; i--) {
        *output++ = add_one(layer, *a++, *b++);
    }
}
