// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_avg_pool2d and cortex_m::quantized_max_pool2d, rushlight::quantized_avg_pool2d, also as _nhwc.
// Averages and maxima of int16: rushlight::quantized_avg_pool2d_s16 and quantized_max_pool2d_s16.
#include "rushlight/kernels/pooling.h"
#include "ops/sizes.h"
#include "runtime/operators/layer.h"

enum { INPUT, KERNEL, STRIDE, PADDING };

// A call of any of them that was read.
struct pooling {
    const void *input;
    void *output;
    struct rl_pool layer;
};

struct tensors {
    struct rl_tensor input, output;
};

// True if a dimension of the output has the size that input and window give. In ceil mode a window may be larger than
// the padded input.
static bool fits(int32_t input, const struct rl_window *window, bool ceil_mode, int32_t output)
{
    return window->padding <= window->kernel / 2 &&
           rl_count_pool_windows((uint32_t)input, window, ceil_mode) == (uint32_t)output;
}

// Whether both dimensions have those sizes.
static bool has_shape(const struct rl_pool *layer, bool ceil_mode)
{
    const struct rl_extent *window = &layer->window, *stride = &layer->stride, *padding = &layer->padding;
    const struct rl_extent *dilation = &layer->dilation;
    const struct rl_window rows = {window->h, stride->h, padding->h, dilation->h};
    const struct rl_window columns = {window->w, stride->w, padding->w, dilation->w};
    return fits(layer->input.h, &rows, ceil_mode, layer->output.h) &&
           fits(layer->input.w, &columns, ceil_mode, layer->output.w);
}

// `ceil_argument` and `dilation_argument` are 0 for operators without them. Without ceil_mode, the output may have
// either shape. The images have been read.
static void read_window(struct rl_call *call, uint32_t ceil_argument, uint32_t dilation_argument,
                        uint32_t output_argument, const struct tensors *t, struct pooling *p)
{
    struct rl_pool *layer = &p->layer;
    const struct rl_image *in = &layer->input, *out = &layer->output;
    rl_expect_disjoint(call, output_argument, &t->output, &t->input);
    rl_call_extent(call, KERNEL, 1, &layer->window);
    rl_call_extent(call, STRIDE, 1, &layer->stride);
    rl_call_extent(call, PADDING, 0, &layer->padding);
    layer->dilation = (struct rl_extent){1, 1};
    if (dilation_argument != 0) {
        rl_call_extent(call, dilation_argument, 1, &layer->dilation);
    }
    const bool ceil_mode = ceil_argument != 0 && rl_call_bool(call, ceil_argument);
    if (call->status != RL_OK) {
        return;
    }
    p->input = t->input.data;
    p->output = t->output.data;
    const bool fits_other = ceil_argument == 0 && has_shape(layer, true);
    rl_expect(call, in->n == out->n && in->c == out->c && (has_shape(layer, ceil_mode) || fits_other), output_argument,
              "the output's shape does not follow from input, kernel, stride and padding");
}

static void read_pooling(struct rl_call *call, uint32_t ceil_argument, uint32_t dilation_argument,
                         uint32_t output_argument, const uint8_t *order, struct tensors *t, struct pooling *p)
{
    rl_call_image(call, INPUT, order, &t->input, &p->layer.input);
    rl_call_output_image(call, output_argument, order, &t->output, &p->layer.output);
    read_window(call, ceil_argument, dilation_argument, output_argument, t, p);
}

// Zero point, multiplier and shift are in the schema but not in the result: input and output share their scale. The
// kernel needs no work space, but what programs give it is checked.
static const struct pooling *read_average(struct rl_call *call, const uint8_t *order, struct pooling *p)
{
    enum { CEIL_MODE = 4, SCRATCH = 8, OUTPUT };
    struct tensors t;
    struct rl_scratch scratch;
    read_pooling(call, CEIL_MODE, 0, OUTPUT, order, &t, p);
    p->layer.kind = RL_POOL_AVERAGE;
    p->layer.range = (struct rl_range){INT8_MIN, INT8_MAX};
    rl_call_scratch(call, SCRATCH, 0, &t.input, &t.output, &scratch);
    if (rl_call_ready(call)) {
        rl_expect_prepared(call, rl_pool_prepare(&p->layer));
    }
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_average(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_average(call, order, &made);
    if (p) {
        rl_average_pool_run(&p->layer, p->input, p->output);
    }
    return call->status;
}

static const struct pooling *read_scaled_average(struct rl_call *call, const uint8_t *order, struct pooling *p)
{
    enum { INPUT_ZERO_POINT = 4, OUTPUT_ZERO_POINT, MULTIPLIER, OUTPUT = 8 };
    struct tensors t;
    read_pooling(call, 0, 0, OUTPUT, order, &t, p);
    p->layer.kind = RL_POOL_SCALED_AVERAGE;
    p->layer.range = (struct rl_range){INT8_MIN, INT8_MAX};
    p->layer.input_offset = -rl_call_zero_point(call, INPUT_ZERO_POINT);
    p->layer.output_offset = rl_call_zero_point(call, OUTPUT_ZERO_POINT);
    rl_call_scale(call, MULTIPLIER, &p->layer.scale);
    if (rl_call_ready(call)) {
        rl_expect_prepared(call, rl_pool_prepare(&p->layer));
    }
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_scaled_average(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_scaled_average(call, order, &made);
    if (p) {
        rl_scaled_average_pool_run(&p->layer, p->input, p->output);
    }
    return call->status;
}

static const struct pooling *read_maximum(struct rl_call *call, const uint8_t *order, struct pooling *p)
{
    enum { DILATION = 4, CEIL_MODE, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, ACTIVATION_MIN, ACTIVATION_MAX, OUTPUT };
    struct tensors t;
    read_pooling(call, CEIL_MODE, DILATION, OUTPUT, order, &t, p);
    p->layer.kind = RL_POOL_MAXIMUM;
    rl_call_range(call, ACTIVATION_MIN, ACTIVATION_MAX, &p->layer.range);
    rl_expect(call, rl_call_zero_point(call, INPUT_ZERO_POINT) == rl_call_zero_point(call, OUTPUT_ZERO_POINT),
              OUTPUT_ZERO_POINT, "the zero points of input and output differ");
    if (rl_call_ready(call)) {
        rl_expect_prepared(call, rl_pool_prepare(&p->layer));
    }
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_maximum(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_maximum(call, order, &made);
    if (!p) {
        return call->status;
    }
    if (p->layer.dilation.h == 1 && p->layer.dilation.w == 1) {
        rl_maximum_pool_run(&p->layer, p->input, p->output);
    } else {
        rl_dilated_maximum_pool_run(&p->layer, p->input, p->output);
    }
    return call->status;
}

// Whether sums of a window of int16 fit 32 bits.
static bool has_few_elements(const struct rl_pool *layer)
{
    enum { MOST = 1 << 15 };
    const struct rl_extent *window = &layer->window;
    const int32_t rows = window->h < layer->input.h ? window->h : layer->input.h;
    const int32_t columns = window->w < layer->input.w ? window->w : layer->input.w;
    return (int64_t)rows * columns <= MOST;
}

// Both pools of int16 have the same arguments.
static const struct pooling *read_wide(struct rl_call *call, const uint8_t *order, enum rl_pool_kind kind,
                                       struct pooling *p)
{
    enum { CEIL_MODE = 4, OUTPUT };
    struct tensors t;
    p->layer.kind = kind;
    p->layer.range = (struct rl_range){INT16_MIN, INT16_MAX};
    rl_call_tensor(call, INPUT, &t.input);
    rl_expect_type(call, INPUT, &t.input, RL_INT16, 4);
    rl_read_image(call, INPUT, order, &t.input, &p->layer.input);
    rl_call_output(call, OUTPUT, &t.output);
    rl_expect_type(call, OUTPUT, &t.output, RL_INT16, 4);
    rl_read_image(call, OUTPUT, order, &t.output, &p->layer.output);
    read_window(call, CEIL_MODE, 0, OUTPUT, &t, p);
    rl_expect(call, call->status != RL_OK || kind == RL_POOL_MAXIMUM || has_few_elements(&p->layer), KERNEL,
              "a window has more than 32768 elements");
    if (rl_call_ready(call)) {
        rl_expect_prepared(call, rl_pool_prepare(&p->layer));
    }
    return rl_call_keep(call, p, sizeof *p);
}

static enum rl_status run_wide_average(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_wide(call, order, RL_POOL_AVERAGE, &made);
    if (p) {
        rl_average_pool_s16_run(&p->layer, p->input, p->output);
    }
    return call->status;
}

static enum rl_status run_wide_maximum(struct rl_call *call, const uint8_t *order)
{
    struct pooling made;
    const struct pooling *p = call->kept ? call->kept : read_wide(call, order, RL_POOL_MAXIMUM, &made);
    if (p) {
        rl_maximum_pool_s16_run(&p->layer, p->input, p->output);
    }
    return call->status;
}

enum rl_status rl_run_cm_quantized_avg_pool2d(struct rl_call *call)
{
    return run_average(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_avg_pool2d_nhwc(struct rl_call *call)
{
    return run_average(call, rl_order_contiguous);
}

enum rl_status rl_run_cm_quantized_max_pool2d(struct rl_call *call)
{
    return run_maximum(call, rl_order_channels_last);
}

enum rl_status rl_run_cm_quantized_max_pool2d_nhwc(struct rl_call *call)
{
    return run_maximum(call, rl_order_contiguous);
}

enum rl_status rl_run_rl_quantized_avg_pool2d(struct rl_call *call)
{
    return run_scaled_average(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_avg_pool2d_nhwc(struct rl_call *call)
{
    return run_scaled_average(call, rl_order_contiguous);
}

enum rl_status rl_run_rl_quantized_avg_pool2d_s16(struct rl_call *call)
{
    return run_wide_average(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_avg_pool2d_s16_nhwc(struct rl_call *call)
{
    return run_wide_average(call, rl_order_contiguous);
}

enum rl_status rl_run_rl_quantized_max_pool2d_s16(struct rl_call *call)
{
    return run_wide_maximum(call, rl_order_channels_last);
}

enum rl_status rl_run_rl_quantized_max_pool2d_s16_nhwc(struct rl_call *call)
{
    return run_wide_maximum(call, rl_order_contiguous);
}
