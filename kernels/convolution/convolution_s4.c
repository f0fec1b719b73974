// SPDX-License-Identifier: Apache-2.0
// Weights of a few channels at a time are spread to int8, and the int8 convolution runs on those channels: spreading
// costs little, because each weight is used for every output position.
#include "convolution/convolution_s4.h"

#include "convolution/unpack_s4.h"
#include "isa.h"
#include RL_TILE(dot_tile.h)

enum {
    SPREAD_BYTES = RL_HAS_MVE ? 2304 : 1024, // for spread filters, and for patches where there is no scratch for them
    SLOW_BLOCK = 256,                        // weights at a time where a filter does not fit
};

// How many filters of int8 fit in `bytes`; an even number where there are several, because tiles take pairs.
static int32_t filters_in(int32_t bytes, int32_t depth)
{
    const int32_t filters = rl_min_s32(bytes / rl_max_s32(depth, 1), RL_CHANNEL_BLOCK);
    return filters > 1 ? filters & ~1 : filters;
}

// The channels [first, first + count) of a convolution, as one of its own.
struct part {
    struct rl_convolution c;
    cmsis_nn_per_channel_quant_params quant;
};

static int32_t depth_of(const struct rl_convolution *c)
{
    return c->filter_dims->h * c->filter_dims->w * c->input_dims->c;
}

// Spreads the weights of the part to `filters` and prepares its product. The part must stay where it is.
static void start_part(struct part *part, const struct rl_convolution *c, int32_t first, int32_t count, int8_t *filters)
{
    const int32_t depth = depth_of(c);
    rl_unpack_s4(c->filter, first * depth, count * depth, filters);
    part->c = *c;
    part->quant = (cmsis_nn_per_channel_quant_params){c->quant->multiplier + first, c->quant->shift + first};
    part->c.quant = &part->quant;
    part->c.filter = filters;
    part->c.bias = c->bias ? c->bias + first : NULL;
    (void)rl_convolution_channels(&part->c, 0, count);
}

// The sum of one output without a patch: tap by tap, weights spread in blocks.
static int32_t slow_sum(const struct rl_convolution *c, const int8_t *image, int32_t y, int32_t x, int32_t channel)
{
    const int32_t pixel = c->input_dims->c;
    int32_t weight = channel * depth_of(c);
    int32_t sum = c->bias ? c->bias[channel] : 0;
    for (int32_t ky = 0; ky < c->filter_dims->h; ky++) {
        const int32_t row = y * c->params->stride.h - c->params->padding.h + ky * c->params->dilation.h;
        for (int32_t kx = 0; kx < c->filter_dims->w; kx++, weight += pixel) {
            const int32_t column = x * c->params->stride.w - c->params->padding.w + kx * c->params->dilation.w;
            if (row < 0 || row >= c->input_dims->h || column < 0 || column >= c->input_dims->w) {
                continue;
            }
            const int8_t *input = image + ((ptrdiff_t)row * c->input_dims->w + column) * pixel;
            for (int32_t at = 0; at < pixel; at += SLOW_BLOCK) {
                int8_t weights[SLOW_BLOCK];
                const int32_t count = rl_min_s32(pixel - at, SLOW_BLOCK);
                rl_unpack_s4(c->filter, weight + at, count, weights);
                sum += rl_dot_s8_s8(input + at, c->params->input_offset, weights, count);
            }
        }
    }
    return sum;
}

static void run_slowly(const struct rl_convolution *c)
{
    const int8_t *image = c->input;
    int8_t *output = c->output;
    for (int32_t batch = 0; batch < c->input_dims->n; batch++) {
        for (int32_t y = 0; y < c->output_dims->h; y++) {
            for (int32_t x = 0; x < c->output_dims->w; x++) {
                for (int32_t channel = 0; channel < c->output_dims->c; channel++) {
                    const int32_t sum = slow_sum(c, image, y, x, channel);
                    const int32_t scaled = rl_requantize(sum, c->quant->multiplier[channel], c->quant->shift[channel]);
                    *output++ = (int8_t)rl_clamp_s32(scaled + c->params->output_offset, c->params->activation.min,
                                                     c->params->activation.max);
                }
            }
        }
        image += (ptrdiff_t)c->input_dims->h * c->input_dims->w * c->input_dims->c;
    }
}

// The channels in parts, of which filters fit into what the patches leave of SPREAD_BYTES: false if none does.
static bool run_parts(struct rl_convolution *c, bool pointwise)
{
    const int32_t depth = depth_of(c);
    const bool needs_patches = !pointwise && !c->scratch;
    const int32_t patch_bytes = needs_patches ? RL_PATCHES * depth : 0;
    c->block = filters_in(SPREAD_BYTES - patch_bytes, depth);
    if (c->block < 1) {
        return false;
    }
    const int32_t bytes = rl_convolution_memory(depth, c->block);
    uint64_t stack[(uint32_t)(bytes + SPREAD_BYTES + 7) / 8];
    int8_t *spread = (int8_t *)stack + bytes;
    c->matmul = (struct rl_matmul *)(void *)stack;
    c->scratch = needs_patches ? spread : c->scratch;
    for (int32_t first = 0; first < c->output_dims->c; first += c->block) {
        const int32_t count = rl_min_s32(c->block, c->output_dims->c - first);
        struct part part;
        start_part(&part, c, first, count, spread + patch_bytes);
        if (pointwise) {
            rl_convolution_run_channels_1x1(&part.c, c->output + first);
        } else {
            rl_convolution_run_channels(&part.c, c->input, c->output + first);
        }
    }
    return true;
}

void rl_convolution_s4_run(struct rl_convolution *c)
{
    if (!run_parts(c, false)) {
        run_slowly(c);
    }
}

void rl_convolution_s4_run_1x1(struct rl_convolution *c)
{
    if (!run_parts(c, true)) {
        run_slowly(c);
    }
}
