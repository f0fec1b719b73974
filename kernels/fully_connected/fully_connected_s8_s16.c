// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/fully_connected.h"

#include RL_TILE(row_sums_tile.h)

// Channels whose sums are on the stack together.
enum { CHANNELS = 64 };

static void run_row(const struct rl_fully_connected *f, const int8_t *input, int16_t *output)
{
    int32_t sums[CHANNELS];
    for (int32_t first = 0; first < f->channels; first += CHANNELS) {
        const int32_t count = rl_min_s32(f->channels - first, CHANNELS);
        rl_row_sums(f, input, first, count, sums);
        rl_store_s16(sums, f->scales.multiplier + first, f->scales.shift + first, count, output + first);
    }
}

void rl_fully_connected_s8_s16_run(const struct rl_fully_connected *layer, const int8_t *input, int16_t *output)
{
    for (int32_t rows = layer->rows; rows > 0; rows--, input += layer->depth, output += layer->channels) {
        run_row(layer, input, output);
    }
}
