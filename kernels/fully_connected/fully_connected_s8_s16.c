// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/fully_connected.h"

#include RL_TILE(dot_tile.h)
#include RL_TILE(row_sums_tile.h)

// Channels whose sums are on the stack together. Small code has no blocks of rows.
enum { CHANNELS = RL_SMALL ? 1 : 64 };

static void find_outputs(const struct rl_fully_connected *f, const int8_t *input, int32_t first, int32_t count,
                         int32_t *sums, int16_t *output)
{
    if (RL_SMALL) {
        *sums = f->bias[first] + rl_dot_s8_s8(input, 0, f->weights + (ptrdiff_t)first * f->depth, f->depth);
        rl_store_s16(sums, f->scales.multiplier + first, f->scales.shift + first, count, output);
    } else {
        rl_row_outputs_s16(f, input, first, count, sums, output);
    }
}

void rl_fully_connected_s8_s16_run(const struct rl_fully_connected *layer, const int8_t *input, int16_t *output)
{
    int32_t sums[CHANNELS];
    for (int32_t rows = layer->rows; rows > 0; rows--, input += layer->depth, output += layer->channels) {
        for (int32_t first = 0; first < layer->channels; first += CHANNELS) {
            const int32_t count = rl_min_s32(layer->channels - first, CHANNELS);
            find_outputs(layer, input, first, count, sums, output + first);
        }
    }
}
