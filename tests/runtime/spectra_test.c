// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_magnitude, quantized_activation_s16, quantized_conv2d_s16 and quantized_conv2d_s8_s16: a result
// of each, and calls that must be refused. tests/kernels/ has the exact results.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "rushlight/kernels/activation.h"

enum { COUNT = 4 };

// ---- magnitudes

// What a case changes of a call that is accepted.
struct magnitude {
    enum rl_scalar_type real, imaginary, output;
    int32_t width, other_width, output_width;
    bool root;
    int64_t numbers[5]; // input_zero_point, epsilon, magnitude_multiplier, magnitude_shift, output_zero_point
};

static enum rl_status run_magnitude(const struct magnitude *m, void *result, size_t bytes)
{
    static const int16_t real[COUNT] = {3, -300, 20000, 0}, imaginary[COUNT] = {4, 400, 0, -32768};
    static const int8_t small_real[COUNT] = {3, -30, 127, 1}, small_imaginary[COUNT] = {4, 40, 0, 1};
    static int64_t room[COUNT], more_room[COUNT];
    struct test_program p = {0};
    memcpy(room, m->real == RL_INT16 ? (const void *)real : small_real, m->real == RL_INT16 ? sizeof real : COUNT);
    memcpy(more_room, m->imaginary == RL_INT16 ? (const void *)imaginary : small_imaginary,
           m->imaginary == RL_INT16 ? sizeof imaginary : COUNT);
    program_input(&p, m->real, 1, &m->width, NULL, room);
    program_input(&p, m->imaginary, 1, &m->other_width, NULL, more_room);
    program_bool(&p, m->root);
    for (int i = 0; i < 5; i++) {
        program_int(&p, m->numbers[i]);
    }
    program_output(&p, m->output, 1, &m->output_width, NULL);
    const enum rl_status status = program_run(&p, "rushlight::quantized_magnitude", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, bytes);
    }
    program_free(&p);
    return status;
}

static const struct magnitude usual = {.real = RL_INT16,
                                       .imaginary = RL_INT16,
                                       .output = RL_INT16,
                                       .width = COUNT,
                                       .other_width = COUNT,
                                       .output_width = COUNT,
                                       .root = true,
                                       .numbers = {0, 0, 1 << 30, 3, 0}}; // a factor of 4

static void magnitudes_of_both_types(void **state)
{
    static const int16_t roots[COUNT] = {5, 500, 20000, 32767}, squares[COUNT] = {0, 15, 24414, 32767};
    static const int8_t small_roots[COUNT] = {-5, 40, 117, -9}; // 5, 50, 127 and 1.4 less 10
    struct magnitude m = usual;
    int16_t result[COUNT];
    int8_t small[COUNT];
    (void)state;
    assert_int_equal(run_magnitude(&m, result, sizeof result), RL_OK);
    assert_memory_equal(result, roots, sizeof roots);
    m.root = false;
    m.numbers[3] = -13; // 2^-14
    assert_int_equal(run_magnitude(&m, result, sizeof result), RL_OK);
    assert_memory_equal(result, squares, sizeof squares);
    m = usual, m.real = m.imaginary = m.output = RL_INT8, m.numbers[4] = -10;
    assert_int_equal(run_magnitude(&m, small, sizeof small), RL_OK);
    assert_memory_equal(small, small_roots, sizeof small_roots);
}

static void expect_refused(const struct magnitude *m)
{
    assert_int_not_equal(run_magnitude(m, NULL, 0), RL_OK);
}

static void magnitudes_must_fit(void **state)
{
    struct magnitude m;
    (void)state;
    m = usual, m.real = RL_INT8, expect_refused(&m);
    m = usual, m.imaginary = RL_INT8, expect_refused(&m);
    m = usual, m.output = RL_INT8, expect_refused(&m);
    m = usual, m.real = m.imaginary = m.output = RL_FLOAT32, expect_refused(&m);
    m = usual, m.width--, expect_refused(&m);
    m = usual, m.other_width--, expect_refused(&m);
    m = usual, m.output_width--, expect_refused(&m);
    m = usual, m.numbers[0] = 1, expect_refused(&m);
    m = usual, m.numbers[1] = -1, expect_refused(&m);
    m = usual, m.numbers[2] = -1, expect_refused(&m);
    m = usual, m.numbers[2] = (int64_t)1 << 31, expect_refused(&m);
    m = usual, m.numbers[3] = 31, expect_refused(&m);
    m = usual, m.numbers[3] = -33, expect_refused(&m);
    m = usual, m.numbers[4] = -1, expect_refused(&m);
    m = usual, m.real = m.imaginary = m.output = RL_INT8, m.numbers[0] = 128, expect_refused(&m);
}

// ---- functions

static enum rl_status run_function(enum rl_scalar_type input, enum rl_scalar_type table_type, int32_t places,
                                   int32_t width, int8_t *result)
{
    static const int16_t values[COUNT] = {10, 1024, -10, -32768};
    static const int32_t sizes[] = {COUNT};
    static int16_t table[4 * RL_CURVE_PLACES];
    static int64_t room[COUNT];
    struct test_program p = {0};
    for (int i = 0; i < RL_CURVE_PLACES; i++) { // a place for itself in front, the number 7 behind
        table[i] = (int16_t)(i < 128 ? i * 256 : 127 * 256);
        table[RL_CURVE_PLACES + i] = 7 * 256;
    }
    memcpy(room, values, sizeof values);
    program_input(&p, input, 1, sizes, NULL, room);
    program_constant(&p, table_type, 1, &places, table);
    program_output(&p, RL_INT8, 1, &width, NULL);
    const enum rl_status status = program_run(&p, "rushlight::quantized_activation_s16", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, COUNT);
    }
    program_free(&p);
    return status;
}

static void functions_of_int16(void **state)
{
    static const int8_t whole[COUNT] = {10, 127, 7, 7}, half[COUNT] = {10, 127, 0, 0};
    int8_t result[COUNT];
    (void)state;
    assert_int_equal(run_function(RL_INT16, RL_INT16, 2 * RL_CURVE_PLACES, COUNT, result), RL_OK);
    assert_memory_equal(result, whole, sizeof whole);
    assert_int_equal(run_function(RL_INT16, RL_INT16, RL_CURVE_PLACES, COUNT, result), RL_OK);
    assert_memory_equal(result, half, sizeof half);
    assert_int_not_equal(run_function(RL_INT8, RL_INT16, RL_CURVE_PLACES, COUNT, NULL), RL_OK);
    assert_int_not_equal(run_function(RL_INT16, RL_INT8, 2 * RL_CURVE_PLACES, COUNT, NULL), RL_OK);
    assert_int_not_equal(run_function(RL_INT16, RL_INT16, RL_CURVE_PLACES - 1, COUNT, NULL), RL_OK);
    assert_int_not_equal(run_function(RL_INT16, RL_INT16, RL_CURVE_PLACES + 1, COUNT, NULL), RL_OK);
    assert_int_not_equal(run_function(RL_INT16, RL_INT16, RL_CURVE_PLACES, COUNT - 1, NULL), RL_OK);
}

// int16 to int16 is interpolated, int8 to int16 looked up.
static enum rl_status run_wide_function(enum rl_scalar_type input, int32_t places, enum rl_scalar_type output,
                                        int16_t *result)
{
    static const int16_t values[COUNT] = {10, 1024, -10, 96};
    static const int8_t small_values[COUNT] = {10, -128, 127, 0};
    static const int32_t sizes[] = {COUNT};
    static int16_t table[2 * RL_CURVE_PLACES];
    static int64_t room[COUNT];
    struct test_program p = {0};
    for (int i = 0; i < 2 * RL_CURVE_PLACES; i++) {
        table[i] = (int16_t)(100 * i);
    }
    memcpy(room, input == RL_INT8 ? (const void *)small_values : values, input == RL_INT8 ? COUNT : sizeof values);
    program_input(&p, input, 1, sizes, NULL, room);
    program_constant(&p, RL_INT16, 1, &places, table);
    program_output(&p, output, 1, sizes, NULL);
    const enum rl_status status = program_run(&p, "rushlight::quantized_activation_s16", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, COUNT * sizeof *result);
    }
    program_free(&p);
    return status;
}

static void functions_with_int16_results(void **state)
{
    // place(1024) is 32 * 5 + 32, place(96) is 32 + 48.
    static const int16_t interpolated[COUNT] = {1000, 19200, 0, 8000}, looked_up[COUNT] = {13800, 0, 25500, 12800};
    int16_t result[COUNT];
    (void)state;
    assert_int_equal(run_wide_function(RL_INT16, RL_CURVE_PLACES, RL_INT16, result), RL_OK);
    assert_memory_equal(result, interpolated, sizeof interpolated);
    assert_int_equal(run_wide_function(RL_INT8, 256, RL_INT16, result), RL_OK);
    assert_memory_equal(result, looked_up, sizeof looked_up);
    assert_int_not_equal(run_wide_function(RL_INT8, 255, RL_INT16, NULL), RL_OK);
    assert_int_not_equal(run_wide_function(RL_INT8, RL_CURVE_PLACES, RL_INT16, NULL), RL_OK);
    assert_int_not_equal(run_wide_function(RL_INT8, 256, RL_INT8, NULL), RL_OK);
    assert_int_not_equal(run_wide_function(RL_INT16, 256, RL_INT16, NULL), RL_OK);
    assert_int_not_equal(run_wide_function(RL_INT16, RL_CURVE_PLACES, RL_INT32, NULL), RL_OK);
    assert_int_not_equal(run_wide_function(RL_INT32, RL_CURVE_PLACES, RL_INT16, NULL), RL_OK);
}

// ---- convolutions

struct convolution {
    enum rl_scalar_type input, output;
    int32_t weight_channels;
    int64_t offset, min, max;
    const char *op;
    enum rl_scalar_type bias;
    int32_t shift;
};

// A row of four pixels with one channel, or two with two of NHWC, and a filter of two columns.
static enum rl_status run_convolution(const struct convolution *c, int16_t *result)
{
    static const int16_t values[COUNT] = {1000, -2000, 30000, -32768};
    static const int8_t weights[] = {1, 2, 1, 2};
    static const int32_t sizes[] = {1, 1, 1, COUNT}, outputs[] = {1, 1, 1, COUNT - 1}, one[] = {1};
    static const int32_t nhwc[] = {1, 1, COUNT, 1}, nhwc_outputs[] = {1, 1, COUNT - 1, 1};
    static const uint8_t last[] = {0, 2, 3, 1};
    static const int32_t multipliers[] = {1 << 30};
    static const int64_t bias[] = {1000};
    const int32_t shift[] = {c->shift};
    const bool is_nhwc = strstr(c->op, "nhwc");
    const int32_t filter[] = {1, 1, 2, c->weight_channels}, ones[] = {1, 1}, zeros[] = {0, 0};
    static const int8_t bytes[COUNT] = {100, -20, 127, -128};
    static int64_t room[COUNT];
    struct test_program p = {0};
    memcpy(room, c->input == RL_INT8 ? (const void *)bytes : values,
           c->input == RL_INT8 ? sizeof bytes : sizeof values);
    program_input(&p, c->input, 4, is_nhwc ? nhwc : sizes, is_nhwc ? NULL : last, room);
    program_constant(&p, RL_INT8, 4, filter, weights);
    program_constant(&p, c->bias, 1, one, bias);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, zeros);
    program_ints(&p, 2, ones);
    program_int(&p, c->offset);
    program_int(&p, 0);
    program_constant(&p, RL_INT32, 1, one, multipliers);
    program_constant(&p, RL_INT32, 1, one, shift);
    program_int(&p, c->min);
    program_int(&p, c->max);
    program_scratch(&p, 64);
    program_output(&p, c->output, 4, is_nhwc ? nhwc_outputs : outputs, is_nhwc ? NULL : last);
    const enum rl_status status = program_run(&p, c->op, "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, (COUNT - 1) * sizeof *result);
    }
    program_free(&p);
    return status;
}

static void convolutions_of_int16(void **state)
{
    // Halves of -3000 + 1000, 58000 + 1000, -35536 + 1000.
    static const int16_t expected[COUNT - 1] = {-1000, 29500, -17268}, limited[COUNT - 1] = {-1000, 20000, -1000};
    static const struct convolution plain = {
        RL_INT16, RL_INT16, 1, 0, INT16_MIN, INT16_MAX, "rushlight::quantized_conv2d_s16", RL_INT64, 0};
    struct convolution c = plain;
    int16_t result[COUNT - 1];
    (void)state;
    assert_int_equal(run_convolution(&c, result), RL_OK);
    assert_memory_equal(result, expected, sizeof expected);
    c.op = "rushlight::quantized_conv2d_s16_nhwc", c.min = -1000, c.max = 20000;
    assert_int_equal(run_convolution(&c, result), RL_OK);
    assert_memory_equal(result, limited, sizeof limited);
    c = plain, c.input = RL_INT8, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.output = RL_INT8, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.weight_channels = 2, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.bias = RL_INT32, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = 14, assert_int_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = 15, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = -32, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.offset = 1, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.min = INT16_MIN - 1, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.max = INT16_MAX + 1, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.min = 1, c.max = 0, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
}

// The zero point of the input is -28, so that its values count from 28: 128, 8, 155 and -100.
static void convolutions_of_int8_with_int16_results(void **state)
{
    // Halves of 144 + 1000, 318 + 1000 and -45 + 1000, ties away from zero.
    static const int16_t expected[COUNT - 1] = {572, 659, 478}, limited[COUNT - 1] = {572, 600, 500};
    static const struct convolution plain = {
        RL_INT8, RL_INT16, 1, 28, INT16_MIN, INT16_MAX, "rushlight::quantized_conv2d_s8_s16", RL_INT32, 0};
    struct convolution c = plain;
    int16_t result[COUNT - 1];
    (void)state;
    assert_int_equal(run_convolution(&c, result), RL_OK);
    assert_memory_equal(result, expected, sizeof expected);
    c.op = "rushlight::quantized_conv2d_s8_s16_nhwc", c.min = 500, c.max = 600;
    assert_int_equal(run_convolution(&c, result), RL_OK);
    assert_memory_equal(result, limited, sizeof limited);
    c = plain, c.input = RL_INT16, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.output = RL_INT8, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.weight_channels = 2, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.bias = RL_INT64, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = 30, assert_int_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = 31, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.shift = -32, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.offset = 129, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.offset = -128, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.min = INT16_MIN - 1, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.max = INT16_MAX + 1, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
    c = plain, c.min = 1, c.max = 0, assert_int_not_equal(run_convolution(&c, NULL), RL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(magnitudes_of_both_types), cmocka_unit_test(magnitudes_must_fit),
        cmocka_unit_test(functions_of_int16),       cmocka_unit_test(functions_with_int16_results),
        cmocka_unit_test(convolutions_of_int16),    cmocka_unit_test(convolutions_of_int8_with_int16_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
