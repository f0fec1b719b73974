// SPDX-License-Identifier: Apache-2.0
//
// aten::_native_batch_norm_legit and its relatives, native_layer_norm and native_group_norm, in float.
#include <math.h>

#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// ---- batch norm

// One value per channel or element; NULL when the argument is None.
static const float *read_channels(struct rl_call *call, uint32_t argument, uint32_t count)
{
    struct rl_tensor tensor;
    if (!rl_call_optional_tensor(call, argument, &tensor))
        return NULL;
    rl_expect(call, tensor.dtype == RL_FLOAT32 && rl_tensor_count(&tensor) == count, argument,
              "not a float tensor of as many elements as are normalized");
    return tensor.data;
}

// y = x * scale + shift along `channel`'s slice of the output, walked in the layout of the output.
static void normalize_channel(const struct rl_tensor *input, const struct rl_tensor *output, int32_t channel,
                              float scale, float shift)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    int32_t sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor slice = *output;
    struct rl_walk walk;
    rl_tensor_element_strides(output, strides[0]);
    rl_tensor_element_strides(input, strides[1]);
    for (uint32_t i = 0; i < output->rank; i++)
        sizes[i] = i == 1 ? 1 : output->sizes[i];
    slice.sizes = sizes;
    float *to = (float *)output->data + (uint32_t)channel * strides[0][1];
    const float *from = (const float *)input->data + (uint32_t)channel * strides[1][1];
    if (!rl_walk_start(&walk, &slice, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides))
        return;
    do {
        for (uint32_t i = 0; i < walk.count; i++)
            to[walk.offset[0] + i * walk.step[0]] = from[walk.offset[1] + i * walk.step[1]] * scale + shift;
    } while (rl_walk_next(&walk));
}

// Input and output, of one shape with channels; false after a refusal.
static bool read_batch(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input,
                       struct rl_tensor *output)
{
    enum { INPUT };
    rl_call_tensor(call, INPUT, input);
    rl_call_output(call, output_argument, output);
    rl_expect_type(call, INPUT, input, RL_FLOAT32, -1);
    rl_expect_type(call, output_argument, output, RL_FLOAT32, -1);
    rl_expect(call, input->rank >= 2, INPUT, "the input has no channels");
    rl_resize_like(call, output_argument, output, input);
    if (call->status == RL_OK && rl_same_layout(input, output))
        rl_expect_aligned(call, output_argument, output, input);
    else
        rl_expect_apart(call, output_argument, output, input);
    return call->status == RL_OK;
}

// With statistics of the program.
static enum rl_status run_batch_norm(struct rl_call *call, uint32_t epsilon_argument,
                                     uint32_t output_argument)
{
    enum { WEIGHT = 1, BIAS, MEAN, VARIANCE };
    struct rl_tensor input, output;
    if (!read_batch(call, output_argument, &input, &output))
        return call->status;
    uint32_t channels = (uint32_t)input.sizes[1];
    const float *weight = read_channels(call, WEIGHT, channels), *bias = read_channels(call, BIAS, channels);
    const float *mean = read_channels(call, MEAN, channels),
                *variance = read_channels(call, VARIANCE, channels);
    float epsilon = (float)rl_call_double(call, epsilon_argument);
    rl_expect(call, mean && variance, MEAN, "mean or variance is missing");
    for (uint32_t channel = 0; call->status == RL_OK && channel < channels; channel++) {
        float scale = 1.0f / sqrtf(variance[channel] + epsilon);
        scale = weight ? scale * weight[channel] : scale;
        normalize_channel(&input, &output, (int32_t)channel, scale,
                          (bias ? bias[channel] : 0) - mean[channel] * scale);
    }
    return call->status;
}

enum rl_status rl_run_aten_native_batch_norm_no_training(struct rl_call *call)
{
    enum { EPSILON = 6, OUTPUT };
    return run_batch_norm(call, EPSILON, OUTPUT);
}

enum rl_status rl_run_aten_native_batch_norm_legit(struct rl_call *call)
{
    enum { TRAINING = 5, EPSILON = 7, OUTPUT };
    rl_expect(call, !rl_call_bool(call, TRAINING), TRAINING, "training is not supported");
    return run_batch_norm(call, EPSILON, OUTPUT);
}

// Mean and variance of one channel over the batch and the places.
static void measure_channel(const struct rl_tensor *input, uint32_t channel, float *mean, float *variance)
{
    uint32_t strides[1][RL_TENSOR_MAX_RANK];
    int32_t sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor slice = *input;
    struct rl_walk walk;
    rl_tensor_element_strides(input, strides[0]);
    for (uint32_t i = 0; i < input->rank; i++)
        sizes[i] = i == 1 ? 1 : input->sizes[i];
    slice.sizes = sizes;
    const float *from = (const float *)input->data + channel * strides[0][1];
    float sum = 0, count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (!rl_walk_start(&walk, &slice, 1, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides))
            return;
        *mean = pass == 1 ? sum / count : 0;
        sum = count = 0;
        do {
            for (uint32_t i = 0; i < walk.count; i++, count++) {
                float x = from[walk.offset[0] + i * walk.step[0]] - *mean;
                sum += pass == 0 ? x : x * x;
            }
        } while (rl_walk_next(&walk));
    }
    *variance = sum / count;
}

// Gives the outputs of means and, behind it, of deviations their shape; they share no memory with the input.
static void resize_statistics(struct rl_call *call, uint32_t argument, const struct rl_shape *shape,
                              const struct rl_tensor *input, struct rl_tensor *means,
                              struct rl_tensor *deviations)
{
    rl_resize(call, argument, means, shape);
    rl_resize(call, argument + 1, deviations, shape);
    rl_expect_apart(call, argument, means, input);
    rl_expect_apart(call, argument + 1, deviations, input);
}

// With the statistics of the input itself, which are results, too.
enum rl_status rl_run_aten_native_batch_norm_no_stats(struct rl_call *call)
{
    enum { INPUT, WEIGHT, BIAS, TRAINING, MOMENTUM, EPSILON, OUTPUT, MEANS, DEVIATIONS };
    struct rl_tensor input, output, means, deviations;
    if (!read_batch(call, OUTPUT, &input, &output))
        return call->status;
    uint32_t channels = (uint32_t)input.sizes[1];
    const float *weight = read_channels(call, WEIGHT, channels), *bias = read_channels(call, BIAS, channels);
    float epsilon = (float)rl_call_double(call, EPSILON);
    rl_call_output(call, MEANS, &means);
    rl_call_output(call, DEVIATIONS, &deviations);
    rl_expect_type(call, MEANS, &means, RL_FLOAT32, -1);
    rl_expect_type(call, DEVIATIONS, &deviations, RL_FLOAT32, -1);
    const struct rl_shape of_channels = {.sizes = {input.sizes[1]}, .rank = 1};
    resize_statistics(call, MEANS, &of_channels, &input, &means, &deviations);
    rl_expect(call, input.bytes > 0, INPUT, "nothing has no statistics");
    for (uint32_t channel = 0; call->status == RL_OK && channel < channels; channel++) {
        float mean = 0, variance = 0;
        measure_channel(&input, channel, &mean, &variance);
        float inverse = 1.0f / sqrtf(variance + epsilon),
              scale = weight ? inverse * weight[channel] : inverse;
        normalize_channel(&input, &output, (int32_t)channel, scale,
                          (bias ? bias[channel] : 0) - mean * scale);
        ((float *)means.data)[channel] = mean;
        ((float *)deviations.data)[channel] = inverse;
    }
    return call->status;
}

// ---- layer norm

// One row of `count` elements: normalized to mean 0 and variance 1, then scaled. Two passes, each added up in
// order.
static void normalize_row(const float *from, float *to, uint32_t count, const float *weight,
                          const float *bias, float epsilon, float *mean, float *inverse_deviation)
{
    float sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += from[i];
    *mean = sum / (float)count;
    for (uint32_t i = 0; i < count; i++)
        squares += (from[i] - *mean) * (from[i] - *mean);
    *inverse_deviation = 1.0f / sqrtf(squares / (float)count + epsilon);
    for (uint32_t i = 0; i < count; i++) {
        float normal = (from[i] - *mean) * *inverse_deviation;
        to[i] = (weight ? normal * weight[i] : normal) + (bias ? bias[i] : 0);
    }
}

// Elements of the normalized dimensions, which must be the last ones of the input; in `rows` they become 1.
static uint32_t count_normalized(struct rl_call *call, uint32_t argument, const struct rl_tensor *input,
                                 struct rl_shape *rows)
{
    int32_t shape[RL_TENSOR_MAX_RANK];
    uint32_t dims = rl_call_ints(call, argument, shape, RL_TENSOR_MAX_RANK), count = 1;
    rl_expect(call, dims > 0 && dims <= input->rank, argument, "not the last dimensions of the input");
    for (uint32_t i = 0; call->status == RL_OK && i < dims; i++) {
        int32_t size = input->sizes[input->rank - dims + i];
        rl_expect(call, shape[i] == size, argument, "not the last dimensions of the input");
        count *= (uint32_t)size;
        rows->sizes[input->rank - dims + i] = 1;
    }
    return count;
}

enum rl_status rl_run_aten_native_layer_norm(struct rl_call *call)
{
    enum { INPUT, SHAPE, WEIGHT, BIAS, EPSILON, OUTPUT, MEAN, DEVIATION };
    struct rl_tensor input, output, means, deviations;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_call_output(call, MEAN, &means);
    rl_call_output(call, DEVIATION, &deviations);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_expect_type(call, MEAN, &means, RL_FLOAT32, -1);
    rl_expect_type(call, DEVIATION, &deviations, RL_FLOAT32, -1);
    rl_resize_like(call, OUTPUT, &output, &input);
    rl_expect(call, rl_same_layout(&input, &output) && rl_is_ordered(&input, rl_order_nchw), OUTPUT,
              "a tensor is not contiguous");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    float epsilon = (float)rl_call_double(call, EPSILON);
    struct rl_shape rows_shape = rl_shape_of(&input);
    uint32_t count = count_normalized(call, SHAPE, &input, &rows_shape);
    resize_statistics(call, MEAN, &rows_shape, &input, &means, &deviations);
    const float *weight = read_channels(call, WEIGHT, count), *bias = read_channels(call, BIAS, count);
    if (call->status != RL_OK || count == 0)
        return call->status;
    uint32_t rows = rl_tensor_count(&input) / count;
    rl_expect_apart(call, MEAN, &means, &output);
    rl_expect_apart(call, DEVIATION, &deviations, &output);
    for (uint32_t row = 0; row < rows && call->status == RL_OK; row++)
        normalize_row((const float *)input.data + row * count, (float *)output.data + row * count, count,
                      weight, bias, epsilon, (float *)means.data + row, (float *)deviations.data + row);
    return call->status;
}

// ---- group norm

// Each group of channels of each sample is a row; weight and bias belong to channels.
enum rl_status rl_run_aten_native_group_norm(struct rl_call *call)
{
    enum { INPUT, WEIGHT, BIAS, SAMPLES, CHANNELS, PLACES, GROUPS, EPSILON, OUTPUT, MEAN, DEVIATION };
    struct rl_tensor input, output, means, deviations;
    if (!read_batch(call, OUTPUT, &input, &output))
        return call->status;
    rl_call_output(call, MEAN, &means);
    rl_call_output(call, DEVIATION, &deviations);
    rl_expect_type(call, MEAN, &means, RL_FLOAT32, -1);
    rl_expect_type(call, DEVIATION, &deviations, RL_FLOAT32, -1);
    rl_expect(call, rl_is_ordered(&input, rl_order_nchw) && rl_is_ordered(&output, rl_order_nchw), INPUT,
              "a tensor is not contiguous");
    uint32_t channels = (uint32_t)input.sizes[1], samples = (uint32_t)input.sizes[0];
    uint32_t groups = (uint32_t)rl_bounded_int(call, GROUPS, 1, INT32_MAX);
    float epsilon = (float)rl_call_double(call, EPSILON);
    const float *weight = read_channels(call, WEIGHT, channels), *bias = read_channels(call, BIAS, channels);
    rl_expect(call, channels % groups == 0, GROUPS, "the groups do not divide the channels");
    const struct rl_shape of_groups = {.sizes = {input.sizes[0], (int32_t)groups}, .rank = 2};
    resize_statistics(call, MEAN, &of_groups, &input, &means, &deviations);
    if (call->status != RL_OK || input.bytes == 0)
        return call->status;
    const uint32_t row = rl_tensor_count(&input) / (samples * groups), places = row / (channels / groups);
    for (uint32_t i = 0; i < samples * groups; i++) {
        float *to = (float *)output.data + (size_t)i * row;
        normalize_row((const float *)input.data + (size_t)i * row, to, row, NULL, NULL, epsilon,
                      (float *)means.data + i, (float *)deviations.data + i);
        for (uint32_t k = 0; k < row; k++) {
            uint32_t channel = i % groups * (channels / groups) + k / places;
            to[k] = (weight ? to[k] * weight[channel] : to[k]) + (bias ? bias[channel] : 0);
        }
    }
    return call->status;
}
