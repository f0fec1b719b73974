// SPDX-License-Identifier: Apache-2.0
// The depthwise convolution with int4 weights: the filter is spread to int8 once, and the int8 kernel runs.
#include <stddef.h>

#include "convolution/unpack_s4.h"
#include "depthwise/depthwise.h"
#include "scratch.h"

enum { STACK_BYTES = 1024 }; // for weights

static int32_t weight_at(const int8_t *packed, int32_t index)
{
    int8_t weight;
    rl_unpack_s4(packed, index, 1, &weight);
    return weight;
}

// The place of the next weight: see read_weight.
struct weight_walk {
    bool counts; // false: at the index that the shape gives
    bool upper;
    int32_t skipped;
};

// See rl_depthwise_s4_run_counted.
static int32_t read_weight(const struct rl_depthwise *d, struct weight_walk *walk, int32_t tap, int32_t channel)
{
    if (!walk->counts) {
        return weight_at(d->weights, tap * d->output.c + channel);
    }
    const int32_t byte = tap * (d->input.c / 2 * d->multiplier) + channel / 2 + walk->skipped;
    const int32_t weight = weight_at(d->weights, 2 * byte + (walk->upper ? 1 : 0));
    walk->skipped += walk->upper ? 1 : 0;
    walk->upper = !walk->upper;
    return weight;
}

// The sum of one output, with weights read one by one. `image` points at the input channel.
static int32_t slow_sum(const struct rl_depthwise *d, const int8_t *image, int32_t y, int32_t x, int32_t channel,
                        struct weight_walk *walk)
{
    const int32_t taps = d->filter.h * d->filter.w;
    int32_t sum = 0;
    walk->skipped = 0;
    for (int32_t tap = 0; tap < taps; tap++) {
        const int32_t row = y * d->stride.h - d->padding.h + tap / d->filter.w * d->dilation.h;
        const int32_t column = x * d->stride.w - d->padding.w + tap % d->filter.w * d->dilation.w;
        if (row >= 0 && row < d->input.h && column >= 0 && column < d->input.w) {
            const int32_t value = image[(row * d->input.w + column) * d->input.c];
            sum += (value + d->input_offset) * read_weight(d, walk, tap, channel);
        }
    }
    walk->upper = walk->upper != (taps % 2 == 0);
    return sum;
}

static void run_slowly(const struct rl_depthwise *d, bool counts, const int8_t *input, int8_t *output)
{
    for (int32_t batch = 0; batch < d->input.n; batch++, input += rl_image_size(d->input)) {
        for (int32_t y = 0; y < d->output.h; y++) {
            for (int32_t x = 0; x < d->output.w; x++) {
                struct weight_walk walk = {counts, false, 0};
                for (int32_t channel = 0; channel < d->output.c; channel++) {
                    const int32_t sum = slow_sum(d, input + channel / d->multiplier, y, x, channel, &walk);
                    *output++ = rl_depthwise_output(d, channel, sum);
                }
            }
        }
    }
}

void rl_depthwise_s4_run_counted(const struct rl_depthwise *d, const int8_t *input, int8_t *output)
{
    run_slowly(d, true, input, output);
}

// Runs the layer with `count` weights spread to int8 in `weights`.
static void run_spread(const struct rl_depthwise *d, int32_t count, int8_t *weights, const int8_t *input,
                       int8_t *output, struct rl_scratch scratch)
{
    struct rl_depthwise spread = *d;
    spread.weights = weights;
    rl_unpack_s4(d->weights, 0, count, weights);
    rl_depthwise_run(&spread, input, output, scratch);
}

static __attribute__((noinline)) void run_on_stack(const struct rl_depthwise *d, int32_t count, const int8_t *input,
                                                   int8_t *output, struct rl_scratch scratch)
{
    int8_t weights[STACK_BYTES];
    run_spread(d, count, weights, input, output, scratch);
}

void rl_depthwise_s4_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                         struct rl_scratch scratch)
{
    const int32_t count = layer->filter.h * layer->filter.w * layer->output.c;
    if (count <= scratch.bytes) {
        run_spread(layer, count, scratch.memory, input, output, rl_scratch_rest(scratch, count));
    } else if (count <= STACK_BYTES) {
        run_on_stack(layer, count, input, output, scratch);
    } else {
        run_slowly(layer, false, input, output);
    }
}
