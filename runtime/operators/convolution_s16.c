// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_s16 and rushlight::quantized_depthwise_conv2d_s16, also as _nhwc: data of int16 without
// zero points, weights of int8, one group or one for each input channel. Sums have 64 bits, and so has the bias; shifts
// are at most 14. rushlight::quantized_conv2d_s8_s16, also as _nhwc: data of int8, one group, and int16 results.
#include "runtime/operators/convolution_call.h"

enum { REST = 6, MOST_SHIFT = 14 };

static void read_tensors(struct rl_call *call, const uint8_t *order, enum rl_scalar_type dtype, uint32_t output,
                         struct rl_convolution_call *c, struct rl_convolution *layer)
{
    rl_call_tensor(call, RL_CONVOLUTION_INPUT, &c->input);
    rl_expect_type(call, RL_CONVOLUTION_INPUT, &c->input, dtype, 4);
    rl_read_image(call, RL_CONVOLUTION_INPUT, order, &c->input, &layer->input);
    rl_call_image(call, RL_CONVOLUTION_WEIGHT, rl_order_contiguous, &c->weights, &c->filter);
    rl_call_output(call, output, &c->output);
    rl_expect_type(call, output, &c->output, RL_INT16, 4);
    rl_read_image(call, output, order, &c->output, &layer->output);
    rl_expect_disjoint(call, output, &c->output, &c->input);
    rl_expect_disjoint(call, output, &c->output, &c->weights);
}

static void read_results(struct rl_call *call, const struct rl_tensor *output, struct rl_convolution *layer)
{
    layer->output_offset = rl_bounded_int(call, REST + RL_CONVOLUTION_OUTPUT_OFFSET, 0, 0);
    layer->range.min = rl_bounded_int(call, REST + RL_CONVOLUTION_MIN, INT16_MIN, INT16_MAX);
    layer->range.max = rl_bounded_int(call, REST + RL_CONVOLUTION_MAX, layer->range.min, INT16_MAX);
    rl_call_scales(call, REST + RL_CONVOLUTION_MULTIPLIERS, layer->output.c, output, &layer->scales);
}

static bool are_small(const int32_t *shifts, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (shifts[i] > MOST_SHIFT) {
            return false;
        }
    }
    return true;
}

static void read_numbers(struct rl_call *call, const struct rl_tensor *output, struct rl_convolution *layer)
{
    const int32_t channels = layer->output.c;
    layer->input_offset = rl_bounded_int(call, REST + RL_CONVOLUTION_INPUT_OFFSET, 0, 0);
    read_results(call, output, layer);
    const bool are_known = call->keeps || !call->method->stand_in; // as in rl_call_scales
    rl_expect(call, call->status != RL_OK || !are_known || are_small(layer->scales.shift, channels),
              REST + RL_CONVOLUTION_SHIFTS, "a shift is above 14");
}

static void read_bias(struct rl_call *call, const struct rl_tensor *output, struct rl_convolution *layer)
{
    struct rl_tensor bias;
    if (!rl_call_optional_tensor(call, RL_CONVOLUTION_BIAS, &bias)) {
        return;
    }
    rl_expect_disjoint(call, RL_CONVOLUTION_BIAS, output, &bias);
    rl_expect_type(call, RL_CONVOLUTION_BIAS, &bias, RL_INT64, -1);
    rl_expect(call, call->status != RL_OK || rl_tensor_count(&bias) == (uint32_t)layer->output.c, RL_CONVOLUTION_BIAS,
              "a tensor does not have one element per output channel");
    layer->wide_bias = bias.data;
}

// Reads a call for data of int16, or of int8 with int16 results; NULL if it is refused. Not inlined, which keeps its
// tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct rl_convolution_kept *
read_convolution(struct rl_call *call, const uint8_t *order, enum rl_scalar_type dtype, struct rl_convolution_kept *c)
{
    const bool is_wide = dtype == RL_INT16;
    struct rl_convolution_call read;
    struct rl_convolution *layer = &c->layer;
    *layer = (struct rl_convolution){.type = is_wide ? RL_CONVOLUTION_S16_WIDE : RL_CONVOLUTION_S8_S16, .groups = 1};
    read_tensors(call, order, dtype, REST + RL_CONVOLUTION_OUTPUT, &read, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, read.filter.n == layer->output.c && read.filter.c == layer->input.c && read.filter.c > 0,
              RL_CONVOLUTION_WEIGHT, "the weights have other numbers of channels; int16 results have one group");
    rl_read_window(call, REST, &read, layer);
    if (is_wide) {
        read_numbers(call, &read.output, layer);
        read_bias(call, &read.output, layer);
    } else {
        layer->input_offset = rl_call_input_offset(call, REST + RL_CONVOLUTION_INPUT_OFFSET);
        read_results(call, &read.output, layer);
        layer->bias = rl_call_bias(call, RL_CONVOLUTION_BIAS, layer->output.c, &read.output);
    }
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect_prepared(call, rl_convolution_prepare(layer));
    return rl_keep_convolution(call, REST, &read, c);
}

static enum rl_status run_convolution(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, RL_INT16, &made);
    if (c) {
        rl_convolution_s16_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_s16(struct rl_call *call)
{
    return run_convolution(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_conv2d_s16_nhwc(struct rl_call *call)
{
    return run_convolution(call, rl_order_contiguous);
}

// ---- int16 results of int8

static enum rl_status run_widening(struct rl_call *call, const uint8_t *order)
{
    struct rl_convolution_kept made;
    const struct rl_convolution_kept *c = call->kept ? call->kept : read_convolution(call, order, RL_INT8, &made);
    if (c) {
        rl_convolution_s8_s16_run(&c->layer, c->input, c->output, c->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_conv2d_s8_s16(struct rl_call *call)
{
    return run_widening(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_conv2d_s8_s16_nhwc(struct rl_call *call)
{
    return run_widening(call, rl_order_contiguous);
}

// ---- depthwise

// Reads a call; NULL if it is refused. There is no scratch, so the output stands in its place.
static __attribute__((noinline)) const struct rl_depthwise_kept *
read_depthwise(struct rl_call *call, const uint8_t *order, struct rl_depthwise_kept *d)
{
    struct rl_convolution_call read;
    struct rl_convolution *layer = &d->read;
    *layer = (struct rl_convolution){.groups = 1};
    read_tensors(call, order, RL_INT16, REST + RL_CONVOLUTION_SCRATCH, &read, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, read.filter.n == 1 && read.filter.c == layer->output.c && layer->input.c > 0, RL_CONVOLUTION_WEIGHT,
              "the weights have other numbers of channels than the output");
    rl_read_window(call, REST, &read, layer);
    read_numbers(call, &read.output, layer);
    read_bias(call, &read.output, layer);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect_prepared(call, rl_prepare_depthwise(d, RL_DEPTHWISE_S16, layer->output.c / layer->input.c));
    d->input = read.input.data;
    d->output = read.output.data;
    return rl_call_keep(call, d, sizeof *d);
}

static enum rl_status run_depthwise(struct rl_call *call, const uint8_t *order)
{
    struct rl_depthwise_kept made;
    const struct rl_depthwise_kept *d = call->kept ? call->kept : read_depthwise(call, order, &made);
    if (d) {
        rl_depthwise_s16_run(&d->layer, d->input, d->output);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_depthwise_conv2d_s16(struct rl_call *call)
{
    return run_depthwise(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_depthwise_conv2d_s16_nhwc(struct rl_call *call)
{
    return run_depthwise(call, rl_order_contiguous);
}
