// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_transpose_conv2d, also as _nhwc.
#include "ops/sizes.h"
#include "runtime/operators/layer.h"
#include "rushlight/kernels/transpose_convolution.h"

enum {
    INPUT,
    WEIGHT,
    BIAS,
    STRIDE,
    PADDING,
    OUTPUT_PADDING,
    DILATION,
    INPUT_OFFSET,
    OUTPUT_OFFSET,
    MULTIPLIERS,
    SHIFTS,
    ACTIVATION_MIN,
    ACTIVATION_MAX,
    SCRATCH,
    OUTPUT_SCRATCH,
    OUTPUT
};

// A call that was read.
struct transposed {
    struct rl_transpose_convolution layer;
    const int8_t *input;
    int8_t *output;
    struct rl_scratch scratch, filters;
};

__extension__ _Static_assert(sizeof(struct transposed) <= RL_KEPT_MOST, "more than requirements count with");

struct tensors {
    struct rl_tensor input, weight, output;
};

static bool fits(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t extra, int32_t output)
{
    const struct rl_window window = {.kernel = kernel, .stride = stride, .padding = padding, .dilation = 1};
    return input > 0 && kernel > 0 && rl_transposed_size(input, &window, extra) == output;
}

// Weights lie in memory in the order of their sizes: output channels, rows, columns, input channels.
static void read_tensors(struct rl_call *call, const uint8_t *order, struct tensors *tensors, struct transposed *t)
{
    struct rl_transpose_convolution *layer = &t->layer;
    struct rl_image filter;
    rl_call_image(call, INPUT, order, &tensors->input, &layer->input);
    rl_call_image(call, WEIGHT, rl_order_contiguous, &tensors->weight, &filter);
    rl_call_output_image(call, OUTPUT, order, &tensors->output, &layer->output);
    rl_expect_disjoint(call, OUTPUT, &tensors->output, &tensors->input);
    rl_expect_disjoint(call, OUTPUT, &tensors->output, &tensors->weight);
    if (call->status != RL_OK) {
        return;
    }
    t->input = tensors->input.data;
    t->output = tensors->output.data;
    layer->weights = tensors->weight.data;
    layer->filter = (struct rl_extent){filter.h, filter.w};
    rl_expect(call, filter.n == layer->output.c && filter.c == layer->input.c, WEIGHT,
              "the weights have another number of channels");
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Kernels keep either rows of sums, as long and as many as a window covers, or patches of the input.
static void expect_moderate(struct rl_call *call, const struct rl_transpose_convolution *layer)
{
    const struct rl_extent *filter = &layer->filter, *stride = &layer->stride;
    const int64_t rows = (int64_t)larger(stride->w, stride->h) * larger(filter->h, stride->h);
    rl_expect_work(call, WEIGHT, rows < INT32_MAX ? (uint32_t)rows : INT32_MAX,
                   (uint32_t)layer->input.w + (uint32_t)filter->w, (uint32_t)layer->output.c);
    rl_expect_work(call, WEIGHT, (uint32_t)filter->h, (uint32_t)filter->w + 16, (uint32_t)layer->input.c);
}

static void read_numbers(struct rl_call *call, struct rl_transpose_convolution *layer)
{
    struct rl_extent extra, dilation;
    layer->input_offset = rl_call_input_offset(call, INPUT_OFFSET);
    layer->output_offset = rl_call_zero_point(call, OUTPUT_OFFSET);
    rl_call_extent(call, STRIDE, 1, &layer->stride);
    rl_call_extent(call, PADDING, 0, &layer->padding);
    rl_call_extent(call, OUTPUT_PADDING, 0, &extra);
    rl_call_extent(call, DILATION, 1, &dilation);
    rl_call_range(call, ACTIVATION_MIN, ACTIVATION_MAX, &layer->range);
    rl_expect(call, dilation.h == 1 && dilation.w == 1, DILATION, "a dilation other than 1 is not supported");
    const struct rl_image *in = &layer->input, *out = &layer->output;
    rl_expect(call,
              in->n == out->n && fits(in->h, layer->filter.h, layer->stride.h, layer->padding.h, extra.h, out->h) &&
                  fits(in->w, layer->filter.w, layer->stride.w, layer->padding.w, extra.w, out->w),
              OUTPUT, "the output's shape does not follow from input, weights, stride and padding");
    expect_moderate(call, layer);
}

// Reads a call; NULL if it is refused. Not inlined, which keeps its tensors off the stack while the kernel runs.
static __attribute__((noinline)) const struct transposed *read_transposed(struct rl_call *call, const uint8_t *order,
                                                                          struct transposed *t)
{
    struct rl_transpose_convolution *layer = &t->layer;
    struct tensors tensors;
    read_tensors(call, order, &tensors, t);
    if (call->status == RL_OK) {
        read_numbers(call, layer);
    }
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_call_scales(call, MULTIPLIERS, layer->output.c, &tensors.output, &layer->scales);
    layer->bias = rl_call_bias(call, BIAS, layer->output.c, &tensors.output);
    (void)rl_transpose_convolution_prepare(layer); // strides were checked
    rl_call_scratch(call, SCRATCH, 0, &tensors.input, &tensors.output, &t->scratch);
    rl_call_scratch(call, OUTPUT_SCRATCH, 0, &tensors.input, &tensors.output, &t->filters);
    return rl_call_keep(call, t, sizeof *t);
}

static enum rl_status run_transposed(struct rl_call *call, const uint8_t *order)
{
    struct transposed made;
    const struct transposed *t = call->kept ? call->kept : read_transposed(call, order, &made);
    if (t) {
        rl_transpose_convolution_run(&t->layer, t->input, t->output, t->scratch, t->filters);
    }
    return call->status;
}

enum rl_status rl_run_cm_quantized_transpose_conv2d(struct rl_call *call)
{
    return run_transposed(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_transpose_conv2d_nhwc(struct rl_call *call)
{
    return run_transposed(call, rl_order_contiguous);
}
