// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_prelu: results in each order of the elements, and each argument out of its range.
// tests/kernels/ has the exact results for random layers.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { CHANNELS = 2, PLACES = 3, COUNT = CHANNELS * PLACES, MOST_FACTORS = 3 };

struct call {
    enum rl_scalar_type input, factors, output;
    int rank;
    int32_t sizes[4];
    const uint8_t *order;
    int32_t positive, negative; // how many factors
    int64_t shift, input_zero_point, output_zero_point;
    const int32_t *output_sizes; // NULL: those of the input
    const uint8_t *output_order; // NULL: that of the input
};

// Channel 0: x, and x / 2 below zero; channel 1: x / 4, and -x below zero. Zero points 1 and -3.
static const struct call image = {
    RL_INT8, RL_INT16, RL_INT8, 4, {1, CHANNELS, 1, PLACES}, NULL, CHANNELS, CHANNELS, 4, 1, -3, NULL, NULL};
static const int16_t positive[MOST_FACTORS] = {1 << 12, 1 << 10, 1};
static const int16_t negative[MOST_FACTORS] = {1 << 11, -(1 << 12), 1};
static const int8_t values[COUNT] = {5, -3, 127, 9, -4, -128};
// x: 4 -4 126 8 -5 -129
static const int8_t expected[COUNT] = {1, -5, 123, -1, 2, 126};

static enum rl_status run(const struct call *call, int8_t *result)
{
    static const float floats[COUNT];
    struct test_program p = {0};
    program_input(&p, call->input, call->rank, call->sizes, call->order,
                  call->input == RL_INT8 ? (const void *)values : floats);
    program_constant(&p, call->factors, 1, &call->positive, positive);
    program_constant(&p, call->factors, 1, &call->negative, negative);
    program_int(&p, call->shift);
    program_int(&p, call->input_zero_point);
    program_int(&p, call->output_zero_point);
    program_output(&p, call->output, call->rank, call->output_sizes ? call->output_sizes : call->sizes,
                   call->output_order ? call->output_order : call->order);
    const enum rl_status status = program_run(&p, "rushlight::quantized_prelu", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, COUNT);
    }
    program_free(&p);
    return status;
}

static void channels_are_dimension_1(void **state)
{
    static const uint8_t channels_last[4] = {0, 2, 3, 1};
    struct call call = image;
    int8_t result[COUNT];
    (void)state;
    assert_int_equal(run(&call, result), RL_OK);
    assert_memory_equal(result, expected, COUNT);
    call.order = channels_last;
    assert_int_equal(run(&call, result), RL_OK);
    assert_memory_equal(result, expected, COUNT);
    call = image;
    call.rank = 3;
    call.sizes[2] = PLACES;
    assert_int_equal(run(&call, result), RL_OK);
    assert_memory_equal(result, expected, COUNT);
}

static void one_factor_serves_all(void **state)
{
    static const int8_t all[COUNT] = {1, -5, 123, 5, -5, -67}; // -5 / 2 is rounded upwards
    struct call call = image;
    int8_t result[COUNT];
    (void)state;
    call.positive = call.negative = 1;
    assert_int_equal(run(&call, result), RL_OK);
    assert_memory_equal(result, all, COUNT);
    call.rank = 1;
    call.sizes[0] = COUNT;
    assert_int_equal(run(&call, result), RL_OK);
    assert_memory_equal(result, all, COUNT);
}

static void nothing_is_computed_of_no_elements(void **state)
{
    struct call call = image;
    (void)state;
    call.sizes[0] = 0;
    assert_int_equal(run(&call, NULL), RL_OK);
    call.sizes[0] = 1;
    call.sizes[3] = 0;
    assert_int_equal(run(&call, NULL), RL_OK);
}

static void expect_refused(const struct call *call)
{
    assert_int_not_equal(run(call, NULL), RL_OK);
}

static void numbers_have_their_ranges(void **state)
{
    static const int64_t shifts[] = {INT64_MIN, -1, 0, 16, INT64_MAX},
                         zero_points[] = {INT64_MIN, -129, 128, INT64_MAX};
    struct call call = image;
    (void)state;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        call.shift = shifts[i];
        expect_refused(&call);
    }
    for (size_t i = 0; i < sizeof zero_points / sizeof zero_points[0]; i++) {
        call = image;
        call.input_zero_point = zero_points[i];
        expect_refused(&call);
        call = image;
        call.output_zero_point = zero_points[i];
        expect_refused(&call);
    }
}

static void tensors_must_fit(void **state)
{
    static const uint8_t channels_last[3] = {0, 2, 1};
    struct call call = image;
    (void)state;
    call.input = RL_FLOAT32;
    expect_refused(&call);
    call = image;
    call.factors = RL_INT8;
    expect_refused(&call);
    call = image;
    call.output = RL_FLOAT32;
    expect_refused(&call);
    call = image;
    call.rank = 3; // images alone may be channels-last
    call.sizes[2] = PLACES;
    call.order = channels_last;
    expect_refused(&call);
    call = image;
    call.rank = 1;
    call.sizes[0] = COUNT;
    expect_refused(&call);
    for (int32_t count = 0; count <= MOST_FACTORS; count++) {
        call = image;
        call.negative = count;
        assert_int_equal(run(&call, NULL) == RL_OK, count == CHANNELS);
        call = image;
        call.positive = count;
        assert_int_equal(run(&call, NULL) == RL_OK, count == CHANNELS);
        call.negative = count;
        assert_int_equal(run(&call, NULL) == RL_OK, count == 1 || count == CHANNELS);
    }
}

static void output_has_the_layout_of_the_input(void **state)
{
    static const uint8_t channels_last[4] = {0, 2, 3, 1};
    static const int32_t turned[4] = {1, CHANNELS, PLACES, 1}, fewer[4] = {1, CHANNELS, 1, PLACES - 1};
    struct call call = image;
    (void)state;
    call.output_sizes = turned;
    expect_refused(&call);
    call.output_sizes = fewer;
    expect_refused(&call);
    call = image;
    call.output_order = channels_last;
    expect_refused(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_dimension_1),
        cmocka_unit_test(one_factor_serves_all),
        cmocka_unit_test(nothing_is_computed_of_no_elements),
        cmocka_unit_test(numbers_have_their_ranges),
        cmocka_unit_test(tensors_must_fit),
        cmocka_unit_test(output_has_the_layout_of_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
