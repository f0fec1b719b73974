// SPDX-License-Identifier: Apache-2.0
//
// aten::_native_batch_norm_legit_no_training in float.
#include <math.h>

#include "runtime/operators/portable/walk.h"

enum { INPUT, WEIGHT, BIAS, MEAN, VARIANCE, MOMENTUM, EPSILON, OUTPUT };

// One value per channel; NULL when the argument is None.
static const float *read_channels(struct rl_call *call, uint32_t argument, int32_t channels)
{
    struct rl_tensor tensor;
    if (!rl_call_optional_tensor(call, argument, &tensor))
        return NULL;
    rl_expect(call, tensor.dtype == RL_FLOAT32 && rl_tensor_count(&tensor) == (uint32_t)channels, argument,
              "not a float tensor of one element per channel");
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
