// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/activation.h"
#include RL_TILE(extremum_s8_tile.h)
#include RL_TILE(table_s8_tile.h)

void rl_table_run(const struct rl_table *layer, const int8_t *input, int8_t *output)
{
    rl_table_s8_tile(layer->results, input, output, layer->count);
}

void rl_table_s16_run(const struct rl_table_s16 *layer, const int8_t *input, int16_t *output)
{
    const int16_t *results = layer->results - INT8_MIN;
    const int32_t count = layer->count;
    for (int32_t i = 0; i < count; i++) {
        output[i] = results[input[i]];
    }
}

void rl_limit_run(const struct rl_limit *layer, const int8_t *input, int8_t *output)
{
    rl_clamp_s8(input, (int8_t)layer->range.min, (int8_t)layer->range.max, output, layer->count);
}
