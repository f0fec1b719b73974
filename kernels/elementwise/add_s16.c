// SPDX-License-Identifier: Apache-2.0
#include "elementwise/elementwise.h"
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include RL_TILE(add_s16_tile.h)

// Elements up to which preparing a loop takes longer than it saves.
enum { FEW = RL_HAS_MVE ? 0 : 5 };

// Not inlined, because the arguments for few elements would take registers of its loops.
static __attribute__((noinline)) void run_many(const struct rl_add *layer, const int16_t *a, const int16_t *b,
                                               int16_t *output)
{
    rl_add_s16_tile(layer, a, b, output);
}

void rl_add_s16_run(const struct rl_add *layer, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (layer->count > FEW) {
        run_many(layer, a, b, output);
        return;
    }
    for (int32_t i = layer->count; i > 0; i--) {
        *output++ = (int16_t)rl_add_one(layer, *a++, *b++);
    }
}
