// SPDX-License-Identifier: Apache-2.0
//
// aten::convolution and aten::linear against sums in double, over layouts, groups, strides, padding and dilation.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

struct shape {
    int32_t batch, channels, height, width, outputs, kernel_h, kernel_w;
    int32_t stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups;
    bool bias;
};

static int32_t extent(int32_t size, int32_t kernel, int32_t stride, int32_t padding, int32_t dilation)
{
    return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

static float *random_floats(uint32_t *state, size_t count)
{
    float *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = test_random_float(state);
    }
    return numbers;
}

static double reference_at(const struct shape *s, const float *input, const float *weight, const float *bias, int32_t n,
                           int32_t o, int32_t y, int32_t x)
{
    int32_t depth = s->channels / s->groups, group = o / (s->outputs / s->groups);
    double sum = bias ? bias[o] : 0;
    for (int32_t i = 0; i < depth; i++) {
        for (int32_t ky = 0; ky < s->kernel_h; ky++) {
            for (int32_t kx = 0; kx < s->kernel_w; kx++) {
                int32_t iy = y * s->stride_h - s->padding_h + ky * s->dilation_h;
                int32_t ix = x * s->stride_w - s->padding_w + kx * s->dilation_w;
                if (iy < 0 || iy >= s->height || ix < 0 || ix >= s->width) {
                    continue;
                }
                int32_t channel = group * depth + i;
                sum += (double)input[((n * s->channels + channel) * s->height + iy) * s->width + ix] *
                       weight[((o * depth + i) * s->kernel_h + ky) * s->kernel_w + kx];
            }
        }
    }
    return sum;
}

// Runs one shape; with one_dimensional, height 1 is not a dimension of the tensors.
static void check(const struct shape *s, const uint8_t *in_order, const uint8_t *out_order, bool one_dimensional)
{
    uint32_t random = 7;
    int32_t height = extent(s->height, s->kernel_h, s->stride_h, s->padding_h, s->dilation_h);
    int32_t width = extent(s->width, s->kernel_w, s->stride_w, s->padding_w, s->dilation_w);
    int32_t depth = s->channels / s->groups;
    int32_t in_sizes[] = {s->batch, s->channels, s->height, s->width};
    int32_t weight_sizes[] = {s->outputs, depth, s->kernel_h, s->kernel_w};
    int32_t out_sizes[] = {s->batch, s->outputs, height, width};
    size_t out_count = (size_t)s->batch * s->outputs * height * width;
    float *input = random_floats(&random, (size_t)s->batch * s->channels * s->height * s->width);
    float *weight = random_floats(&random, (size_t)s->outputs * depth * s->kernel_h * s->kernel_w);
    float *bias = random_floats(&random, (size_t)s->outputs);
    float *output = malloc(out_count * sizeof *output);
    int rank = one_dimensional ? 3 : 4, first = one_dimensional ? 1 : 0, spatial = one_dimensional ? 1 : 2;
    if (one_dimensional) {
        in_sizes[2] = s->width;
        weight_sizes[2] = s->kernel_w;
        out_sizes[2] = width;
    }
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, rank, in_sizes, in_order, input);
    program_constant(&p, RL_FLOAT32, rank, weight_sizes, weight);
    if (s->bias) {
        program_constant(&p, RL_FLOAT32, 1, &s->outputs, bias);
    } else {
        program_none(&p);
    }
    program_ints(&p, spatial, (int32_t[]){s->stride_h, s->stride_w} + first);
    program_ints(&p, spatial, (int32_t[]){s->padding_h, s->padding_w} + first);
    program_ints(&p, spatial, (int32_t[]){s->dilation_h, s->dilation_w} + first);
    program_bool(&p, false);
    program_ints(&p, spatial, (int32_t[]){0, 0});
    program_int(&p, s->groups);
    program_output(&p, RL_FLOAT32, rank, out_sizes, out_order);
    assert_int_equal(program_run(&p, "aten::convolution", "out"), RL_OK);
    program_result(&p, 0, output, out_count * sizeof *output);
    for (size_t k = 0; k < out_count; k++) {
        int32_t x = (int32_t)(k % (size_t)width), y = (int32_t)(k / (size_t)width % (size_t)height);
        int32_t o = (int32_t)(k / ((size_t)width * height) % (size_t)s->outputs);
        int32_t n = (int32_t)(k / ((size_t)width * height * s->outputs));
        double expected = reference_at(s, input, weight, s->bias ? bias : NULL, n, o, y, x);
        assert_true(fabs(output[k] - expected) < 1e-4);
    }
    program_free(&p);
    free(input);
    free(weight);
    free(bias);
    free(output);
}

static void convolution_over_shapes(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {1, 3, 8, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},    {2, 4, 7, 5, 6, 3, 2, 2, 1, 1, 0, 1, 1, 1, false},
        {1, 6, 9, 9, 6, 3, 3, 1, 1, 1, 1, 1, 1, 6, true},    {1, 4, 9, 11, 8, 3, 3, 2, 2, 1, 1, 1, 1, 4, true},
        {1, 8, 6, 6, 4, 1, 1, 1, 1, 0, 0, 1, 1, 1, true},    {1, 8, 12, 12, 12, 3, 3, 1, 1, 2, 2, 2, 2, 2, true},
        {1, 1, 49, 10, 5, 10, 4, 2, 2, 5, 1, 1, 1, 1, true}, {3, 2, 4, 4, 2, 4, 4, 1, 1, 0, 0, 1, 1, 1, true},
        {1, 2, 3, 3, 2, 5, 5, 1, 1, 4, 4, 1, 1, 1, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check(&shapes[i], NULL, NULL, false);
        check(&shapes[i], channels_last, channels_last, false);
        check(&shapes[i], NULL, channels_last, false);
    }
}

static void convolution_in_one_dimension(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {2, 3, 1, 16, 5, 1, 3, 1, 1, 0, 1, 1, 1, 1, true},
        {1, 4, 1, 20, 4, 1, 5, 1, 2, 0, 2, 1, 2, 4, false},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check(&shapes[i], NULL, NULL, true);
    }
}

static void convolution_refuses_a_wrong_output_shape(void **state)
{
    (void)state;
    const int32_t in[] = {1, 1, 4, 4}, weight[] = {1, 1, 3, 3}, out[] = {1, 1, 4, 4};
    static const float zeros[16];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, in, NULL, zeros);
    program_constant(&p, RL_FLOAT32, 4, weight, zeros);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_bool(&p, false);
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 4, out, NULL);
    assert_int_equal(program_run(&p, "aten::convolution", "out"), RL_ERROR_TYPE);
    assert_string_equal(p.error.operator_name, "aten::convolution.out");
    assert_int_equal(p.error.argument, 9);
    program_free(&p);
}

// Each input element adds its window of weighted copies to the output.
static void transposed_convolution(void **state)
{
    (void)state;
    enum { CHANNELS = 4, GROUPS = 2, EACH = 3, OUTPUTS = GROUPS * EACH, IN = 4, KERNEL = 3, HEIGHT = 9, WIDTH = 6 };
    static const int32_t stride[2] = {2, 1}, padding[2] = {1, 0}, dilation[2] = {2, 1}, more[2] = {0, 0};
    // 9 = (4 - 1) * 2 - 2 * 1 + 2 * (3 - 1) + 1,  6 = (4 - 1) * 1 + (3 - 1) + 1
    const int32_t in[] = {1, CHANNELS, IN, IN}, kernel[] = {CHANNELS, EACH, KERNEL, KERNEL};
    const int32_t out[] = {1, OUTPUTS, HEIGHT, WIDTH}, outputs = OUTPUTS;
    uint32_t random = 5;
    float *input = random_floats(&random, CHANNELS * IN * IN), *bias = random_floats(&random, OUTPUTS);
    float *weight = random_floats(&random, CHANNELS * EACH * KERNEL * KERNEL);
    static double expected[OUTPUTS][HEIGHT][WIDTH];
    static float output[OUTPUTS][HEIGHT][WIDTH];
    for (int o = 0; o < OUTPUTS; o++) {
        for (int k = 0; k < HEIGHT * WIDTH; k++) {
            expected[o][k / WIDTH][k % WIDTH] = bias[o];
        }
    }
    for (int i = 0; i < CHANNELS * IN * IN; i++) {
        for (int k = 0; k < EACH * KERNEL * KERNEL; k++) {
            int channel = i / (IN * IN), o = channel / (CHANNELS / GROUPS) * EACH + k / (KERNEL * KERNEL);
            int y = i / IN % IN * stride[0] - padding[0] + k / KERNEL % KERNEL * dilation[0];
            int x = i % IN * stride[1] - padding[1] + k % KERNEL * dilation[1];
            if (y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH) {
                expected[o][y][x] += (double)input[i] * weight[channel * EACH * KERNEL * KERNEL + k];
            }
        }
    }
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, in, NULL, input);
    program_constant(&p, RL_FLOAT32, 4, kernel, weight);
    program_constant(&p, RL_FLOAT32, 1, &outputs, bias);
    program_ints(&p, 2, stride);
    program_ints(&p, 2, padding);
    program_ints(&p, 2, dilation);
    program_bool(&p, true);
    program_ints(&p, 2, more);
    program_int(&p, GROUPS);
    program_output(&p, RL_FLOAT32, 4, out, NULL);
    assert_int_equal(program_run(&p, "aten::convolution", "out"), RL_OK);
    program_result(&p, 0, output, sizeof output);
    for (int k = 0; k < OUTPUTS * HEIGHT * WIDTH; k++) {
        assert_true(fabs((&output[0][0][0])[k] - (&expected[0][0][0])[k]) < 1e-4);
    }
    program_free(&p);
    free(input);
    free(weight);
    free(bias);
}

// Without input channels every sum is its bias: no tap is looked at, however large window and image are, and no
// position leaves 32 bits.
static void convolution_of_nothing(void **state)
{
    (void)state;
    enum { LARGE = 2147483647 };
    static const struct {
        enum rl_scalar_type dtype;
        int32_t in[2], kernel[2], stride, padding, out[2];
        enum rl_status status;
    } cases[] = {
        {RL_FLOAT32, {20002, 20002}, {20000, 20000}, 1, 0, {3, 3}, RL_OK},
        {RL_INT8, {30002, 30002}, {30000, 30000}, 1, 0, {3, 3}, RL_OK},
        {RL_INT8, {LARGE, 1}, {1, 1}, 32767, 0, {65539, 1}, RL_OK},
        {RL_INT8, {LARGE, 1}, {1, 1}, 32767, 32767, {65541, 1}, RL_ERROR_TYPE},
    };
    static const int32_t one = 1;
    static const float real_bias = 0.5f;
    static const int8_t bias = 5;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool is_real = cases[i].dtype == RL_FLOAT32;
        const int32_t in[] = {1, 0, cases[i].in[0], cases[i].in[1]};
        const int32_t kernel[] = {1, 0, cases[i].kernel[0], cases[i].kernel[1]};
        const int32_t out[] = {1, 1, cases[i].out[0], cases[i].out[1]};
        struct test_program p = {0};
        program_input(&p, cases[i].dtype, 4, in, NULL, &bias);
        program_constant(&p, cases[i].dtype, 4, kernel, &bias);
        program_constant(&p, cases[i].dtype, 1, &one, is_real ? (const void *)&real_bias : &bias);
        program_ints(&p, 2, (int32_t[]){cases[i].stride, 1});
        program_ints(&p, 2, (int32_t[]){cases[i].padding, 0});
        program_ints(&p, 2, (int32_t[]){1, 1});
        program_bool(&p, false);
        program_ints(&p, 2, (int32_t[]){0, 0});
        program_int(&p, 1);
        program_output(&p, cases[i].dtype, 4, out, NULL);
        assert_int_equal(program_run(&p, "aten::convolution", "out"), cases[i].status);
        for (int32_t k = 0; k < out[2] * out[3] && cases[i].status == RL_OK; k++) {
            struct rl_tensor output;
            assert_int_equal(rl_method_output(&p.method, 0, &output), RL_OK);
            assert_true(is_real ? ((const float *)output.data)[k] == real_bias
                                : ((const int8_t *)output.data)[k] == bias);
        }
        program_free(&p);
    }
}

static void linear_over_shapes(void **state)
{
    (void)state;
    static const int32_t shapes[][3] = {{1, 1, 1}, {3, 7, 5}, {2, 16, 8}, {5, 33, 9}}; // rows, inputs, outputs
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t random = 3;
        const int32_t rows = shapes[i][0], depth = shapes[i][1], channels = shapes[i][2];
        const int32_t in[] = {rows, depth}, weights[] = {channels, depth}, out[] = {rows, channels};
        float *input = random_floats(&random, (size_t)rows * depth);
        float *weight = random_floats(&random, (size_t)channels * depth);
        float *bias = random_floats(&random, (size_t)channels), *output = malloc((size_t)rows * channels * 4);
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 2, in, NULL, input);
        program_constant(&p, RL_FLOAT32, 2, weights, weight);
        program_constant(&p, RL_FLOAT32, 1, &channels, bias);
        program_output(&p, RL_FLOAT32, 2, out, NULL);
        assert_int_equal(program_run(&p, "aten::linear", "out"), RL_OK);
        program_result(&p, 0, output, (size_t)rows * channels * 4);
        for (int32_t r = 0; r < rows; r++) {
            for (int32_t o = 0; o < channels; o++) {
                double sum = bias[o];
                for (int32_t k = 0; k < depth; k++) {
                    sum += (double)input[r * depth + k] * weight[o * depth + k];
                }
                assert_true(fabs(output[r * channels + o] - sum) < 1e-5);
            }
        }
        program_free(&p);
        free(input);
        free(weight);
        free(bias);
        free(output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_over_shapes),
        cmocka_unit_test(convolution_in_one_dimension),
        cmocka_unit_test(convolution_refuses_a_wrong_output_shape),
        cmocka_unit_test(transposed_convolution),
        cmocka_unit_test(convolution_of_nothing),
        cmocka_unit_test(linear_over_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
