// SPDX-License-Identifier: Apache-2.0
// Convolutions with prepacked weights and one output position, which are fully connected layers with a scale for each
// channel. A file of its own, so that other programs with prepacked weights do not hold these loops.
#include "convolution/convolution.h"
#include "fully_connected/fully_connected.h"
#include "isa.h"

#include RL_TILE(prepacked_row_tile.h)

enum { CHANNELS = 128 }; // the most channels whose sums are on the stack together

// A pixel that strides pick from an image is not dense in small code.
bool rl_convolution_is_pixel(const struct rl_convolution *c)
{
    return rl_convolution_outputs(c) == 1 && c->groups == 1 && (c->dense || c->path == RL_CONVOLUTION_POINTWISE);
}

void rl_convolution_prepacked_pixel_run(const struct rl_convolution *c, const int8_t *input, int8_t *output)
{
    struct rl_fully_connected f = {
        .rows = 1,
        .depth = rl_convolution_depth(c),
        .channels = c->output.c,
        .weights = c->weights,
        .folded = c->folded,
        .scales = c->scales,
        .output_offset = c->output_offset,
        .range = c->range,
    };
    rl_fully_connected_begin(&f);
    int32_t sums[rl_min_s32(f.channels, CHANNELS)];
    for (int32_t first = 0; first < f.channels; first += CHANNELS) {
        const int32_t count = rl_min_s32(f.channels - first, CHANNELS);
        rl_prepacked_sums(&f, input, first, count, sums);
        rl_prepacked_store_fitting(&f, sums, first, count, output + first);
    }
}
