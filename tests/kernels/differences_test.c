// SPDX-License-Identifier: Apache-2.0
// Where CMSIS-NN is wrong or differs from itself between cores, these kernels are right on every core. One
// test for each such place, with the shapes that show it.
#include "arm_nnfunctions.h"
#include "reference_convolution.h"

#include <string.h>

// An int8 convolution or depthwise convolution; the shape is filled by the test.
struct layer {
    struct reference_convolution shape;
    cmsis_nn_per_channel_quant_params quant;
    cmsis_nn_dims filter_dims, bias_dims;
    int32_t input_offset, output_offset;
    int8_t *input, *filter, *output, *expected;
    int32_t *bias;
};

static const cmsis_nn_activation whole_range = {INT8_MIN, INT8_MAX};

static void prepare(struct rl_case *c, bool has_bias, struct layer *l)
{
    struct reference_convolution *r = &l->shape;
    const size_t channels = (size_t)r->output.c, outputs = rl_elements(&r->output);
    const size_t weights =
        channels * (size_t)r->height * (size_t)r->width * (r->depthwise ? 1 : (size_t)r->depth);
    l->bias_dims = (cmsis_nn_dims){1, 1, 1, r->output.c};
    l->filter_dims = r->depthwise ? (cmsis_nn_dims){1, r->height, r->width, r->output.c}
                                  : (cmsis_nn_dims){r->output.c, r->height, r->width, r->depth};
    reference_convolution_begin(c, r);
    l->input_offset = rl_random_extreme(c, -127, 128);
    l->output_offset = rl_random_extreme(c, -128, 127);
    l->input = rl_case_s8(c, rl_elements(&r->input));
    l->filter = rl_case_s8(c, weights);
    l->output = rl_case_s8(c, outputs);
    l->expected = rl_case_s8(c, outputs);
    l->bias = has_bias ? rl_case_s32(c, channels, -20000, 20000) : NULL;
    l->quant.multiplier = rl_case_s32(c, channels, 1 << 30, INT32_MAX);
    l->quant.shift = rl_case_s32(c, channels, -10, -6);
    r->values = rl_case_widen_s8(c, l->input, rl_elements(&r->input), l->input_offset);
    r->weights = rl_case_widen_s8(c, l->filter, weights, 0);
    int64_t *sums = rl_case_buffer(c, outputs * sizeof *sums, 0);
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        const size_t o = i % channels;
        l->expected[i] =
            rl_reference_output((int32_t)sums[i] + (has_bias ? l->bias[o] : 0), l->quant.multiplier[o],
                                l->quant.shift[o], l->output_offset, INT8_MIN, INT8_MAX);
    }
}

static void check(struct rl_case *c, const struct layer *l, arm_cmsis_nn_status status)
{
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s8(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    rl_case_end(c);
}

static void convolve(struct rl_case *c, const struct layer *l)
{
    const struct reference_convolution *r = &l->shape;
    const cmsis_nn_conv_params params = {l->input_offset, l->output_offset, r->stride,
                                         r->padding,      r->dilation,      whole_range};
    const cmsis_nn_context ctx = rl_case_scratch(
        c, arm_convolve_wrapper_s8_get_buffer_size(&params, &r->input, &l->filter_dims, &r->output));
    check(c, l,
          arm_convolve_wrapper_s8(&ctx, &params, &l->quant, &r->input, l->input, &l->filter_dims, l->filter,
                                  &l->bias_dims, l->bias, &r->output, l->output));
}

// CMSIS-NN on Helium returns a failure for SAME padding, or the values of other inputs.
static void test_strided_row(struct rl_case *c)
{
    rl_test_start(c, "strided_1xn_convolution_as_on_scalar_cores");
    for (int32_t stride = 2; stride <= 4; stride++) {
        for (int32_t width = 7; width <= 12; width++) {
            struct layer l;
            memset(&l, 0, sizeof l);
            const int32_t outputs = (width + stride - 1) / stride;
            const int32_t padding = (outputs - 1) * stride + 5 - width;
            l.shape.input = (cmsis_nn_dims){2, 1, width, 4};
            l.shape.output = (cmsis_nn_dims){2, 1, outputs, 6};
            l.shape.height = 1;
            l.shape.width = 5;
            l.shape.depth = 4;
            l.shape.stride = (cmsis_nn_tile){stride, 1};
            l.shape.padding = (cmsis_nn_tile){padding > 0 ? padding / 2 : 0, 0};
            l.shape.dilation = (cmsis_nn_tile){1, 1};
            prepare(c, true, &l);
            convolve(c, &l);
        }
    }
    rl_test_stop(c);
}

// CMSIS-NN reads from NULL + offset for the groups after the first one.
static void test_groups_without_bias(struct rl_case *c)
{
    rl_test_start(c, "grouped_convolution_without_bias");
    for (int32_t groups = 2; groups <= 4; groups++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        l.shape.input = (cmsis_nn_dims){1, 5, 6, 3 * groups};
        l.shape.output = (cmsis_nn_dims){1, 5, 6, 2 * groups};
        l.shape.height = l.shape.width = 3;
        l.shape.depth = 3;
        l.shape.stride = l.shape.padding = l.shape.dilation = (cmsis_nn_tile){1, 1};
        prepare(c, false, &l);
        convolve(c, &l);
    }
    rl_test_stop(c);
}

// The fast 3x3 function of CMSIS-NN assumes at most one padded column on the right.
static void test_padded_on_the_right(struct rl_case *c)
{
    rl_test_start(c, "depthwise_3x3_with_two_padded_columns_on_the_right");
    for (int32_t channels = 1; channels <= 20; channels++) {
        struct layer l;
        memset(&l, 0, sizeof l);
        l.shape.depthwise = true;
        l.shape.depth = 1;
        l.shape.input = (cmsis_nn_dims){1, 5, 5, channels};
        l.shape.output = (cmsis_nn_dims){1, 5, 5, channels};
        l.shape.height = l.shape.width = 3;
        l.shape.stride = l.shape.dilation = (cmsis_nn_tile){1, 1};
        l.shape.padding = (cmsis_nn_tile){0, 0};
        prepare(c, true, &l);
        const struct reference_convolution *r = &l.shape;
        const cmsis_nn_dw_conv_params params = {l.input_offset, l.output_offset, 1,          r->stride,
                                                r->padding,     r->dilation,     whole_range};
        const cmsis_nn_context ctx = rl_case_scratch(
            c, arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &r->input, &l.filter_dims, &r->output));
        check(c, &l,
              arm_depthwise_conv_wrapper_s8(&ctx, &params, &l.quant, &r->input, l.input, &l.filter_dims,
                                            l.filter, &l.bias_dims, l.bias, &r->output, l.output));
    }
    rl_test_stop(c);
}

// CMSIS-NN on Helium exchanges the columns and the channels.
static void test_identity(struct rl_case *c)
{
    static const uint32_t identity[] = {0, 1, 2, 3};
    rl_test_start(c, "identity_transpose_of_four_axes");
    for (int i = 0; i < 30; i++) {
        const cmsis_nn_dims dims = {rl_random_in(c, 1, 3), rl_random_in(c, 1, 5), rl_random_in(c, 1, 17),
                                    rl_random_in(c, 1, 20)};
        rl_case_begin(c, "%ld %ld %ld %ld", (long)dims.n, (long)dims.h, (long)dims.w, (long)dims.c);
        const size_t count = rl_elements(&dims);
        int8_t *input = rl_case_s8(c, count), *output = rl_case_s8(c, count);
        const cmsis_nn_transpose_params params = {4, identity};
        const arm_cmsis_nn_status status = arm_transpose_s8(input, output, &dims, &dims, &params);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", input, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static int8_t element(const int8_t *data, const cmsis_nn_dims *dims, const int32_t at[4])
{
    const int32_t n = dims->n == 1 ? 0 : at[0], h = dims->h == 1 ? 0 : at[1];
    const int32_t w = dims->w == 1 ? 0 : at[2], channel = dims->c == 1 ? 0 : at[3];
    return data[((n * dims->h + h) * dims->w + w) * dims->c + channel];
}

// CMSIS-NN pairs other elements when both inputs are repeated.
static void test_broadcast(struct rl_case *c)
{
    static const cmsis_nn_dims shapes[][3] = {
        {{4, 2, 1, 1}, {1, 2, 2, 26}, {4, 2, 2, 26}},
        {{1, 3, 1, 5}, {2, 1, 4, 1}, {2, 3, 4, 5}},
        {{2, 1, 3, 1}, {1, 5, 1, 7}, {2, 5, 3, 7}},
        {{1, 1, 4, 1}, {3, 1, 1, 2}, {3, 1, 4, 2}},
    };
    rl_test_start(c, "minimum_and_maximum_broadcast");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const cmsis_nn_dims *a = &shapes[i][0], *b = &shapes[i][1], *out = &shapes[i][2];
        rl_case_begin(c, "shape %d of the table", (int)i);
        const size_t count = rl_elements(out);
        int8_t *x = rl_case_s8(c, rl_elements(a)), *y = rl_case_s8(c, rl_elements(b));
        int8_t *least = rl_case_s8(c, count), *most = rl_case_s8(c, count);
        int8_t *expected_least = rl_case_s8(c, count), *expected_most = rl_case_s8(c, count);
        for (int32_t k = 0; k < (int32_t)count; k++) {
            const int32_t at[4] = {k / (out->c * out->w * out->h), k / (out->c * out->w) % out->h,
                                   k / out->c % out->w, k % out->c};
            const int8_t p = element(x, a, at), q = element(y, b, at);
            expected_least[k] = p < q ? p : q;
            expected_most[k] = p < q ? q : p;
        }
        const cmsis_nn_context none = {NULL, 0};
        const bool success = arm_minimum_s8(&none, x, a, y, b, least, out) == ARM_CMSIS_NN_SUCCESS &&
                             arm_maximum_s8(&none, x, a, y, b, most, out) == ARM_CMSIS_NN_SUCCESS;
        rl_case_expect(c, success, "success");
        rl_case_equal_s8(c, "minimum", expected_least, least, count);
        rl_case_equal_s8(c, "maximum", expected_most, most, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// CMSIS-NN asks for rows of the vertical stride where its kernel fills rows of the horizontal one. Kernels of
// other libraries may be given what this function says, so the size itself is checked: every row of sums with
// all its columns.
static void test_transposed_scratch(struct rl_case *c)
{
    rl_test_start(c, "scratch_of_transposed_convolution_with_unequal_strides");
    for (int32_t horizontal = 1; horizontal <= 5; horizontal++) {
        for (int32_t vertical = 1; vertical <= 5; vertical++) {
            rl_case_begin(c, "stride %ld, %ld", (long)vertical, (long)horizontal);
            const cmsis_nn_transpose_conv_params params = {.stride = {horizontal, vertical}};
            const cmsis_nn_dims input = {1, 4, 6, 3}, filter = {2, 2, 2, 3}, output = {1, 12, 20, 2};
            const int32_t columns = 5 * horizontal + (horizontal > 2 ? horizontal : 2);
            const int32_t needed = columns * (vertical > 2 ? vertical : 2) * output.c * 4;
            rl_case_expect(c,
                           arm_transpose_conv_s8_get_buffer_size(&params, &input, &filter, &output) >= needed,
                           "room for every sum");
            rl_case_expect(
                c, arm_transpose_conv_s8_get_buffer_size_mve(&params, &input, &filter, &output) >= needed,
                "room for every sum on Helium");
            rl_case_end(c);
        }
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_strided_row(&c);
    test_groups_without_bias(&c);
    test_padded_on_the_right(&c);
    test_identity(&c);
    test_broadcast(&c);
    test_transposed_scratch(&c);
    return rl_test_finish(&c);
}
