// SPDX-License-Identifier: Apache-2.0
//
// aten::_native_batch_norm_legit_no_training and aten::native_layer_norm in float.
#include <math.h>

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

enum rl_status rl_run_aten_native_batch_norm_no_training(struct rl_call *call)
{
    enum { INPUT, WEIGHT, BIAS, MEAN, VARIANCE, MOMENTUM, EPSILON, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_expect(call, input.rank >= 2 && rl_same_sizes(&input, &output), OUTPUT,
              "input and output differ in shape");
    if (call->status != RL_OK)
        return call->status;
    if (rl_same_layout(&input, &output))
        rl_expect_aligned(call, OUTPUT, &output, &input);
    else
        rl_expect_apart(call, OUTPUT, &output, &input);
    int32_t channels = input.sizes[1];
    const float *weight = read_channels(call, WEIGHT, channels), *bias = read_channels(call, BIAS, channels);
    const float *mean = read_channels(call, MEAN, channels),
                *variance = read_channels(call, VARIANCE, channels);
    float epsilon = (float)rl_call_double(call, EPSILON);
    rl_expect(call, mean && variance, MEAN, "mean or variance is missing");
    for (int32_t channel = 0; call->status == RL_OK && channel < channels; channel++) {
        float scale = 1.0f / sqrtf(variance[channel] + epsilon);
        scale = weight ? scale * weight[channel] : scale;
        normalize_channel(&input, &output, channel, scale,
                          (bias ? bias[channel] : 0) - mean[channel] * scale);
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

// Elements of the normalized dimensions, which must be the last ones of the input.
static uint32_t count_normalized(struct rl_call *call, uint32_t argument, const struct rl_tensor *input)
{
    int32_t shape[RL_TENSOR_MAX_RANK];
    uint32_t dims = rl_call_ints(call, argument, shape, RL_TENSOR_MAX_RANK), count = 1;
    rl_expect(call, dims > 0 && dims <= input->rank, argument, "not the last dimensions of the input");
    for (uint32_t i = 0; call->status == RL_OK && i < dims; i++) {
        int32_t size = input->sizes[input->rank - dims + i];
        rl_expect(call, shape[i] == size, argument, "not the last dimensions of the input");
        count *= (uint32_t)size;
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
    rl_expect(call, rl_same_layout(&input, &output) && rl_is_ordered(&input, rl_order_nchw), OUTPUT,
              "input and output differ in shape or are not contiguous");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    float epsilon = (float)rl_call_double(call, EPSILON);
    uint32_t count = count_normalized(call, SHAPE, &input);
    const float *weight = read_channels(call, WEIGHT, count), *bias = read_channels(call, BIAS, count);
    if (call->status != RL_OK || count == 0)
        return call->status;
    uint32_t rows = rl_tensor_count(&input) / count;
    rl_expect(call, rl_tensor_count(&means) == rows && rl_tensor_count(&deviations) == rows, MEAN,
              "mean or deviation do not have one element per row");
    rl_expect_apart(call, MEAN, &means, &input);
    rl_expect_apart(call, DEVIATION, &deviations, &input);
    rl_expect_apart(call, MEAN, &means, &output);
    rl_expect_apart(call, DEVIATION, &deviations, &output);
    for (uint32_t row = 0; row < rows && call->status == RL_OK; row++)
        normalize_row((const float *)input.data + row * count, (float *)output.data + row * count, count,
                      weight, bias, epsilon, (float *)means.data + row, (float *)deviations.data + row);
    return call->status;
}
