// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "pooling/window.h"
#include "rushlight/kernels/pooling.h"
#include RL_TILE(maximum_s16_tile.h)
#include RL_TILE(maximum_s8_tile.h)

static void tile_s8(const struct rl_pool_window *window, const void *input, void *output)
{
    rl_maximum_s8_tile(window, input, output);
}

static void tile_s16(const struct rl_pool_window *window, const void *input, void *output)
{
    rl_maximum_s16_tile(window, input, output);
}

void rl_maximum_pool_run(const struct rl_pool *layer, const int8_t *input, int8_t *output)
{
    rl_pool_each_window(layer, sizeof *input, tile_s8, input, output);
}

void rl_maximum_pool_s16_run(const struct rl_pool *layer, const int16_t *input, int16_t *output)
{
    rl_pool_each_window(layer, sizeof *input, tile_s16, (const int8_t *)input, (int8_t *)output);
}
