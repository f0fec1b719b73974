// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_layer_norm, rushlight::quantized_group_norm and rushlight::quantized_var. A norm's `epsilon` is
// the model's epsilon, divided by the square of the input's scale, times n^2 * 2^f (rl_norm_fraction); its `weight` and
// `bias` are those of struct rl_norm.
#include "rushlight/kernels/normalization.h"
#include "runtime/operators/layer.h"

enum { INPUT, EXTENT, WEIGHT, BIAS };

struct norm {
    const int8_t *input;
    int8_t *output;
    struct rl_norm layer;
};

// The arguments from the input's zero point on, which both operators have.
static void read_numbers(struct rl_call *call, uint32_t first, struct rl_norm *layer)
{
    enum { INPUT_ZERO_POINT, EPSILON, WEIGHT_SHIFT, OUTPUT_ZERO_POINT, ACTIVATION_MIN, ACTIVATION_MAX };
    const uint64_t epsilon = (uint64_t)rl_call_int(call, first + EPSILON);
    layer->input_zero_point = rl_call_zero_point(call, first + INPUT_ZERO_POINT);
    layer->epsilon[0] = (uint32_t)epsilon;
    layer->epsilon[1] = (uint32_t)(epsilon >> 32);
    rl_expect(call, epsilon >> 62 == 0, first + EPSILON, "an int is outside the range of the operator");
    layer->weight_shift =
        rl_bounded_int(call, first + WEIGHT_SHIFT, RL_NORM_LEAST_WEIGHT_SHIFT, RL_NORM_MOST_WEIGHT_SHIFT);
    layer->output_offset = rl_call_zero_point(call, first + OUTPUT_ZERO_POINT);
    rl_call_range(call, first + ACTIVATION_MIN, first + ACTIVATION_MAX, &layer->range);
}

// An int16 tensor of `count` elements, which are still read when results are written.
static const int16_t *read_weights(struct rl_call *call, int32_t count, const struct rl_tensor *output)
{
    struct rl_tensor tensor;
    rl_call_tensor(call, WEIGHT, &tensor);
    rl_expect_type(call, WEIGHT, &tensor, RL_INT16, -1);
    rl_expect_disjoint(call, WEIGHT, output, &tensor);
    rl_expect(call, tensor.bytes / sizeof(int16_t) == (uint32_t)count, WEIGHT,
              "a tensor does not have one element per channel");
    return tensor.data;
}

static void read_tensors(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input,
                         struct rl_tensor *output, struct norm *norm)
{
    rl_call_tensor(call, INPUT, input);
    rl_call_output(call, output_argument, output);
    rl_expect_type(call, INPUT, input, RL_INT8, -1);
    rl_expect_type(call, output_argument, output, RL_INT8, -1);
    rl_expect(call, rl_same_layout(input, output), output_argument, "input and output differ in shape or layout");
    rl_expect_aligned(call, output_argument, output, input);
    norm->input = input->data;
    norm->output = output->data;
}

// Reads weights and bias, and ends the reading of a call whose sizes are known.
static const struct norm *keep_norm(struct rl_call *call, const struct rl_tensor *output, struct norm *norm)
{
    struct rl_norm *layer = &norm->layer;
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->weights = read_weights(call, layer->channels, output);
    layer->bias = rl_call_bias(call, BIAS, layer->channels, output);
    if (output->bytes > 0) {
        rl_expect_prepared(call, rl_norm_prepare(layer));
    }
    return rl_call_keep(call, norm, sizeof *norm);
}

// Of the sizes of dimensions `first` to `end`.
static int32_t product(const struct rl_tensor *tensor, uint32_t first, uint32_t end)
{
    int32_t count = 1;
    for (uint32_t i = first; i < end; i++) {
        count *= tensor->sizes[i];
    }
    return count;
}

static const struct norm *read_layer_norm(struct rl_call *call, struct norm *norm)
{
    enum { CENTERED = 4, INPUT_ZERO_POINT, OUTPUT = 11 };
    struct rl_tensor input, output;
    struct rl_norm *layer = &norm->layer;
    read_tensors(call, OUTPUT, &input, &output, norm);
    const uint32_t dims = (uint32_t)rl_bounded_int(call, EXTENT, 1, RL_TENSOR_MAX_RANK);
    layer->centered = rl_call_bool(call, CENTERED);
    read_numbers(call, INPUT_ZERO_POINT, layer);
    rl_expect(call, dims <= input.rank, EXTENT, "more dimensions than the tensor has");
    rl_expect(call, call->status != RL_OK || rl_is_ordered(&input, rl_order_contiguous), INPUT,
              "a tensor is not contiguous");
    if (call->status == RL_OK) {
        layer->images = product(&input, 0, input.rank - dims);
        layer->channels = product(&input, input.rank - dims, input.rank);
        layer->places = 1;
        layer->groups = 1;
        layer->channels_last = true;
    }
    return keep_norm(call, &output, norm);
}

enum rl_status rl_run_rl_quantized_layer_norm(struct rl_call *call)
{
    struct norm made;
    const struct norm *norm = call->kept ? call->kept : read_layer_norm(call, &made);
    if (norm) {
        rl_norm_run(&norm->layer, norm->input, norm->output);
    }
    return call->status;
}

static const struct norm *read_group_norm(struct rl_call *call, struct norm *norm)
{
    enum { INPUT_ZERO_POINT = 4, OUTPUT = 10 };
    struct rl_tensor input, output;
    struct rl_norm *layer = &norm->layer;
    read_tensors(call, OUTPUT, &input, &output, norm);
    layer->groups = rl_bounded_int(call, EXTENT, 1, INT32_MAX);
    layer->centered = true;
    read_numbers(call, INPUT_ZERO_POINT, layer);
    rl_expect(call, input.rank >= 2, INPUT, "a tensor has no channels");
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->channels_last = !rl_is_ordered(&input, rl_order_contiguous);
    rl_expect(call, !layer->channels_last || (input.rank == 4 && rl_is_ordered(&input, rl_order_channels_last)), INPUT,
              "a tensor is neither contiguous nor channels-last");
    layer->images = input.sizes[0];
    layer->channels = input.sizes[1];
    layer->places = product(&input, 2, input.rank);
    rl_expect(call, layer->channels % layer->groups == 0, EXTENT, "the groups do not divide the channels");
    return keep_norm(call, &output, norm);
}

enum rl_status rl_run_rl_quantized_group_norm(struct rl_call *call)
{
    struct norm made;
    const struct norm *norm = call->kept ? call->kept : read_group_norm(call, &made);
    if (norm) {
        rl_norm_run(&norm->layer, norm->input, norm->output);
    }
    return call->status;
}

struct variance {
    const int8_t *input;
    int8_t *output;
    struct rl_variance layer;
};

static const struct variance *read_variance(struct rl_call *call, struct variance *v)
{
    enum { DEVIATION = 2, MULTIPLIER, SHIFT, OUTPUT_ZERO_POINT, OUTPUT };
    struct rl_tensor input, output;
    struct rl_variance *layer = &v->layer;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    const uint32_t dims = (uint32_t)rl_bounded_int(call, EXTENT, 1, RL_TENSOR_MAX_RANK);
    layer->is_deviation = rl_call_bool(call, DEVIATION);
    layer->scale.multiplier = rl_bounded_int(call, MULTIPLIER, 0, INT32_MAX);
    layer->scale.shift = rl_bounded_int(call, SHIFT, -RL_VARIANCE_MOST_SHIFT, RL_VARIANCE_MOST_SHIFT);
    layer->output_offset = rl_call_zero_point(call, OUTPUT_ZERO_POINT);
    rl_expect(call, dims <= input.rank, EXTENT, "more dimensions than the tensor has");
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, rl_is_ordered(&input, rl_order_contiguous) && rl_is_ordered(&output, rl_order_contiguous), INPUT,
              "a tensor is not contiguous");
    bool fits = output.rank == input.rank - dims;
    for (uint32_t i = 0; fits && i < output.rank; i++) {
        fits = output.sizes[i] == input.sizes[i];
    }
    rl_expect(call, fits, OUTPUT, "the output does not have the sizes that are left");
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->rows = (int32_t)output.bytes;
    layer->row = output.bytes > 0 ? (int32_t)(input.bytes / output.bytes) : 1;
    rl_expect(call, layer->row >= 1 && layer->row <= RL_NORM_MOST_VALUES, EXTENT, "too many values a row, or none");
    v->input = input.data;
    v->output = output.data;
    return rl_call_keep(call, v, sizeof *v);
}

enum rl_status rl_run_rl_quantized_var(struct rl_call *call)
{
    struct variance made;
    const struct variance *v = call->kept ? call->kept : read_variance(call, &made);
    if (v) {
        rl_variance_run(&v->layer, v->input, v->output);
    }
    return call->status;
}
