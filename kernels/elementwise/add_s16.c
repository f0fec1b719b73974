// SPDX-License-Identifier: Apache-2.0
#include "elementwise/elementwise.h"
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include RL_TILE(add_s16_tile.h)

// Elements up to which preparing a loop takes longer than it saves.
enum { FEW = RL_HAS_MVE || RL_SMALL ? 0 : 2 };

// Not inlined, because a loop would compute what depends on the layer ahead.
static __attribute__((noinline)) int16_t add_one(const struct rl_add *layer, int32_t a, int32_t b)
{
    return (int16_t)rl_add_one(layer, a, b);
}

// Not inlined, because the arguments for few elements would take registers of its loops.
static __attribute__((noinline)) void run_many(const struct rl_add *layer, const int16_t *a, const int16_t *b,
                                               int16_t *output)
{
    rl_add_s16_tile(layer, a, b, output);
}

void rl_add_s16_run(const struct rl_add *layer, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (RL_HAS_MVE) {
        if (layer->count > 0) { // counts of vector loops have no sign
            rl_add_s16_tile(layer, a, b, output);
        }
        return;
    }
    if (layer->count > FEW) {
        run_many(layer, a, b, output);
        return;
    }
    for (int32_t i = layer->count; i > 0; i--) {
        *output++ = add_one(layer, *a++, *b++);
    }
}
