// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"
#include "convolution/unpack_s4.h"
#include "requantize.h"

enum { SPREAD = 64 }; // int4 weights that are spread at a time

static int32_t folded_s4(const struct rl_convolution *c, int32_t channel, int32_t depth)
{
    int32_t folded = c->bias ? c->bias[channel] : 0;
    for (int32_t at = 0; at < depth; at += SPREAD) {
        int8_t weights[SPREAD];
        const int32_t count = rl_min_s32(depth - at, SPREAD);
        rl_unpack_s4(c->weights, channel * depth + at, count, weights);
        folded += c->input_offset * rl_sum_of_s8(weights, count);
    }
    return folded;
}

void rl_convolution_fold(const struct rl_convolution *c, int32_t *folded)
{
    const int32_t depth = rl_convolution_depth(c);
    for (int32_t i = 0; i < c->output.c; i++) {
        folded[i] = c->type == RL_CONVOLUTION_S4
                        ? folded_s4(c, i, depth)
                        : rl_convolution_folded(c, i, c->weights + (ptrdiff_t)i * depth, depth);
    }
}
