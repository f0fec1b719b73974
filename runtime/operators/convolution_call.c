// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/convolution_call.h"

#include "ops/sizes.h"

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION };

// Places of arguments, counted from the first argument of the rest.
enum { INPUT_OFFSET, OUTPUT_OFFSET, MULTIPLIERS, SHIFTS, ACTIVATION_MIN, ACTIVATION_MAX };

// True if a dimension of the output has the size that input and window give. At the far end the window may exceed the
// padding by `spare`: the kernels pad there as far as the output needs, and programs use this for padding that is
// uneven by one.
static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t dilation, int32_t spare,
                 int32_t output)
{
    const struct rl_window window = {.kernel = kernel, .stride = stride, .padding = padding, .dilation = dilation};
    bool found = false;
    for (int32_t more = 0; more <= spare; more++) {
        found = found || rl_count_windows((uint32_t)input + (uint32_t)more, &window) == (uint32_t)output;
    }
    return found && kernel >= 1 && kernel <= RL_MAX_WINDOW;
}

static void read_tensors(struct rl_call *call, uint32_t output_argument, const uint8_t *order,
                         struct rl_convolution_call *c, struct rl_convolution *layer)
{
    const enum rl_scalar_type dtype = layer->type == RL_CONVOLUTION_S16_WIDE ? RL_INT16 : RL_INT8;
    rl_call_image_of(call, INPUT, order, dtype, &c->input, &layer->input);
    rl_call_image(call, WEIGHT, rl_order_contiguous, &c->weights, &c->filter);
    rl_call_output_image_of(call, output_argument, order, dtype, &c->output, &layer->output);
    rl_expect_disjoint(call, output_argument, &c->output, &c->input);
    rl_expect_disjoint(call, output_argument, &c->output, &c->weights);
}

// Kernels keep at most four patches of the input, rounded up to 16 bytes, or four of their rows with padding; depthwise
// ones on Helium a copy of the weights beside them, or blocks of 124 channels.
static void expect_moderate(struct rl_call *call, const struct rl_image *filter, const struct rl_convolution *layer)
{
    rl_expect_work(call, WEIGHT, (uint32_t)filter->h, (uint32_t)filter->w + 2 * (uint32_t)layer->padding.w + 16,
                   (uint32_t)(layer->input.c | filter->c | 63)); // at least as large as each of them
}

// int16 data has no zero points.
static void read_offsets(struct rl_call *call, uint32_t rest, struct rl_convolution *layer)
{
    if (layer->type == RL_CONVOLUTION_S16_WIDE) {
        layer->input_offset = rl_bounded_int(call, rest + INPUT_OFFSET, 0, 0);
        layer->output_offset = rl_bounded_int(call, rest + OUTPUT_OFFSET, 0, 0);
        layer->range.min = rl_bounded_int(call, rest + ACTIVATION_MIN, INT16_MIN, INT16_MAX);
        layer->range.max = rl_bounded_int(call, rest + ACTIVATION_MAX, layer->range.min, INT16_MAX);
        return;
    }
    layer->input_offset = rl_call_input_offset(call, rest + INPUT_OFFSET);
    layer->output_offset = rl_call_zero_point(call, rest + OUTPUT_OFFSET);
    rl_call_range(call, rest + ACTIVATION_MIN, rest + ACTIVATION_MAX, &layer->range);
}

// What there is once for each output channel.
static void read_parameters(struct rl_call *call, uint32_t rest, const struct rl_tensor *output,
                            struct rl_convolution *layer)
{
    if (layer->type == RL_CONVOLUTION_S16_WIDE) {
        rl_call_wide_scales(call, rest + MULTIPLIERS, layer->output.c, output, &layer->scales);
        layer->wide_bias = rl_call_wide_bias(call, BIAS, layer->output.c, output);
        return;
    }
    rl_call_scales(call, rest + MULTIPLIERS, layer->output.c, output, &layer->scales);
    layer->bias = rl_call_bias(call, BIAS, layer->output.c, output);
}

void rl_read_convolution(struct rl_call *call, uint32_t rest, const uint8_t *order, struct rl_convolution_call *c,
                         struct rl_convolution *layer)
{
    const struct rl_image *in = &layer->input, *filter = &c->filter, *out = &layer->output;
    read_tensors(call, rest + RL_CONVOLUTION_OUTPUT, order, c, layer);
    if (call->status != RL_OK) {
        return;
    }
    layer->filter = (struct rl_extent){filter->h, filter->w};
    layer->weights = c->weights.data;
    rl_call_extent(call, STRIDE, 1, &layer->stride);
    rl_call_extent(call, PADDING, 0, &layer->padding);
    rl_call_extent(call, DILATION, 1, &layer->dilation);
    read_offsets(call, rest, layer);
    const int32_t spare = filter->h > 1 && filter->w > 1;
    rl_expect(call,
              in->n == out->n &&
                  fits(in->h, filter->h, layer->stride.h, layer->padding.h, layer->dilation.h, spare, out->h) &&
                  fits(in->w, filter->w, layer->stride.w, layer->padding.w, layer->dilation.w, spare, out->w),
              rest + RL_CONVOLUTION_OUTPUT,
              "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, filter, layer);
    read_parameters(call, rest, &c->output, layer);
}
