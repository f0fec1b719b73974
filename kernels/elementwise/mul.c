// SPDX-License-Identifier: Apache-2.0
#include "elementwise/elementwise.h"
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include RL_TILE(mul_s16_tile.h)
#include RL_TILE(mul_s8_tile.h)

// Not inlined, because the arguments for few elements would take registers of its loops.
static __attribute__((noinline)) void run_many(const struct rl_mul *layer, const int16_t *a, const int16_t *b,
                                               int16_t *output)
{
    rl_mul_s16_tile(layer, a, b, output);
}

// Elements up to which preparing a loop takes longer than it saves. Helium has one loop for any number.
enum { FEW = RL_HAS_MVE ? 0 : 1 };

void rl_mul_run(const struct rl_mul *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    if (layer->count > FEW) {
        rl_mul_s8_tile(layer, a, b, output);
        return;
    }
    for (int32_t i = layer->count; i > 0; i--) {
        *output++ = rl_mul_s8_one(layer, *a++, *b++);
    }
}

void rl_mul_s16_run(const struct rl_mul *layer, const int16_t *a, const int16_t *b, int16_t *output)
{
    if (RL_HAS_MVE) {
        if (layer->count > 0) { // counts of vector loops have no sign
            rl_mul_s16_tile(layer, a, b, output);
        }
        return;
    }
    if (layer->count > FEW) {
        run_many(layer, a, b, output);
        return;
    }
    for (int32_t i = layer->count; i > 0; i--) {
        *output++ = rl_mul_s16_one(layer, *a++, *b++);
    }
}

void rl_mul_add_s16_run(const struct rl_mul *layer, const int16_t *a, const int16_t *b, int16_t *output)
{
    rl_mul_accumulate_s16_tile(layer, a, b, output);
}
