// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "pooling/window.h"
#include "rushlight/kernels/pooling.h"
#include RL_TILE(scaled_average_s8_tile.h)

static void tile(const struct rl_pool_window *window, const void *input, void *output)
{
    rl_scaled_average_s8_tile(window, input, output);
}

void rl_scaled_average_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output)
{
    rl_pool_each_window(layer, sizeof *input, tile, input, output);
}
