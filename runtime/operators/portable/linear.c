// SPDX-License-Identifier: Apache-2.0
//
// aten::linear.
#include <stddef.h>

#include "runtime/operators/portable/dot.h"
#include "runtime/operators/portable/host/matrix_floats.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, WEIGHT, BIAS, OUTPUT };
enum { AT_ONCE = 4 };

// Computes one row of the output. Order of each sum: bias, then the features of the input.
static void run_row(const rl_real *input, const rl_real *weight, const rl_real *bias, int32_t depth, int32_t channels,
                    rl_real *output)
{
    for (int32_t first = 0; first < channels; first += AT_ONCE) {
        const rl_real *from[AT_ONCE], *taps[AT_ONCE];
        rl_real sums[AT_ONCE];
        for (int32_t k = 0; k < AT_ONCE; k++) {
            int32_t channel = first + (k < channels - first ? k : 0); // surplus sums repeat the first one
            sums[k] = bias ? bias[channel] : 0;
            from[k] = input;
            taps[k] = weight + (ptrdiff_t)channel * depth;
        }
        rl_dot4(sums, from, 1, taps, 1, depth);
        for (int32_t k = 0; k < AT_ONCE && k < channels - first; k++) {
            rl_put_real(output + first + k, sums[k]);
        }
    }
}

// Computes all rows, for elements of any type.
static void run_numbers(const struct rl_tensor *input, const struct rl_tensor *weight, const struct rl_tensor *bias,
                        const struct rl_tensor *output)
{
    const bool real = rl_is_real(output->dtype);
    const uint32_t depth = (uint32_t)weight->sizes[1], channels = (uint32_t)weight->sizes[0];
    const uint32_t count = rl_tensor_count(output);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t channel = i % channels;
        const struct rl_vector from = {input, (size_t)(i / channels) * depth, 1},
                               taps = {weight, (size_t)channel * depth, 1};
        union rl_number sum = rl_zero(real);
        if (bias->data) {
            sum = rl_load_one(bias, channel, real);
        }
        sum = rl_dot_numbers(sum, &from, &taps, real, depth);
        rl_store(output, i, 0, real, &sum, 1);
    }
}

enum rl_status RL_RUN(aten_linear)(struct rl_call *call)
{
    struct rl_tensor input, weight, bias, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, WEIGHT, &weight);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_numbers(call, INPUT, &input);
    rl_expect_type(call, WEIGHT, &weight, input.dtype, 2);
    rl_expect_type(call, OUTPUT, &output, input.dtype, input.rank);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    int32_t depth = weight.sizes[1], channels = weight.sizes[0];
    rl_expect(call, input.sizes[input.rank - 1] == depth, INPUT, "the input has another number of features");
    struct rl_shape shape = rl_shape_of(&input);
    shape.sizes[shape.rank - 1] = channels;
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect(call,
              rl_is_ordered(&input, rl_order_contiguous) && rl_is_ordered(&weight, rl_order_contiguous) &&
                  rl_is_ordered(&output, rl_order_contiguous),
              INPUT, "a tensor is not contiguous");
    if (rl_call_optional_tensor(call, BIAS, &bias)) {
        rl_expect(call, bias.dtype == input.dtype && rl_tensor_count(&bias) == (uint32_t)channels, BIAS,
                  "the bias is not a tensor of the input's type with one element per output");
    }
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &weight);
    if (!rl_call_ready(call) || output.bytes == 0) {
        return call->status;
    }
    if (input.dtype != RL_REAL) {
        run_numbers(&input, &weight, &bias, &output);
        return RL_OK;
    }
    uint32_t rows = rl_tensor_count(&output) / (uint32_t)channels;
    if (RL_HAS_HOST_LOOPS && rows >= AT_ONCE && channels >= AT_ONCE) {
        rl_multiply_floats(&(struct rl_matrix_product){.left = {input.data, depth, 1, (int32_t)rows},
                                                       .right = {weight.data, depth, 1, channels},
                                                       .bias = bias.data,
                                                       .depth = depth,
                                                       .to = output.data,
                                                       .row = channels,
                                                       .column = 1});
        return RL_OK;
    }
    for (uint32_t row = 0; row < rows; row++) {
        run_row((const rl_real *)input.data + (size_t)row * (size_t)depth, weight.data, bias.data, depth, channels,
                (rl_real *)output.data + (size_t)row * (size_t)channels);
    }
    return RL_OK;
}
