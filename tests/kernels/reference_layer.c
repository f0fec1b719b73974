// SPDX-License-Identifier: Apache-2.0
#include "reference_layer.h"

// `count` random weights, and the same two to a byte, the first in the low half.
static int32_t *random_weights(struct rl_case *c, size_t count, int8_t **packed)
{
    int32_t *weights = rl_case_s32(c, count, -8, 7);
    *packed = rl_case_buffer(c, (count + 1) / 2, (size_t)rl_random_in(c, 0, 3));
    for (size_t i = 0; i < count; i++) {
        const int32_t half = weights[i] & 15, byte = (*packed)[i / 2];
        (*packed)[i / 2] = (int8_t)(i % 2 == 0 ? (byte & ~15) | half : (byte & 15) | half * 16);
    }
    return weights;
}

// As large as 65 to 200 weights may be that add up to less than 2^13 in magnitude, in some layers but one.
static int8_t *small_weights(struct rl_case *c, size_t count)
{
    const int32_t heaviest = 8191 / rl_random_in(c, 65, 200);
    int8_t *weights = rl_case_s8(c, count);
    for (size_t i = 0; i < count; i++) {
        weights[i] = (int8_t)rl_random_extreme(c, -heaviest, heaviest);
    }
    if (rl_random_one_in(c, 3)) {
        weights[rl_random_in(c, 0, (int32_t)count - 1)] = -128;
    }
    return weights;
}

static void random_operands(struct rl_case *c, enum reference_weights weights, bool has_bias, struct reference_layer *l)
{
    struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, inputs = rl_elements(&r->input);
    const size_t count = channels * (size_t)r->height * (size_t)r->width * (r->depthwise ? 1 : (size_t)r->depth);
    l->input_offset = rl_random_extreme(c, -127, 128);
    l->output_offset = rl_random_extreme(c, -128, 127);
    l->limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    l->input = rl_case_s8(c, inputs);
    r->values = rl_case_widen_s8(c, l->input, inputs, l->input_offset);
    if (weights == INT4_WEIGHTS) {
        r->weights = random_weights(c, count, &l->filter);
    } else {
        l->filter = weights == SMALL_WEIGHTS ? small_weights(c, count) : rl_case_s8(c, count);
        r->weights = rl_case_widen_s8(c, l->filter, count, 0);
    }
    l->bias = has_bias ? rl_case_s32(c, channels, -20000, 20000) : NULL;
    l->quant.multiplier = rl_case_s32(c, channels, 0, 0);
    l->quant.shift = rl_case_s32(c, channels, 0, 0);
    const bool right_shifts_only = rl_random_one_in(c, 2);
    for (size_t i = 0; i < channels; i++) {
        rl_random_scale(c, &l->quant.multiplier[i], &l->quant.shift[i]);
        if (right_shifts_only && l->quant.shift[i] >= 0) {
            l->quant.shift[i] = -1;
        }
    }
}

void reference_layer_prepare(struct rl_case *c, enum reference_weights weights, bool has_bias,
                             struct reference_layer *l)
{
    struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, outputs = rl_elements(&r->output);
    reference_convolution_begin(c, r);
    l->bias_dims = (cmsis_nn_dims){1, 1, 1, r->output.c};
    l->filter_dims = r->depthwise ? (cmsis_nn_dims){1, r->height, r->width, r->output.c}
                                  : (cmsis_nn_dims){r->output.c, r->height, r->width, r->depth};
    random_operands(c, weights, has_bias, l);
    l->output = rl_case_s8(c, outputs);
    l->expected = rl_case_s8(c, outputs);
    int64_t *sums = rl_case_buffer(c, outputs * sizeof *sums, 0);
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        const size_t o = i % channels;
        l->expected[i] = rl_reference_output((int32_t)sums[i] + (has_bias ? l->bias[o] : 0), l->quant.multiplier[o],
                                             l->quant.shift[o], l->output_offset, l->limits.min, l->limits.max);
    }
}

void reference_layer_fit_scales(struct reference_layer *l)
{
    const struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, outputs = rl_elements(&r->output);
    static int64_t sums[4096];
    for (size_t i = 0; i < channels; i++) {
        const int32_t shift = l->quant.shift[i];
        l->quant.shift[i] = shift >= 0 || shift < -22 ? -1 - (shift & 15) : shift;
    }
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        const size_t o = i % channels;
        l->expected[i] = rl_reference_output((int32_t)sums[i] + (l->bias ? l->bias[o] : 0), l->quant.multiplier[o],
                                             l->quant.shift[o], l->output_offset, l->limits.min, l->limits.max);
    }
}

struct rl_convolution reference_layer_kernel(const struct reference_layer *l, enum rl_convolution_type type)
{
    const struct reference_convolution *r = &l->shape;
    return (struct rl_convolution){.type = type,
                                   .input = {r->input.n, r->input.h, r->input.w, r->input.c},
                                   .output = {r->output.n, r->output.h, r->output.w, r->output.c},
                                   .filter = {r->height, r->width},
                                   .stride = {r->stride.h, r->stride.w},
                                   .padding = {r->padding.h, r->padding.w},
                                   .dilation = {r->dilation.h, r->dilation.w},
                                   .groups = r->input.c / r->depth,
                                   .weights = l->filter,
                                   .bias = l->bias,
                                   .scales = {l->quant.multiplier, l->quant.shift},
                                   .input_offset = l->input_offset,
                                   .output_offset = l->output_offset,
                                   .range = {l->limits.min, l->limits.max}};
}

cmsis_nn_conv_params reference_layer_convolution(const struct reference_layer *l)
{
    return (cmsis_nn_conv_params){.input_offset = l->input_offset,
                                  .output_offset = l->output_offset,
                                  .stride = l->shape.stride,
                                  .padding = l->shape.padding,
                                  .dilation = l->shape.dilation,
                                  .activation = l->limits};
}

cmsis_nn_dw_conv_params reference_layer_depthwise(const struct reference_layer *l)
{
    return (cmsis_nn_dw_conv_params){.input_offset = l->input_offset,
                                     .output_offset = l->output_offset,
                                     .ch_mult = l->shape.output.c / l->shape.input.c,
                                     .stride = l->shape.stride,
                                     .padding = l->shape.padding,
                                     .dilation = l->shape.dilation,
                                     .activation = l->limits};
}

void reference_layer_check(struct rl_case *c, const struct reference_layer *l, arm_cmsis_nn_status status)
{
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    rl_case_end(c);
}

void reference_layer_convolve(struct rl_case *c, const struct reference_layer *l, convolve_function *function,
                              int32_t scratch)
{
    const cmsis_nn_context ctx = rl_case_scratch(c, scratch);
    const cmsis_nn_conv_params params = reference_layer_convolution(l);
    reference_layer_check(c, l,
                          function(&ctx, &params, &l->quant, &l->shape.input, l->input, &l->filter_dims, l->filter,
                                   &l->bias_dims, l->bias, &l->shape.output, l->output));
}

void reference_layer_convolve_depthwise(struct rl_case *c, const struct reference_layer *l,
                                        depthwise_function *function, int32_t scratch)
{
    const cmsis_nn_context ctx = rl_case_scratch(c, scratch);
    const cmsis_nn_dw_conv_params params = reference_layer_depthwise(l);
    reference_layer_check(c, l,
                          function(&ctx, &params, &l->quant, &l->shape.input, l->input, &l->filter_dims, l->filter,
                                   &l->bias_dims, l->bias, &l->shape.output, l->output));
}
