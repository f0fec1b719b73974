// SPDX-License-Identifier: Apache-2.0
//
// What the Cortex-M operators do around their kernels: both forms of linear, broadcasting, rounding, and what they
// refuse.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

static void fill(int8_t *numbers, int count, uint32_t seed)
{
    for (int i = 0; i < count; i++) {
        numbers[i] = (int8_t)test_random_int(&seed, -128, 127);
    }
}

// ---- quantize, dequantize

static void quantize_rounds_half_to_even_and_clamps(void **state)
{
    (void)state;
    static const float in[] = {0.5f,   1.5f,   2.5f,  -0.5f, -1.5f,  -2.5f,    0.49f,     126.4f,
                               126.6f, 1000.f, -1e9f, 1e30f, -1e30f, INFINITY, -INFINITY, 0};
    static const int8_t expected[] = {3, 5, 5, 3, 1, 1, 3, 127, 127, 127, -128, 127, -128, 127, -128, 3};
    static const int32_t sizes[] = {16};
    int8_t result[16];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, in);
    program_double(&p, 1.0);
    program_int(&p, 3);
    program_int(&p, -128);
    program_int(&p, 127);
    program_int(&p, RL_INT8);
    program_output(&p, RL_INT8, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "cortex_m::quantize_per_tensor", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    assert_memory_equal(result, expected, sizeof result);
    program_free(&p);
}

static void quantize_multiplies_by_the_reciprocal(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static float in[COUNT];
    static int16_t result[COUNT];
    static const int32_t sizes[] = {COUNT};
    const float scale = 0.0123f, inverse = 1.0f / scale;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)(i - COUNT / 2) * 0.4321f;
    }
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, in);
    program_double(&p, scale);
    program_int(&p, -17);
    program_int(&p, -32768);
    program_int(&p, 32767);
    program_int(&p, RL_INT16);
    program_output(&p, RL_INT16, 1, sizes, NULL);
    assert_int_equal(program_run(&p, "cortex_m::quantize_per_tensor", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int i = 0; i < COUNT; i++) {
        float scaled = in[i] * inverse;
        float expected = fminf(fmaxf(nearbyintf(scaled) - 17, -32768), 32767);
        assert_int_equal(result[i], (int)expected);
    }
    program_free(&p);
}

static void dequantize_scales(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 2, 3};
    int8_t in[12];
    float result[12];
    fill(in, 12, 3);
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, sizes, channels_last, in);
    program_double(&p, 0.1);
    program_int(&p, -5);
    program_int(&p, -128);
    program_int(&p, 127);
    program_int(&p, RL_INT8);
    program_output(&p, RL_FLOAT32, 4, sizes, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::dequantize_per_tensor", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    for (int i = 0; i < 12; i++) {
        assert_true(result[i] == (float)(in[i] + 5) * 0.1f);
    }
    program_free(&p);
}

// Other exporters write a whole number as an int where a float is meant.
static void an_int_stands_for_a_float(void **state)
{
    (void)state;
    static const int32_t scales[] = {1, 3, 1000003, INT32_MAX, 0, -7, INT32_MIN}, sizes[] = {2};
    static const int8_t in[] = {1, -3};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        float result[2];
        struct test_program p = {0};
        program_input(&p, RL_INT8, 1, sizes, NULL, in);
        program_int(&p, scales[i]);
        program_int(&p, 0);
        program_int(&p, -128);
        program_int(&p, 127);
        program_int(&p, RL_INT8);
        program_output(&p, RL_FLOAT32, 1, sizes, NULL);
        assert_int_equal(program_run(&p, "cortex_m::dequantize_per_tensor", "out"),
                         scales[i] > 0 ? RL_OK : RL_ERROR_TYPE);
        if (scales[i] > 0) {
            program_result(&p, 0, result, sizeof result);
            assert_true(result[0] == (float)scales[i] && result[1] == -3 * (float)scales[i]);
        }
        program_free(&p);
    }
}

// ---- linear

enum { ROWS = 3, DEPTH = 37, CHANNELS = 35, INPUT_OFFSET = 11 };

struct linear {
    int8_t input[ROWS * DEPTH], weights[CHANNELS * DEPTH];
    int32_t bias[CHANNELS], sums[CHANNELS];
};

static void make_linear(struct linear *l)
{
    uint32_t seed = 9;
    fill(l->input, sizeof l->input, 1);
    fill(l->weights, sizeof l->weights, 2);
    for (int o = 0; o < CHANNELS; o++) {
        l->bias[o] = test_random_int(&seed, -5000, 5000);
        l->sums[o] = l->bias[o];
        for (int k = 0; k < DEPTH; k++) {
            l->sums[o] += INPUT_OFFSET * l->weights[o * DEPTH + k];
        }
    }
}

static enum rl_status run_linear(const struct linear *l, bool with_bias, bool with_sums, int8_t *result)
{
    static const int32_t in[] = {ROWS, DEPTH}, weights[] = {CHANNELS, DEPTH}, sums[] = {1, CHANNELS},
                         bias[] = {CHANNELS};
    static const int32_t out[] = {ROWS, CHANNELS};
    struct test_program p = {0};
    program_input(&p, RL_INT8, 2, in, NULL, l->input);
    program_constant(&p, RL_INT8, 2, weights, l->weights);
    if (with_bias) {
        program_constant(&p, RL_INT32, 1, bias, l->bias);
    } else {
        program_none(&p);
    }
    if (with_sums) {
        program_constant(&p, RL_INT32, 2, sums, l->sums);
    } else {
        program_none(&p);
    }
    program_int(&p, INPUT_OFFSET);
    program_int(&p, 0);
    program_int(&p, -3);
    program_ints(&p, 1, (int32_t[]){1518500250});
    program_ints(&p, 1, (int32_t[]){-8});
    program_int(&p, 100);
    program_int(&p, -120);
    program_output(&p, RL_INT8, 2, out, NULL);
    enum rl_status status = program_run(&p, "cortex_m::quantized_linear", "out");
    if (status == RL_OK) {
        program_result(&p, 0, result, ROWS * CHANNELS);
    }
    program_free(&p);
    return status;
}

static void linear_takes_bias_or_kernel_sums(void **state)
{
    (void)state;
    static struct linear l;
    int8_t with_bias[ROWS * CHANNELS], with_sums[ROWS * CHANNELS];
    make_linear(&l);
    assert_int_equal(run_linear(&l, true, false, with_bias), RL_OK);
    assert_int_equal(run_linear(&l, false, true, with_sums), RL_OK);
    assert_memory_equal(with_bias, with_sums, sizeof with_bias);
    for (int r = 0; r < ROWS; r++) {
        for (int o = 0; o < CHANNELS; o++) {
            int32_t sum = l.sums[o];
            for (int k = 0; k < DEPTH; k++) {
                sum += l.input[r * DEPTH + k] * l.weights[o * DEPTH + k];
            }
            const double exact = fmin(fmax(sum * (1518500250.0 / 2147483648.0 / 256) - 3, -120), 100);
            assert_true(fabs(with_bias[r * CHANNELS + o] - exact) <= 1);
        }
    }
}

// A program for any core carries both: each core takes the form that suits it.
static void linear_takes_bias_and_kernel_sums_together(void **state)
{
    (void)state;
    static struct linear l;
    int8_t with_bias[ROWS * CHANNELS], with_both[ROWS * CHANNELS];
    make_linear(&l);
    assert_int_equal(run_linear(&l, true, false, with_bias), RL_OK);
    assert_int_equal(run_linear(&l, true, true, with_both), RL_OK);
    assert_memory_equal(with_bias, with_both, sizeof with_bias);
}

// ---- add, mul

static void add_arguments(struct test_program *p, bool is_add, bool channel_first, const int8_t *full,
                          const int8_t *channel, const int32_t *full_sizes, const int32_t *channel_sizes)
{
    for (int side = 0; side < 2; side++) {
        bool is_channel = (side == 0) == channel_first;
        program_input(p, RL_INT8, 4, is_channel ? channel_sizes : full_sizes, channels_last,
                      is_channel ? channel : full);
        program_int(p, is_channel ? 7 : -4);
        if (is_add) {
            program_int(p, is_channel ? 1200000000 : 1900000000);
            program_int(p, -1);
        }
    }
    program_int(p, 2);
    program_int(p, is_add ? 1300000000 : 1100000000);
    program_int(p, is_add ? -18 : -6);
    if (is_add) {
        program_int(p, -128);
        program_int(p, 127);
    }
}

static void one_value_per_channel_is_repeated(void **state)
{
    (void)state;
    static const int32_t full_sizes[] = {1, 5, 3, 4}, channel_sizes[] = {1, 5, 1, 1};
    int8_t full[60], channel[5], repeated[60], expected[60], result[60];
    fill(full, 60, 4);
    fill(channel, 5, 5);
    for (int k = 0; k < 60; k++) {
        repeated[k] = channel[k / 12];
    }
    for (int is_add = 0; is_add < 2; is_add++) {
        const char *name = is_add ? "cortex_m::quantized_add" : "cortex_m::quantized_mul";
        struct test_program same = {0};
        add_arguments(&same, is_add, false, full, repeated, full_sizes, full_sizes);
        program_output(&same, RL_INT8, 4, full_sizes, channels_last);
        assert_int_equal(program_run(&same, name, "out"), RL_OK);
        program_result(&same, 0, expected, sizeof expected);
        program_free(&same);
        for (int channel_first = 0; channel_first < 2; channel_first++) {
            struct test_program p = {0};
            add_arguments(&p, is_add, channel_first, full, channel, full_sizes, channel_sizes);
            program_output(&p, RL_INT8, 4, full_sizes, channels_last);
            assert_int_equal(program_run(&p, name, "out"), RL_OK);
            program_result(&p, 0, result, sizeof result);
            assert_memory_equal(result, expected, sizeof result);
            program_free(&p);
        }
    }
}

// Hardswish as the stock flow writes it: x * (min(x, 3) + 3), whose second factor is 0 at -431 or, where x is small, at
// a zero point far beyond. The runtime takes it as long as its difference to a value fits 32 bits.
static void factors_have_zero_points_beyond_int8(void **state)
{
    (void)state;
    static const int32_t sizes[] = {4, 5};
    static const struct {
        int32_t zero_point, shift;
        bool is_taken;
    } cases[] = {{-431, -14, true},      {32640, -14, true},   {-32641, -14, true},
                 {-1000000, -22, true},  {7000000, -25, true}, {INT32_MAX - 127, -25, false},
                 {INT32_MIN, -25, false}};
    int8_t left[20], right[20], result[20];
    fill(left, 20, 4);
    fill(right, 20, 5);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_program p = {0};
        program_input(&p, RL_INT8, 2, sizes, NULL, left);
        program_int(&p, -11);
        program_input(&p, RL_INT8, 2, sizes, NULL, right);
        program_int(&p, cases[i].zero_point);
        program_int(&p, -48);
        program_int(&p, 1 << 30); // 2^-1 * 2^shift
        program_int(&p, cases[i].shift);
        program_output(&p, RL_INT8, 2, sizes, NULL);
        assert_int_equal(program_run(&p, "cortex_m::quantized_mul", "out"), cases[i].is_taken ? RL_OK : RL_ERROR_TYPE);
        for (int k = 0; k < 20 && cases[i].is_taken; k++) {
            program_result(&p, 0, result, sizeof result);
            const double product = (double)(left[k] + 11) * ((double)right[k] - cases[i].zero_point);
            const double expected = fmax(fmin(round(ldexp(product, cases[i].shift - 1)) - 48, 127), -128);
            assert_true(fabs(result[k] - expected) <= 1);
        }
        program_free(&p);
    }
}

// ---- convolution

static enum rl_status run_convolution(int32_t scratch, int32_t out_height, const uint8_t *order, struct rl_error *error)
{
    static const int32_t in[] = {1, 3, 6, 6}, weights[] = {4, 3, 3, 3}, four[] = {4};
    static const int32_t multipliers[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, shifts[] = {-8, -8, -8, -8};
    static int8_t input[108], kernel[108];
    const int32_t out[] = {1, 4, out_height, 6};
    struct test_program p = {0};
    fill(input, sizeof input, 1);
    fill(kernel, sizeof kernel, 2);
    program_input(&p, RL_INT8, 4, in, order, input);
    program_constant(&p, RL_INT8, 4, weights, kernel);
    program_none(&p);
    for (int i = 0; i < 3; i++) {
        program_ints(&p, 2, (int32_t[]){1, 1});
    }
    program_int(&p, 5);
    program_int(&p, -6);
    program_constant(&p, RL_INT32, 1, four, multipliers);
    program_constant(&p, RL_INT32, 1, four, shifts);
    program_int(&p, -128);
    program_int(&p, 127);
    program_scratch(&p, scratch);
    program_output(&p, RL_INT8, 4, out, channels_last);
    enum rl_status status = program_run(&p, "cortex_m::quantized_conv2d", "out");
    *error = p.error;
    program_free(&p);
    return status;
}

static void convolution_checks_scratch_shape_and_layout(void **state)
{
    (void)state;
    struct rl_error error;
    assert_int_equal(run_convolution(1024, 6, channels_last, &error), RL_OK);
    assert_int_equal(run_convolution(27, 6, channels_last, &error), RL_OK); // one patch, the least
    assert_int_equal(run_convolution(26, 6, channels_last, &error), RL_ERROR_MEMORY);
    assert_int_equal(run_convolution(0, 6, channels_last, &error), RL_ERROR_MEMORY);
    assert_string_equal(error.operator_name, "cortex_m::quantized_conv2d.out");
    assert_string_equal(error.message, "the work space is too small: the program was made for another core");
    assert_int_equal(run_convolution(1024, 8, channels_last, &error), RL_ERROR_TYPE);
    assert_int_equal(run_convolution(1024, 6, NULL, &error), RL_ERROR_TYPE);
    assert_string_equal(error.message, "a tensor is not channels-last in memory");
}

// A 3x3 convolution of stride 2 without padding, from side x side pixels of two channels to 3x3 of four.
static void run_stride_two(int32_t side, const int8_t *input, int8_t result[36])
{
    static const int32_t weights[] = {4, 3, 3, 2}, four[] = {4}, out[] = {1, 4, 3, 3};
    static const int32_t multipliers[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, shifts[] = {-8, -8, -8, -8};
    static int8_t kernel[72];
    const int32_t in[] = {1, 2, side, side};
    struct test_program p = {0};
    fill(kernel, sizeof kernel, 3);
    program_input(&p, RL_INT8, 4, in, channels_last, input);
    program_constant(&p, RL_INT8, 4, weights, kernel);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){2, 2});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_int(&p, 5);
    program_int(&p, -6);
    program_constant(&p, RL_INT32, 1, four, multipliers);
    program_constant(&p, RL_INT32, 1, four, shifts);
    program_int(&p, -128);
    program_int(&p, 127);
    program_scratch(&p, 1024);
    program_output(&p, RL_INT8, 4, out, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_conv2d", "out"), RL_OK);
    program_result(&p, 0, result, 36);
    program_free(&p);
}

// An output of one row and one column more than the padding allows asks the kernel to pad at the far ends.
static void convolution_pads_as_far_as_its_output_asks(void **state)
{
    (void)state;
    int8_t small[2 * 6 * 6], padded[2 * 7 * 7], asked[36], expected[36];
    fill(small, sizeof small, 4);
    memset(padded, -5, sizeof padded); // the zero point
    for (int c = 0; c < 2; c++) {
        for (int y = 0; y < 6; y++) {
            memcpy(padded + (c * 7 + y) * 7, small + (c * 6 + y) * 6, 6);
        }
    }
    run_stride_two(6, small, asked);
    run_stride_two(7, padded, expected);
    assert_memory_equal(asked, expected, sizeof asked);
}

// ---- data movement

static void pad_and_transpose_move_bytes(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 4}, padded[] = {1, 2, 5, 5}, before[] = {0, 1, 0, 0},
                         after[] = {0, 1, 1, 0};
    static const int32_t permutation[] = {0, 2, 3, 1}, permuted[] = {1, 3, 4, 2};
    int8_t in[24], result[50];
    fill(in, 24, 6);
    struct test_program pad = {0};
    program_input(&pad, RL_INT8, 4, sizes, channels_last, in);
    program_ints(&pad, 4, before);
    program_ints(&pad, 4, after);
    program_int(&pad, -9);
    program_output(&pad, RL_INT8, 4, padded, channels_last);
    assert_int_equal(program_run(&pad, "cortex_m::pad", "out"), RL_OK);
    program_result(&pad, 0, result, 50);
    for (int c = 0; c < 2; c++) {
        for (int y = 0; y < 5; y++) {
            for (int x = 0; x < 5; x++) {
                assert_int_equal(result[(c * 5 + y) * 5 + x],
                                 y >= 1 && y < 4 && x < 4 ? in[(c * 3 + y - 1) * 4 + x] : -9);
            }
        }
    }
    program_free(&pad);
    struct test_program transpose = {0};
    program_input(&transpose, RL_INT8, 4, sizes, NULL, in);
    program_ints(&transpose, 4, permutation);
    program_output(&transpose, RL_INT8, 4, permuted, NULL);
    assert_int_equal(program_run(&transpose, "cortex_m::transpose", "out"), RL_OK);
    program_result(&transpose, 0, result, 24);
    for (int c = 0; c < 2; c++) {
        for (int k = 0; k < 12; k++) {
            assert_int_equal(result[k * 2 + c], in[c * 12 + k]);
        }
    }
    program_free(&transpose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantize_rounds_half_to_even_and_clamps),
        cmocka_unit_test(quantize_multiplies_by_the_reciprocal),
        cmocka_unit_test(dequantize_scales),
        cmocka_unit_test(an_int_stands_for_a_float),
        cmocka_unit_test(linear_takes_bias_or_kernel_sums),
        cmocka_unit_test(linear_takes_bias_and_kernel_sums_together),
        cmocka_unit_test(one_value_per_channel_is_repeated),
        cmocka_unit_test(factors_have_zero_points_beyond_int8),
        cmocka_unit_test(convolution_checks_scratch_shape_and_layout),
        cmocka_unit_test(convolution_pads_as_far_as_its_output_asks),
        cmocka_unit_test(pad_and_transpose_move_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
