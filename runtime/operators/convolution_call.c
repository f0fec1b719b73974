// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/convolution_call.h"

#include "ops/sizes.h"

enum { STRIDE = RL_CONVOLUTION_BIAS + 1, PADDING, DILATION };

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
    rl_call_image(call, RL_CONVOLUTION_INPUT, order, &c->input, &layer->input);
    rl_call_image(call, RL_CONVOLUTION_WEIGHT, rl_order_contiguous, &c->weights, &c->filter);
    rl_call_output_image(call, output_argument, order, &c->output, &layer->output);
    rl_expect_disjoint(call, output_argument, &c->output, &c->input);
    rl_expect_disjoint(call, output_argument, &c->output, &c->weights);
}

// Kernels keep at most four patches of the input, rounded up to 16 bytes, or four of their rows with padding; depthwise
// ones on Helium a copy of the weights beside them, or blocks of 124 channels.
static void expect_moderate(struct rl_call *call, const struct rl_image *filter, const struct rl_convolution *layer)
{
    rl_expect_work(call, RL_CONVOLUTION_WEIGHT, (uint32_t)filter->h,
                   (uint32_t)filter->w + 2 * (uint32_t)layer->padding.w + 16,
                   (uint32_t)(layer->input.c | filter->c | 63)); // at least as large as each of them
}

void rl_read_window(struct rl_call *call, uint32_t rest, const struct rl_convolution_call *c,
                    struct rl_convolution *layer)
{
    const struct rl_image *in = &layer->input, *filter = &c->filter, *out = &layer->output;
    layer->filter = (struct rl_extent){filter->h, filter->w};
    layer->weights = c->weights.data;
    rl_call_extent(call, STRIDE, 1, &layer->stride);
    rl_call_extent(call, PADDING, 0, &layer->padding);
    rl_call_extent(call, DILATION, 1, &layer->dilation);
    const int32_t spare = filter->h > 1 && filter->w > 1;
    rl_expect(call,
              in->n == out->n &&
                  fits(in->h, filter->h, layer->stride.h, layer->padding.h, layer->dilation.h, spare, out->h) &&
                  fits(in->w, filter->w, layer->stride.w, layer->padding.w, layer->dilation.w, spare, out->w),
              rest + RL_CONVOLUTION_OUTPUT,
              "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, filter, layer);
}

void rl_read_convolution_numbers(struct rl_call *call, uint32_t rest, const struct rl_convolution_call *c,
                                 struct rl_convolution *layer)
{
    layer->input_offset = rl_call_input_offset(call, rest + RL_CONVOLUTION_INPUT_OFFSET);
    layer->output_offset = rl_call_zero_point(call, rest + RL_CONVOLUTION_OUTPUT_OFFSET);
    rl_call_range(call, rest + RL_CONVOLUTION_MIN, rest + RL_CONVOLUTION_MAX, &layer->range);
    rl_call_scales(call, rest + RL_CONVOLUTION_MULTIPLIERS, layer->output.c, &c->output, &layer->scales);
    layer->bias = rl_call_bias(call, RL_CONVOLUTION_BIAS, layer->output.c, &c->output);
}

void rl_read_convolution(struct rl_call *call, uint32_t rest, const uint8_t *order, struct rl_convolution_call *c,
                         struct rl_convolution *layer)
{
    read_tensors(call, rest + RL_CONVOLUTION_OUTPUT, order, c, layer);
    if (call->status != RL_OK) {
        return;
    }
    rl_read_window(call, rest, c, layer);
    rl_read_convolution_numbers(call, rest, c, layer);
}

// Not inlined, which keeps its copy off the stack of reading, the deepest of many networks.
__attribute__((noinline)) enum rl_status rl_prepare_depthwise(struct rl_depthwise_kept *kept,
                                                              enum rl_depthwise_type type, int32_t multiplier)
{
    const struct rl_convolution c = kept->read;
    kept->layer = (struct rl_depthwise){
        .type = type,
        .input = c.input,
        .output = c.output,
        .filter = c.filter,
        .stride = c.stride,
        .padding = c.padding,
        .dilation = c.dilation,
        .multiplier = multiplier,
        .weights = c.weights,
        .scales = c.scales,
        .input_offset = c.input_offset,
        .output_offset = c.output_offset,
        .range = c.range,
    };
    if (type == RL_DEPTHWISE_S16) {
        kept->layer.wide_bias = c.wide_bias;
    } else {
        kept->layer.bias = c.bias;
    }
    return rl_depthwise_prepare(&kept->layer);
}
