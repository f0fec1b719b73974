// SPDX-License-Identifier: Apache-2.0
#include "convolution/prepacked.h"

#include "convolution/convolution.h"
#include "dsp/interleaved_bytes.h"
#include "elementwise/rescale.h"

// A sum of products with int8 inputs stays within 24 bits if the magnitudes of the weights add up to less.
enum { MOST_WEIGHT = 1 << 16 };

bool rl_convolution_scales_fit(const struct rl_convolution *c)
{
    return rl_rescale_fits_all(c->output_offset, c->scales, c->folded, INT32_C(1) << 28, c->output.c);
}

static bool filter_fits(const int8_t *filter, int32_t depth)
{
    int32_t weight = 0;
    for (int32_t k = 0; k < depth && weight < MOST_WEIGHT; k++) {
        weight += filter[k] < 0 ? -filter[k] : filter[k];
    }
    return weight < MOST_WEIGHT;
}

bool rl_convolution_prepacks(const struct rl_convolution *c, enum rl_isa isa)
{
    struct rl_convolution prepacked = *c;
    prepacked.type = RL_CONVOLUTION_PREPACKED;
    if (isa != RL_ISA_DSP || c->type != RL_CONVOLUTION_S8 || rl_convolution_prepare(&prepacked) != RL_OK) {
        return false;
    }
    const int32_t depth = rl_convolution_depth(&prepacked);
    for (int32_t i = 1; i < c->output.c; i += 2) {
        if (!filter_fits(c->weights + (ptrdiff_t)i * depth, depth)) {
            return false;
        }
    }
    return rl_convolution_is_pixel(&prepacked) || (int64_t)c->input.n * c->output.h * c->output.w > 1;
}

bool rl_convolution_prelu_pays(const struct rl_convolution *c, enum rl_isa isa)
{
    enum { FEW = 2 }; // outputs that convolutions run as rows of a fully connected layer
    if (c->type != RL_CONVOLUTION_S8 || c->groups != 1 || c->input.n * c->output.h * c->output.w <= FEW) {
        return false;
    }
    switch (isa) {
    case RL_ISA_DSP:
        return rl_convolution_depth(c) <= RL_CONVOLUTION_PRELU_DEPTH && rl_convolution_prepacks(c, isa);
    case RL_ISA_ANY:
        return rl_interleaved_prelu_blocks(c, false).channels > 0 && rl_interleaved_prelu_blocks(c, true).channels > 0;
    default:
        return true;
    }
}

void rl_convolution_prepack(const struct rl_convolution *c, int8_t *weights)
{
    rl_prepack(c->weights, c->output.c, rl_convolution_depth(c), weights);
}

void rl_prepack(const int8_t *weights, int32_t channels, int32_t depth, int8_t *packed)
{
    for (int32_t i = 0; i < channels; i++, weights += depth) {
        const int32_t filter = i % RL_PREPACKED_GROUP;
        int8_t *group = packed + (ptrdiff_t)(i - filter) * depth;
        for (int32_t k = 0; k < depth; k++) {
            group[rl_prepacked_place(depth, filter, k)] = rl_prepacked_byte(weights[k], filter);
        }
    }
}

void rl_spread_prepacked(const int8_t *packed, int32_t depth, int32_t first, int32_t count, int8_t *weights)
{
    int32_t channel = first / depth, k = first % depth;
    for (; count > 0; count--) {
        const int32_t filter = channel % RL_PREPACKED_GROUP;
        const int8_t *group = packed + (ptrdiff_t)(channel - filter) * depth;
        *weights++ = rl_prepacked_byte(group[rl_prepacked_place(depth, filter, k)], filter);
        if (++k == depth) {
            channel++;
            k = 0;
        }
    }
}
