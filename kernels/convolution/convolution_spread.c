// SPDX-License-Identifier: Apache-2.0
// Weights that are not int8 in the usual order. Those of a few channels at a time are spread to that order, and the
// int8 convolution runs on those channels: spreading costs little, because each weight is used for every output
// position.
#include "convolution/spread.h"

#include "convolution/convolution.h"
#include "convolution/prepacked.h"
#include "convolution/unpack_s4.h"
#include "convolution/winograd.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)

enum {
    // For spread filters, and for patches that have no scratch. Hosts have larger stacks.
    SPREAD_BYTES = RL_HAS_VECTORS            ? 65536
                   : RL_HAS_MVE || !RL_SMALL ? 2304
                                             : 1024,
    SLOW_BLOCK = 256, // weights spread at a time if a filter does not fit
};

// Spreads `count` weights from number `first` on.
static void spread_weights(const struct rl_convolution *c, int32_t first, int32_t count, int8_t *weights)
{
    if (c->type == RL_CONVOLUTION_S4) {
        rl_unpack_s4(c->weights, first, count, weights);
    } else if (c->type == RL_CONVOLUTION_WINOGRAD) {
        rl_spread_winograd((const int16_t *)(const void *)c->weights, c->input.c, first, count, weights);
    } else {
        rl_spread_prepacked(c->weights, rl_convolution_depth(c), first, count, weights);
    }
}

// The number of int8 filters that fit in `bytes`. It is 1 or even, because tiles take pairs.
static int32_t filters_in(int32_t bytes, int32_t depth)
{
    const int32_t filters = rl_min_s32(bytes / rl_max_s32(depth, 1), RL_CHANNEL_BLOCK);
    return filters > 1 ? filters & ~1 : filters;
}

// The products of one pixel, NULL for padding, with the weights of a tap from number `first` on. A folded bias counts
// the input offset for all taps.
static int32_t tap_sum(const struct rl_convolution *c, const int8_t *pixel, int32_t first)
{
    int32_t sum = 0;
    for (int32_t at = 0; at < c->input.c && (pixel || c->folded); at += SLOW_BLOCK) {
        int8_t weights[SLOW_BLOCK];
        const int32_t count = rl_min_s32(c->input.c - at, SLOW_BLOCK);
        spread_weights(c, first + at, count, weights);
        if (pixel) {
            sum += rl_dot_s8_s8(pixel + at, c->folded ? 0 : c->input_offset, weights, count);
        } else {
            sum -= c->input_offset * rl_sum_of_s8(weights, count);
        }
    }
    return sum;
}

// Computes the sum of one output without a patch, tap by tap. Weights are spread in blocks.
static int32_t slow_sum(const struct rl_convolution *c, const int8_t *image, int32_t y, int32_t x, int32_t channel)
{
    const int32_t pixel = c->input.c;
    int32_t weight = channel * rl_convolution_depth(c);
    const int32_t *biases = c->folded ? c->folded : c->bias;
    int32_t sum = biases ? biases[channel] : 0;
    for (int32_t ky = 0; ky < c->filter.h; ky++) {
        const int32_t row = y * c->stride.h - c->padding.h + ky * c->dilation.h;
        for (int32_t kx = 0; kx < c->filter.w; kx++, weight += pixel) {
            const int32_t column = x * c->stride.w - c->padding.w + kx * c->dilation.w;
            const bool inside = row >= 0 && row < c->input.h && column >= 0 && column < c->input.w;
            const int8_t *input = inside ? image + ((ptrdiff_t)row * c->input.w + column) * pixel : NULL;
            sum += tap_sum(c, input, weight);
        }
    }
    return sum;
}

static void run_slowly(const struct rl_convolution *c, const int8_t *image, int8_t *output)
{
    for (int32_t batch = 0; batch < c->input.n; batch++) {
        for (int32_t y = 0; y < c->output.h; y++) {
            for (int32_t x = 0; x < c->output.w; x++) {
                for (int32_t channel = 0; channel < c->output.c; channel++) {
                    const int32_t sum = slow_sum(c, image, y, x, channel);
                    const int32_t scaled = rl_requantize(sum, c->scales.multiplier[channel], c->scales.shift[channel]);
                    *output++ = rl_output_s8(scaled, c->output_offset, c->range.min, c->range.max);
                }
            }
        }
        image += (ptrdiff_t)c->input.h * c->input.w * c->input.c;
    }
}

// Runs the channels in parts. The spread filters of a part fit into the rest of SPREAD_BYTES that patches leave.
void rl_convolution_run_spread(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), patches = RL_PATCHES * depth;
    const bool copies = !c->dense && c->path != RL_CONVOLUTION_POINTWISE;
    const int32_t patch_bytes = copies && scratch.bytes < patches ? patches : 0;
    const int32_t block = filters_in(SPREAD_BYTES - patch_bytes, depth);
    if (block < 1) {
        run_slowly(c, input, output);
        return;
    }
    const int32_t bytes = rl_convolution_memory(depth, block), more = copies ? rl_convolution_more_bytes(depth) : 0;
    uint64_t stack[(uint32_t)(bytes + SPREAD_BYTES + more + 7) / 8];
    int8_t *spread = (int8_t *)stack + bytes;
    const struct rl_convolution_state s = {
        .layer = c,
        .spread = spread + patch_bytes,
        .patches = patch_bytes > 0 ? spread : scratch.memory,
        .more_patches = more > 0 ? bytes + SPREAD_BYTES : 0,
        .block = block,
        .matmul = (struct rl_matmul *)(void *)stack,
    };
    for (int32_t first = 0; first < c->output.c; first += block) {
        const int32_t count = rl_min_s32(block, c->output.c - first);
        spread_weights(c, first * depth, count * depth, spread + patch_bytes);
        (void)rl_convolution_channels(&s, first, c->output.c);
        rl_convolution_run_block(&s, input, output + first);
    }
}

void rl_convolution_s4_run(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                           struct rl_scratch scratch)
{
    rl_convolution_run_spread(c, input, output, scratch);
}
