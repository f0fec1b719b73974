// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_layer_norm and quantized_group_norm: against floating point, in each order of elements, and each
// argument out of its range. tests/kernels/normalization_test.c has the exact results.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"

enum { IMAGES = 2, CHANNELS = 6, ROWS = 3, COLUMNS = 5, COUNT = IMAGES * CHANNELS * ROWS * COLUMNS };
enum { INPUT_ZERO_POINT = -5, OUTPUT_ZERO_POINT = 9, WEIGHT_SHIFT = 9 };

static const uint8_t channels_last[] = {0, 2, 3, 1};
static const int32_t image_sizes[] = {IMAGES, CHANNELS, ROWS, COLUMNS};
static const int16_t weights[CHANNELS] = {16000, -9000, 12000, 300, 20000, 8000};
static const int32_t bias[CHANNELS] = {0, 2000, -3000, 100, 0, 500};

// The arguments of a call, good ones unless a test changes them.
struct arguments {
    const char *operator;
    const uint8_t *order, *output_order;
    enum rl_scalar_type weight_type;
    int32_t extent, weight_count, bias_count;
    int64_t input_zero_point, epsilon, weight_shift, output_zero_point, least, most;
    bool centered, has_bias;
};

static const struct arguments good_group = {.operator= "rushlight::quantized_group_norm",
                                            .weight_type = RL_INT16,
                                            .extent = 2,
                                            .weight_count = CHANNELS,
                                            .bias_count = CHANNELS,
                                            .input_zero_point = INPUT_ZERO_POINT,
                                            .epsilon = 1 << 20,
                                            .weight_shift = WEIGHT_SHIFT,
                                            .output_zero_point = OUTPUT_ZERO_POINT,
                                            .least = -128,
                                            .most = 127,
                                            .has_bias = true};

static void fill(int8_t *numbers)
{
    uint32_t seed = 1;
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = (int8_t)test_random_int(&seed, -128, 127);
    }
}

static bool is_layer_norm(const struct arguments *a)
{
    return strcmp(a->operator, "rushlight::quantized_layer_norm") == 0;
}

// Runs a call on an input of these sizes.
static enum rl_status run(const struct arguments *a, int rank, const int32_t *sizes, const int8_t *input,
                          int8_t *result)
{
    struct test_program p = {0};
    const int32_t weight_sizes[] = {a->weight_count}, bias_sizes[] = {a->bias_count};
    program_input(&p, RL_INT8, rank, sizes, a->order, input);
    program_int(&p, a->extent);
    program_constant(&p, a->weight_type, 1, weight_sizes, weights);
    if (a->has_bias) {
        program_constant(&p, RL_INT32, 1, bias_sizes, bias);
    } else {
        program_none(&p);
    }
    if (is_layer_norm(a)) {
        program_bool(&p, a->centered);
    }
    program_int(&p, a->input_zero_point);
    program_int(&p, a->epsilon);
    program_int(&p, a->weight_shift);
    program_int(&p, a->output_zero_point);
    program_int(&p, a->least);
    program_int(&p, a->most);
    program_output(&p, RL_INT8, rank, sizes, a->output_order ? a->output_order : a->order);
    const enum rl_status status = program_run(&p, a->operator, "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, COUNT);
    }
    program_free(&p);
    return status;
}

// Checks a row of `count` values whose channel changes every `places` ones.
static void expect_row(const struct arguments *a, int channel, int count, int places, const int8_t *input,
                       const int8_t *result)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += input[i];
    }
    const double mean = a->centered ? sum / count : (double)a->input_zero_point;
    for (int i = 0; i < count; i++) {
        squares += (input[i] - mean) * (input[i] - mean);
    }
    const double deviation = sqrt(squares / count);
    for (int i = 0; i < count; i++) {
        const int k = channel + i / places;
        const double exact = (input[i] - mean) / deviation * ldexp(weights[k], -WEIGHT_SHIFT) +
                             (a->has_bias ? bias[k] / 256.0 : 0) + OUTPUT_ZERO_POINT;
        const double limited = fmin(fmax(exact, (double)a->least), (double)a->most);
        assert_true(fabs(result[i] - limited) < 0.52);
    }
}

static void groups_are_normalized_in_each_order(void **state)
{
    static const int32_t groups[] = {1, 2, 3, 6};
    int8_t input[COUNT], result[COUNT], other[COUNT];
    (void)state;
    fill(input);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        struct arguments a = good_group;
        const int of_group = CHANNELS / groups[i], row = of_group * ROWS * COLUMNS;
        a.extent = groups[i];
        a.centered = true; // for expect_row
        a.least = i == 1 ? 0 : -128;
        assert_int_equal(run(&a, 4, image_sizes, input, result), RL_OK);
        for (int k = 0; k < IMAGES * groups[i]; k++) {
            expect_row(&a, k % groups[i] * of_group, row, ROWS * COLUMNS, input + k * row, result + k * row);
        }
        a.order = channels_last;
        assert_int_equal(run(&a, 4, image_sizes, input, other), RL_OK);
        assert_memory_equal(other, result, COUNT);
    }
}

static void rows_are_normalized(void **state)
{
    static const int32_t sizes[] = {IMAGES, ROWS * COLUMNS, 2, 3};
    int8_t input[COUNT], result[COUNT];
    (void)state;
    fill(input);
    for (int i = 0; i < 4; i++) {
        struct arguments a = good_group;
        a.operator= "rushlight::quantized_layer_norm";
        a.centered = i % 2 == 0;
        a.has_bias = i < 2;
        assert_int_equal(run(&a, 4, sizes, input, result), RL_OK);
        for (int k = 0; k < COUNT; k += CHANNELS) {
            expect_row(&a, 0, CHANNELS, 1, input + k, result + k);
        }
    }
}

// An empty tensor has no rows, whatever its other sizes.
static void empty_tensors_are_left(void **state)
{
    static const int32_t groups[] = {0, CHANNELS, ROWS, COLUMNS}, rows[] = {0, 2, 3};
    struct arguments a = good_group;
    (void)state;
    assert_int_equal(run(&a, 4, groups, (const int8_t *)"", NULL), RL_OK);
    a.operator= "rushlight::quantized_layer_norm";
    assert_int_equal(run(&a, 3, rows, (const int8_t *)"", NULL), RL_OK);
}

static void bad_arguments_are_refused(void **state)
{
    struct arguments bad[14];
    int8_t input[COUNT];
    (void)state;
    fill(input);
    for (int is_layer = 0; is_layer < 2; is_layer++) {
        struct arguments good = good_group;
        const int count = (int)(sizeof bad / sizeof bad[0]);
        const int32_t sizes[] = {IMAGES * ROWS * COLUMNS, CHANNELS};
        if (is_layer) {
            good.operator= "rushlight::quantized_layer_norm";
            good.extent = 1;
        }
        assert_int_equal(run(&good, 2, sizes, input, NULL), RL_OK);
        for (int i = 0; i < count; i++) {
            bad[i] = good;
        }
        bad[0].extent = 0;
        bad[1].extent = is_layer ? 3 : 4; // more dimensions than there are; a divisor that is none
        bad[2].weight_count = CHANNELS - 1;
        bad[3].weight_type = RL_INT8;
        bad[4].bias_count = CHANNELS - 1;
        bad[5].input_zero_point = -129;
        bad[6].epsilon = -1;
        bad[7].epsilon = INT64_C(1) << 62;
        bad[8].weight_shift = 4;
        bad[9].weight_shift = 16;
        bad[10].output_zero_point = 128;
        bad[11].least = -129;
        bad[12].most = 128;
        bad[13].least = 5;
        bad[13].most = 4;
        for (int i = 0; i < count; i++) {
            if (run(&bad[i], 2, sizes, input, NULL) != RL_ERROR_TYPE) {
                fail_msg("%s: bad arguments %d are accepted", good.operator, i);
            }
        }
    }
}

static void bad_layouts_are_refused(void **state)
{
    static const uint8_t turned[] = {0, 3, 1, 2}, last[] = {0, 2, 3, 1};
    int8_t input[COUNT];
    struct arguments a = good_group;
    (void)state;
    fill(input);
    a.order = turned;
    assert_int_equal(run(&a, 4, image_sizes, input, NULL), RL_ERROR_TYPE);
    a.order = NULL;
    a.output_order = last;
    assert_int_equal(run(&a, 4, image_sizes, input, NULL), RL_ERROR_TYPE);
    a.operator= "rushlight::quantized_layer_norm";
    a.order = last;
    assert_int_equal(run(&a, 4, image_sizes, input, NULL), RL_ERROR_TYPE);
}

static void too_long_rows_are_refused(void **state)
{
    static const int32_t sizes[] = {1, CHANNELS, 1 << 20};
    static int8_t input[CHANNELS << 20];
    struct arguments a = good_group;
    (void)state;
    assert_int_equal(run(&a, 3, sizes, input, NULL), RL_OK); // three channels a row
    a.extent = 1;
    assert_int_equal(run(&a, 3, sizes, input, NULL), RL_ERROR_KERNEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_normalized_in_each_order),
        cmocka_unit_test(rows_are_normalized),
        cmocka_unit_test(empty_tensors_are_left),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(bad_layouts_are_refused),
        cmocka_unit_test(too_long_rows_are_refused),
    };
    return cmocka_run_group_tests_name("quantized_norm", tests, NULL, NULL);
}
