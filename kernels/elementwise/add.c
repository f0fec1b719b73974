// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include "scratch.h"
#include RL_TILE(add_s8_tile.h)

void rl_add_run(const struct rl_add *layer, const int8_t *a, const int8_t *b, int8_t *output, struct rl_scratch scratch)
{
    rl_add_s8_tile(layer, a, b, output, rl_scratch_rest(scratch, 0));
}
