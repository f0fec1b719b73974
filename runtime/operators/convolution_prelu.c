// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_prelu and rushlight::quantized_conv2d_prelu_prepacked: one group, and two multipliers a
// channel.
#include "runtime/operators/convolution_call.h"

enum { REST = 6, MOST_SHIFT = -2, LEAST_SHIFT = -22 };

static bool are_shifts(const int32_t *shifts, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (shifts[i] < LEAST_SHIFT || shifts[i] > MOST_SHIFT) {
            return false;
        }
    }
    return true;
}

static void read_scales(struct rl_call *call, const struct rl_tensor *output, struct rl_convolution *layer)
{
    enum { MULTIPLIERS = REST + RL_CONVOLUTION_MULTIPLIERS, SHIFTS = REST + RL_CONVOLUTION_SHIFTS };
    const int32_t channels = layer->output.c;
    layer->scales.multiplier = rl_call_bias(call, MULTIPLIERS, 2 * channels, output);
    layer->scales.shift = rl_call_bias(call, SHIFTS, channels, output);
    rl_expect(call, layer->scales.multiplier, MULTIPLIERS, "a tensor was expected here");
    rl_expect(call, layer->scales.shift, SHIFTS, "a tensor was expected here");
    const bool are_known = call->keeps || !call->method->stand_in; // as in rl_call_scales
    rl_expect(call, call->status != RL_OK || !are_known || are_shifts(layer->scales.shift, channels), SHIFTS,
              "a shift is outside -22..-2");
}

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_convolution_kept *
read_convolution(struct rl_call *call, enum rl_convolution_type type, struct rl_convolution_kept *c)
{
    enum { OUTPUT = REST + RL_CONVOLUTION_OUTPUT };
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = type, .groups = 1};
    rl_call_image(call, RL_CONVOLUTION_INPUT, rl_order_channels_last, &read.input, &layer->input);
    rl_call_image(call, RL_CONVOLUTION_WEIGHT, rl_order_contiguous, &read.weights, &read.filter);
    rl_call_output_image(call, OUTPUT, rl_order_channels_last, &read.output, &layer->output);
    rl_expect_disjoint(call, OUTPUT, &read.output, &read.input);
    rl_expect_disjoint(call, OUTPUT, &read.output, &read.weights);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, read.filter.n == layer->output.c && read.filter.c == layer->input.c && read.filter.c > 0,
              RL_CONVOLUTION_WEIGHT, "the weights have other numbers of channels; with a PReLU there is one group");
    rl_read_window(call, REST, &read, layer);
    layer->input_offset = rl_call_input_offset(call, REST + RL_CONVOLUTION_INPUT_OFFSET);
    layer->output_offset = rl_call_zero_point(call, REST + RL_CONVOLUTION_OUTPUT_OFFSET);
    rl_call_range(call, REST + RL_CONVOLUTION_MIN, REST + RL_CONVOLUTION_MAX, &layer->range);
    layer->bias = rl_call_bias(call, RL_CONVOLUTION_BIAS, layer->output.c, &read.output);
    read_scales(call, &read.output, layer);
    if (type == RL_CONVOLUTION_PREPACKED_PRELU) {
        rl_expect(call, layer->bias, RL_CONVOLUTION_BIAS, "a tensor was expected here");
        layer->folded = layer->bias;
        layer->bias = NULL;
    }
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, rl_convolution_prepare(layer) == RL_OK, RL_CONVOLUTION_WEIGHT,
              "prepacked filters are a multiple of four, of 4 to 1536 weights");
    return rl_keep_convolution(call, REST, &read, c);
}

enum rl_status rl_run_rl_quantized_conv2d_prelu(struct rl_call *call)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, RL_CONVOLUTION_PRELU, &made);
    if (c) {
        rl_convolution_prelu_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_prelu_prepacked(struct rl_call *call)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c =
        call->kept ? call->kept : read_convolution(call, RL_CONVOLUTION_PREPACKED_PRELU, &made);
    if (c) {
        rl_convolution_prepacked_prelu_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}
