// SPDX-License-Identifier: Apache-2.0
#include "convolution/prepacked.h"
#include "fully_connected/fully_connected.h"
#include "fully_connected/store_s16.h"

#include RL_TILE(prepacked_row_tile.h)

enum {
    CHANNELS = 128,      // the most channels whose sums are on the stack together
    FEWEST_WEIGHTS = 20, // fewer take less time in their usual order
};

bool rl_fully_connected_fits_prepacked(const struct rl_fully_connected *f)
{
    return f->weight_offset == 0 && f->channels > 0 && f->channels % RL_PREPACKED_GROUP == 0 && f->depth >= 4;
}

bool rl_fully_connected_prepacks(const struct rl_fully_connected *f, enum rl_isa isa)
{
    return isa == RL_ISA_DSP && rl_fully_connected_fits_prepacked(f) && f->channels * f->depth >= FEWEST_WEIGHTS;
}

void rl_fully_connected_prepack(const struct rl_fully_connected *f, int8_t *weights)
{
    rl_prepack(f->weights, f->channels, f->depth, weights);
}

void rl_fully_connected_prepacked_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    int32_t sums[rl_min_s32(f->channels, CHANNELS)];
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth) {
        for (int32_t first = 0; first < f->channels; first += CHANNELS) {
            const int32_t count = rl_min_s32(f->channels - first, CHANNELS);
            rl_prepacked_sums(f, input, first, count, sums);
            rl_prepacked_store(f, sums, first, count, output);
            output += count;
        }
    }
}

void rl_fully_connected_prepacked_s16_run(const struct rl_fully_connected *f, const int8_t *input, int16_t *output)
{
    int32_t sums[rl_min_s32(f->channels, CHANNELS)];
    for (int32_t rows = f->rows; rows > 0; rows--, input += f->depth) {
        for (int32_t first = 0; first < f->channels; first += CHANNELS) {
            const int32_t count = rl_min_s32(f->channels - first, CHANNELS);
            rl_prepacked_sums(f, input, first, count, sums);
            rl_store_s16(sums, f->scales.multiplier + first, f->scales.shift + first, count, output);
            output += count;
        }
    }
}
