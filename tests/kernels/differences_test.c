// SPDX-License-Identifier: Apache-2.0
// These kernels are right on every core where CMSIS-NN is wrong, or differs between cores. There is one test for each
// such case, with the shapes that show it.
#include "arm_nnfunctions.h"
#include "reference_layer.h"

#include <string.h>

static void convolve(struct rl_case *c, const struct reference_layer *l)
{
    const cmsis_nn_conv_params params = reference_layer_convolution(l);
    reference_layer_convolve(
        c, l, arm_convolve_wrapper_s8,
        arm_convolve_wrapper_s8_get_buffer_size(&params, &l->shape.input, &l->filter_dims, &l->shape.output));
}

// CMSIS-NN on Helium returns a failure for SAME padding, or the values of other inputs.
static void test_strided_row(struct rl_case *c)
{
    rl_test_start(c, "strided_1xn_convolution_as_on_scalar_cores");
    for (int32_t stride = 2; stride <= 4; stride++) {
        for (int32_t width = 7; width <= 12; width++) {
            struct reference_layer l;
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
            reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
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
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        l.shape.input = (cmsis_nn_dims){1, 5, 6, 3 * groups};
        l.shape.output = (cmsis_nn_dims){1, 5, 6, 2 * groups};
        l.shape.height = l.shape.width = 3;
        l.shape.depth = 3;
        l.shape.stride = l.shape.padding = l.shape.dilation = (cmsis_nn_tile){1, 1};
        reference_layer_prepare(c, INT8_WEIGHTS, false, &l);
        convolve(c, &l);
    }
    rl_test_stop(c);
}

// The fast 3x3 function of CMSIS-NN assumes at most one padded column on the right.
static void test_padded_on_the_right(struct rl_case *c)
{
    rl_test_start(c, "depthwise_3x3_with_two_padded_columns_on_the_right");
    for (int32_t channels = 1; channels <= 20; channels++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        l.shape.depthwise = true;
        l.shape.depth = 1;
        l.shape.input = (cmsis_nn_dims){1, 5, 5, channels};
        l.shape.output = (cmsis_nn_dims){1, 5, 5, channels};
        l.shape.height = l.shape.width = 3;
        l.shape.stride = l.shape.dilation = (cmsis_nn_tile){1, 1};
        l.shape.padding = (cmsis_nn_tile){0, 0};
        reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
        const cmsis_nn_dw_conv_params params = reference_layer_depthwise(&l);
        reference_layer_convolve_depthwise(
            c, &l, arm_depthwise_conv_wrapper_s8,
            arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &l.shape.input, &l.filter_dims, &l.shape.output));
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

// CMSIS-NN pairs other elements when both inputs are repeated, and when one has a single element for each row.
static void test_broadcast(struct rl_case *c)
{
    static const cmsis_nn_dims shapes[][3] = {
        {{4, 2, 1, 1}, {1, 2, 2, 26}, {4, 2, 2, 26}}, {{1, 3, 1, 5}, {2, 1, 4, 1}, {2, 3, 4, 5}},
        {{2, 1, 3, 1}, {1, 5, 1, 7}, {2, 5, 3, 7}},   {{1, 1, 4, 1}, {3, 1, 1, 2}, {3, 1, 4, 2}},
        {{1, 4, 5, 3}, {1, 4, 1, 1}, {1, 4, 5, 3}},
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
            const int32_t at[4] = {k / (out->c * out->w * out->h), k / (out->c * out->w) % out->h, k / out->c % out->w,
                                   k % out->c};
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

// CMSIS-NN asks for rows of the vertical stride where its kernel fills rows of the horizontal one. Kernels of other
// libraries may be given what this function says, so the size itself is checked: every row of sums with all its
// columns.
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
            rl_case_expect(c, arm_transpose_conv_s8_get_buffer_size(&params, &input, &filter, &output) >= needed,
                           "room for every sum");
            rl_case_expect(c, arm_transpose_conv_s8_get_buffer_size_mve(&params, &input, &filter, &output) >= needed,
                           "room for every sum on Helium");
            rl_case_end(c);
        }
    }
    rl_test_stop(c);
}

// PyTorch's output_padding adds outputs behind the last that an input reaches, which are the bias. CMSIS-NN reads their
// columns from beyond its row of sums, and never writes their rows.
static void test_transposed_output_padding(struct rl_case *c)
{
    enum { ROWS = 6, COLUMNS = 8, DEPTH = 16, OUT_ROWS = 14, OUT_COLUMNS = 18, CHANNELS = 2 };
    rl_test_start(c, "transposed_convolution_with_output_padding");
    rl_case_begin(c, "3x3, stride 2, one more row and column");
    const cmsis_nn_dims input_dims = {1, ROWS, COLUMNS, DEPTH}, filter_dims = {CHANNELS, 3, 3, DEPTH};
    const cmsis_nn_dims bias_dims = {1, 1, 1, CHANNELS}, output_dims = {1, OUT_ROWS, OUT_COLUMNS, CHANNELS};
    const cmsis_nn_transpose_conv_params params = {
        .input_offset = 7,
        .output_offset = -5,
        .stride = {2, 2},
        .padding_offsets = {1, 1},
        .dilation = {1, 1},
        .activation = {-128, 127},
    };
    int32_t multiplier[CHANNELS] = {INT32_C(1) << 30, INT32_C(1) << 30}, shift[CHANNELS] = {-2, -3};
    const int32_t bias[CHANNELS] = {400, -640};
    const int8_t expected[CHANNELS] = {400 / 8 - 5, -640 / 16 - 5};
    int8_t *input = rl_case_buffer(c, ROWS * COLUMNS * DEPTH, 0);
    int8_t *filter = rl_case_buffer(c, CHANNELS * 9 * DEPTH, 0);
    int8_t *output = rl_case_buffer(c, OUT_ROWS * OUT_COLUMNS * CHANNELS, 0);
    rl_random_s8(c, input, ROWS * COLUMNS * DEPTH);
    rl_random_s8(c, filter, CHANNELS * 9 * DEPTH);
    const cmsis_nn_per_channel_quant_params quant = {multiplier, shift};
    const int32_t bytes = arm_transpose_conv_s8_get_buffer_size(&params, &input_dims, &filter_dims, &output_dims);
    const cmsis_nn_context ctx = rl_case_any_scratch(c, bytes, 1, 1), none = {NULL, 0};
    rl_case_expect(c,
                   arm_transpose_conv_wrapper_s8(&ctx, &none, &params, &quant, &input_dims, input, &filter_dims, filter,
                                                 &bias_dims, bias, &output_dims, output) == ARM_CMSIS_NN_SUCCESS,
                   "success");
    for (int32_t y = 0; y < OUT_ROWS; y++) {
        const int8_t *row = output + y * OUT_COLUMNS * CHANNELS;
        rl_case_equal_s8(c, "last column", expected, row + (OUT_COLUMNS - 1) * CHANNELS, CHANNELS);
    }
    for (int32_t x = 0; x < OUT_COLUMNS; x++) {
        const int8_t *last = output + ((OUT_ROWS - 1) * OUT_COLUMNS + x) * CHANNELS;
        rl_case_equal_s8(c, "last row", expected, last, CHANNELS);
    }
    rl_case_end(c);
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
    test_transposed_output_padding(&c);
    return rl_test_finish(&c);
}
