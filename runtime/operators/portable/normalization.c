// SPDX-License-Identifier: Apache-2.0
//
// aten::_native_batch_norm_legit and its relatives, native_layer_norm and native_group_norm.
#include <math.h>

#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// ---- batch norm

// Reads one float per channel or element. The tensor has no data if the argument is None.
static struct rl_tensor read_channels(struct rl_call *call, uint32_t argument, uint32_t count)
{
    struct rl_tensor tensor;
    if (!rl_call_optional_tensor(call, argument, &tensor)) {
        return (struct rl_tensor){.data = NULL};
    }
    rl_expect_floats(call, argument, &tensor, -1);
    rl_expect(call, rl_tensor_count(&tensor) == count, argument, "not as many elements as are normalized");
    return tensor;
}

static rl_real scaled(rl_real number, const struct rl_tensor *weight, size_t index)
{
    return weight->data ? number * rl_float_at(weight, index) : number;
}

static rl_real bias_at(const struct rl_tensor *bias, size_t index)
{
    return bias->data ? rl_float_at(bias, index) : 0;
}

// y = x * scale + shift for the elements of `channel`, in the order of the output's memory.
static void normalize_channel(const struct rl_tensor *input, const struct rl_tensor *output, int32_t channel,
                              rl_real scale, rl_real shift)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    int32_t sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor slice = *output;
    struct rl_walk walk;
    rl_tensor_element_strides(output, strides[0]);
    rl_tensor_element_strides(input, strides[1]);
    for (uint32_t i = 0; i < output->rank; i++) {
        sizes[i] = i == 1 ? 1 : output->sizes[i];
    }
    slice.sizes = sizes;
    const size_t to = (size_t)channel * strides[0][1], from = (size_t)channel * strides[1][1];
    if (!rl_walk_start(&walk, &slice, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            rl_set_float(output, to + walk.offset[0] + i * walk.step[0],
                         rl_float_at(input, from + walk.offset[1] + i * walk.step[1]) * scale + shift);
        }
    } while (rl_walk_next(&walk));
}

// Reads input and output, which have the same type and shape; false after a refusal.
static bool read_pair(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input, struct rl_tensor *output)
{
    enum { INPUT };
    rl_call_tensor(call, INPUT, input);
    rl_call_output(call, output_argument, output);
    rl_expect_floats(call, INPUT, input, -1);
    rl_expect_type(call, output_argument, output, input->dtype, -1);
    rl_resize_like(call, output_argument, output, input);
    if (call->status == RL_OK && rl_same_layout(input, output)) {
        rl_expect_aligned(call, output_argument, output, input);
    } else {
        rl_expect_disjoint(call, output_argument, output, input);
    }
    return call->status == RL_OK;
}

// The same for tensors with channels.
static bool read_batch(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input,
                       struct rl_tensor *output)
{
    const bool is_read = read_pair(call, output_argument, input, output);
    rl_expect(call, !is_read || input->rank >= 2, 0, "the input has no channels");
    return call->status == RL_OK;
}

// Normalizes with statistics that the program has.
static enum rl_status run_batch_norm(struct rl_call *call, uint32_t epsilon_argument, uint32_t output_argument)
{
    enum { WEIGHT = 1, BIAS, MEAN, VARIANCE };
    struct rl_tensor input, output;
    if (!read_batch(call, output_argument, &input, &output)) {
        return call->status;
    }
    uint32_t channels = (uint32_t)input.sizes[1];
    const struct rl_tensor weight = read_channels(call, WEIGHT, channels), bias = read_channels(call, BIAS, channels),
                           mean = read_channels(call, MEAN, channels),
                           variance = read_channels(call, VARIANCE, channels);
    rl_real epsilon = (rl_real)rl_call_double(call, epsilon_argument);
    rl_expect(call, mean.data && variance.data, MEAN, "mean or variance is missing");
    for (uint32_t channel = 0; rl_call_ready(call) && channel < channels; channel++) {
        rl_real scale = scaled(1 / RL_EXACT(sqrt)(rl_float_at(&variance, channel) + epsilon), &weight, channel);
        normalize_channel(&input, &output, (int32_t)channel, scale,
                          bias_at(&bias, channel) - rl_float_at(&mean, channel) * scale);
    }
    return call->status;
}

enum rl_status RL_RUN(aten_native_batch_norm_no_training)(struct rl_call *call)
{
    enum { EPSILON = 6, OUTPUT };
    return run_batch_norm(call, EPSILON, OUTPUT);
}

enum rl_status RL_RUN(aten_native_batch_norm_legit)(struct rl_call *call)
{
    enum { TRAINING = 5, EPSILON = 7, OUTPUT };
    rl_expect(call, !rl_call_bool(call, TRAINING), TRAINING, "training is not supported");
    return run_batch_norm(call, EPSILON, OUTPUT);
}

// Mean and variance of one channel over the batch and the positions.
static void measure_channel(const struct rl_tensor *input, uint32_t channel, rl_real *mean, rl_real *variance)
{
    uint32_t strides[1][RL_TENSOR_MAX_RANK];
    int32_t sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor slice = *input;
    struct rl_walk walk;
    rl_tensor_element_strides(input, strides[0]);
    for (uint32_t i = 0; i < input->rank; i++) {
        sizes[i] = i == 1 ? 1 : input->sizes[i];
    }
    slice.sizes = sizes;
    const size_t from = (size_t)channel * strides[0][1];
    rl_real sum = 0, count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (!rl_walk_start(&walk, &slice, 1, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
            return;
        }
        *mean = pass == 1 ? sum / count : 0;
        sum = count = 0;
        do {
            for (uint32_t i = 0; i < walk.count; i++, count++) {
                rl_real x = rl_float_at(input, from + walk.offset[0] + i * walk.step[0]) - *mean;
                sum += pass == 0 ? x : x * x;
            }
        } while (rl_walk_next(&walk));
    }
    *variance = sum / count;
}

// Reads the output of means and, behind it, that of deviations. They share no memory with the input.
static void read_statistics(struct rl_call *call, uint32_t argument, const struct rl_shape *shape,
                            const struct rl_tensor *input, struct rl_tensor *means, struct rl_tensor *deviations)
{
    rl_call_output(call, argument, means);
    rl_call_output(call, argument + 1, deviations);
    rl_expect_floats(call, argument, means, -1);
    rl_expect_floats(call, argument + 1, deviations, -1);
    rl_resize(call, argument, means, shape);
    rl_resize(call, argument + 1, deviations, shape);
    rl_expect_disjoint(call, argument, means, input);
    rl_expect_disjoint(call, argument + 1, deviations, input);
}

// Normalizes with the statistics of the input itself, which are results, too.
enum rl_status RL_RUN(aten_native_batch_norm_no_stats)(struct rl_call *call)
{
    enum { INPUT, WEIGHT, BIAS, TRAINING, MOMENTUM, EPSILON, OUTPUT, MEANS, DEVIATIONS };
    struct rl_tensor input, output, means, deviations;
    if (!read_batch(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    uint32_t channels = (uint32_t)input.sizes[1];
    const struct rl_tensor weight = read_channels(call, WEIGHT, channels), bias = read_channels(call, BIAS, channels);
    rl_real epsilon = (rl_real)rl_call_double(call, EPSILON);
    const struct rl_shape of_channels = {.sizes = {input.sizes[1]}, .rank = 1};
    read_statistics(call, MEANS, &of_channels, &input, &means, &deviations);
    rl_expect(call, input.bytes > 0, INPUT, "the input is empty");
    for (uint32_t channel = 0; rl_call_ready(call) && channel < channels; channel++) {
        rl_real mean = 0, variance = 0;
        measure_channel(&input, channel, &mean, &variance);
        rl_real inverse = 1 / RL_EXACT(sqrt)(variance + epsilon), scale = scaled(inverse, &weight, channel);
        normalize_channel(&input, &output, (int32_t)channel, scale, bias_at(&bias, channel) - mean * scale);
        rl_set_float(&means, channel, mean);
        rl_set_float(&deviations, channel, inverse);
    }
    return call->status;
}

// ---- layer norm and group norm: rows of elements that follow each other in logical order

struct rows {
    const struct rl_tensor *input, *output, *means, *deviations;
    uint32_t from[RL_TENSOR_MAX_RANK], to[RL_TENSOR_MAX_RANK]; // strides
    bool in_order;                                             // whether a row is contiguous in memory
    uint32_t count;                                            // elements in a row
    rl_real epsilon;
};

static struct rows lay_rows(const struct rl_tensor *input, const struct rl_tensor *output,
                            const struct rl_tensor *means, const struct rl_tensor *deviations, uint32_t count,
                            rl_real epsilon)
{
    struct rows rows = {.input = input,
                        .output = output,
                        .means = means,
                        .deviations = deviations,
                        .in_order =
                            rl_is_ordered(input, rl_order_contiguous) && rl_is_ordered(output, rl_order_contiguous),
                        .count = count,
                        .epsilon = epsilon};
    rl_tensor_element_strides(input, rows.from);
    rl_tensor_element_strides(output, rows.to);
    return rows;
}

static rl_real input_at(const struct rows *rows, uint32_t position)
{
    return rl_float_at(rows->input, rows->in_order ? position : rl_offset_at(rows->input, rows->from, position));
}

// Normalizes a row to mean 0 and variance 1 in two passes, each added up in order. Then it scales and shifts each
// element by the weight and bias with number (`first` + its place in the row / `places`).
static void normalize_row(const struct rows *rows, uint32_t row, const struct rl_tensor *weight,
                          const struct rl_tensor *bias, uint32_t first, uint32_t places)
{
    const uint32_t start = row * rows->count;
    rl_real sum = 0, squares = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        sum += input_at(rows, start + i);
    }
    const rl_real mean = sum / (rl_real)rows->count;
    for (uint32_t i = 0; i < rows->count; i++) {
        const rl_real distance = input_at(rows, start + i) - mean;
        squares += distance * distance;
    }
    const rl_real inverse = 1 / RL_EXACT(sqrt)(squares / (rl_real)rows->count + rows->epsilon);
    for (uint32_t i = 0; i < rows->count; i++) {
        const uint32_t position = start + i, parameter = first + i / places;
        const rl_real normal = (input_at(rows, position) - mean) * inverse;
        rl_set_float(rows->output, rows->in_order ? position : rl_offset_at(rows->output, rows->to, position),
                     scaled(normal, weight, parameter) + bias_at(bias, parameter));
    }
    rl_set_float(rows->means, row, mean);
    rl_set_float(rows->deviations, row, inverse);
}

// The number of elements of the normalized dimensions, the input's last ones. In `rows` their sizes become 1.
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

enum rl_status RL_RUN(aten_native_layer_norm)(struct rl_call *call)
{
    enum { INPUT, SHAPE, WEIGHT, BIAS, EPSILON, OUTPUT, MEAN, DEVIATION };
    struct rl_tensor input, output, means, deviations;
    if (!read_pair(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    const rl_real epsilon = (rl_real)rl_call_double(call, EPSILON);
    struct rl_shape rows_shape = rl_shape_of(&input);
    const uint32_t count = count_normalized(call, SHAPE, &input, &rows_shape);
    read_statistics(call, MEAN, &rows_shape, &input, &means, &deviations);
    const struct rl_tensor weight = read_channels(call, WEIGHT, count), bias = read_channels(call, BIAS, count);
    if (call->status != RL_OK || count == 0) {
        return call->status;
    }
    rl_expect_disjoint(call, MEAN, &means, &output);
    rl_expect_disjoint(call, DEVIATION, &deviations, &output);
    const struct rows rows = lay_rows(&input, &output, &means, &deviations, count, epsilon);
    for (uint32_t row = 0; rl_call_ready(call) && row < rl_tensor_count(&input) / count; row++) {
        normalize_row(&rows, row, &weight, &bias, 0, 1);
    }
    return call->status;
}

// Each group of channels of each sample is a row; weight and bias belong to channels.
enum rl_status RL_RUN(aten_native_group_norm)(struct rl_call *call)
{
    enum { INPUT, WEIGHT, BIAS, SAMPLES, CHANNELS, PLACES, GROUPS, EPSILON, OUTPUT, MEAN, DEVIATION };
    struct rl_tensor input, output, means, deviations;
    if (!read_batch(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    const uint32_t channels = (uint32_t)input.sizes[1], samples = (uint32_t)input.sizes[0];
    const uint32_t groups = (uint32_t)rl_bounded_int(call, GROUPS, 1, INT32_MAX);
    const rl_real epsilon = (rl_real)rl_call_double(call, EPSILON);
    const struct rl_tensor weight = read_channels(call, WEIGHT, channels), bias = read_channels(call, BIAS, channels);
    rl_expect(call, channels % groups == 0, GROUPS, "the groups do not divide the channels");
    const struct rl_shape of_groups = {.sizes = {input.sizes[0], (int32_t)groups}, .rank = 2};
    read_statistics(call, MEAN, &of_groups, &input, &means, &deviations);
    if (!rl_call_ready(call) || input.bytes == 0) {
        return call->status;
    }
    const uint32_t in_group = channels / groups, count = rl_tensor_count(&input) / (samples * groups);
    const struct rows rows = lay_rows(&input, &output, &means, &deviations, count, epsilon);
    for (uint32_t row = 0; row < samples * groups; row++) {
        normalize_row(&rows, row, &weight, &bias, row % groups * in_group, count / in_group);
    }
    return call->status;
}
