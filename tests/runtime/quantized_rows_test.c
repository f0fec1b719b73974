// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_log_softmax, quantized_cumsum and quantized_var: one result of each, and each argument out of
// its range. tests/kernels/ has the exact results.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { ROWS = 2, ROW = 4, COUNT = ROWS * ROW, MOST_NUMBERS = 9 };

static const int32_t sizes[] = {ROWS, ROW};
static const int8_t values[COUNT] = {1, 2, 3, 4, -5, 5, -5, 5};

// A call with `count` integers between input and output. The third one of a variance is a bool.
struct call {
    const char *operator;
    int64_t numbers[MOST_NUMBERS];
    int count;
    int rank; // of the output
    int32_t sizes[3];
    enum rl_scalar_type type; // of the output
};

// Input scale 1/8, output scale 1/16: dim, exponentials, step, fraction, log multiplier, log shift, zero point.
static const struct call log_softmax = {.operator= "rushlight::quantized_log_softmax",
                                        .numbers = {-1, 1 << 30, 24, -124, 2 << 20, 20, 1488522236, 31, 127},
                                        .count = 9,
                                        .rank = 2,
                                        .sizes = {ROWS, ROW},
                                        .type = RL_INT8};

// dim, zero points, scale 1/2.
static const struct call cumsum = {.operator= "rushlight::quantized_cumsum",
                                   .numbers = {1, 1, -3, 1 << 30, 0},
                                   .count = 5,
                                   .rank = 2,
                                   .sizes = {ROWS, ROW},
                                   .type = RL_INT8};

// dims, deviation, scale 1/16, zero point.
static const struct call variance = {.operator= "rushlight::quantized_var",
                                     .numbers = {1, 0, 1 << 30, -3, -128},
                                     .count = 5,
                                     .rank = 1,
                                     .sizes = {ROWS},
                                     .type = RL_INT8};

static enum rl_status run(const struct call *call, enum rl_scalar_type input, int8_t *result)
{
    struct test_program p = {0};
    static const float floats[COUNT];
    program_input(&p, input, 2, sizes, NULL, input == RL_INT8 ? (const void *)values : floats);
    for (int i = 0; i < call->count; i++) {
        if (i == 1 && strcmp(call->operator, variance.operator) == 0) {
            program_bool(&p, call->numbers[i] != 0);
        } else {
            program_int(&p, call->numbers[i]);
        }
    }
    program_output(&p, call->type, call->rank, call->sizes, NULL);
    const enum rl_status status = program_run(&p, call->operator, "out");
    if (status == RL_OK && result) {
        int32_t count = 1;
        for (int i = 0; i < call->rank; i++) {
            count *= call->sizes[i];
        }
        program_result(&p, 0, result, (uint32_t)count);
    }
    program_free(&p);
    return status;
}

// log(softmax([0, 1/8, 2/8, 3/8])) = [-1.5836, -1.4586, -1.3336, -1.2086], and log(softmax([0, 10/8, 0, 10/8])) =
// [-2.1949, -0.9449], in sixteenths.
static void logarithms_of_softmax(void **state)
{
    static const int8_t expected[COUNT] = {102, 104, 106, 108, 92, 112, 92, 112};
    int8_t result[COUNT];
    (void)state;
    assert_int_equal(run(&log_softmax, RL_INT8, result), RL_OK);
    assert_memory_equal(result, expected, COUNT);
}

// The same of int16, in steps of 1/16 and with zero point 0. The result must be int16, too.
static void logarithms_of_wide_softmax(void **state)
{
    static const enum rl_scalar_type types[] = {RL_INT16, RL_INT8, RL_FLOAT32};
    static int16_t wide[COUNT] = {-4, -3, -2, -1, 0, 10, 0, 10};
    static const int16_t expected[COUNT] = {-25, -23, -21, -19, -35, -15, -35, -15};
    int16_t result[COUNT];
    (void)state;
    for (int type = 0; type < 3; type++) {
        struct test_program p = {0};
        program_input(&p, RL_INT16, 2, sizes, NULL, wide);
        for (int i = 0; i < log_softmax.count; i++) {
            program_int(&p, i == 8 ? 0 : log_softmax.numbers[i]);
        }
        program_output(&p, types[type], 2, sizes, NULL);
        const enum rl_status status = program_run(&p, log_softmax.operator, "out");
        assert_int_equal(status == RL_OK, types[type] == RL_INT16);
        if (status == RL_OK) {
            program_result(&p, 0, result, sizeof result);
        }
        program_free(&p);
    }
    assert_memory_equal(result, expected, sizeof expected);
}

static void running_sums(void **state)
{
    // sums of value - 1: 0 1 3 6, -6 -2 -8 -4; halves round upwards
    static const int8_t expected[COUNT] = {-3, -2, -1, 0, -6, -4, -7, -5};
    // the other dimension
    static const int8_t down[COUNT] = {-3, -2, -2, -1, -6, 0, -5, 1};
    int8_t result[COUNT];
    (void)state;
    assert_int_equal(run(&cumsum, RL_INT8, result), RL_OK);
    assert_memory_equal(result, expected, COUNT);
    struct call call = cumsum;
    call.numbers[0] = 0;
    assert_int_equal(run(&call, RL_INT8, result), RL_OK);
    assert_memory_equal(result, down, COUNT);
}

static void variances(void **state)
{
    int8_t result[COUNT];
    struct call call = variance;
    (void)state;
    // n * sum of squares - square of the sum: 20 and 400, divided by 16
    assert_int_equal(run(&call, RL_INT8, result), RL_OK);
    assert_int_equal(result[0], -127); // 1.25
    assert_int_equal(result[1], -103); // 25
    call.numbers[1] = 1;
    call.numbers[3] = 1; // roots 4.47 and 20
    assert_int_equal(run(&call, RL_INT8, result), RL_OK);
    assert_int_equal(result[0], -124);
    assert_int_equal(result[1], -108);
    call = variance;
    call.numbers[0] = 2; // of all: 8 * 130 - 10^2 = 940, divided by 16
    call.rank = 0;
    assert_int_equal(run(&call, RL_INT8, result), RL_OK);
    assert_int_equal(result[0], -69);
}

static void expect_refused(struct call call, int number, int64_t value)
{
    call.numbers[number] = value;
    if (run(&call, RL_INT8, NULL) == RL_OK) {
        fail_msg("%s: accepts %lld as number %d", call.operator,(long long) value, number);
    }
}

static void each_argument_has_its_range(void **state)
{
    static const int64_t outside[] = {INT64_MIN, INT64_MAX};
    static const struct {
        const struct call *call;
        int number;
        int64_t below, above;
    } cases[] = {
        {&log_softmax, 0, -2, 2},
        {&log_softmax, 1, -1, (int64_t)1 << 31},
        {&log_softmax, 2, -1, 32},
        {&log_softmax, 3, -((int64_t)1 << 31), 1},
        {&log_softmax, 4, -1, (1 << 22) + 1},
        {&log_softmax, 5, -1, 21},
        {&log_softmax, 6, -1, (int64_t)1 << 31},
        {&log_softmax, 7, 0, 63},
        {&log_softmax, 8, -129, 128},
        {&cumsum, 0, -1, 2},
        {&cumsum, 1, -129, 128},
        {&cumsum, 2, -129, 128},
        {&cumsum, 4, -32, 32},
        {&variance, 0, 0, 3},
        {&variance, 2, -1, (int64_t)1 << 31},
        {&variance, 3, -97, 97},
        {&variance, 4, -129, 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_refused(*cases[i].call, cases[i].number, cases[i].below);
        expect_refused(*cases[i].call, cases[i].number, cases[i].above);
        expect_refused(*cases[i].call, cases[i].number, outside[0]);
        expect_refused(*cases[i].call, cases[i].number, outside[1]);
    }
}

static void tensors_must_fit(void **state)
{
    const struct call *const calls[] = {&log_softmax, &cumsum, &variance};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct call call = *calls[i];
        assert_int_not_equal(run(&call, RL_FLOAT32, NULL), RL_OK);
        call.type = RL_FLOAT32;
        assert_int_not_equal(run(&call, RL_INT8, NULL), RL_OK);
        call = *calls[i];
        call.sizes[0]++;
        assert_int_not_equal(run(&call, RL_INT8, NULL), RL_OK);
        call = *calls[i];
        call.sizes[call.rank++] = 1;
        assert_int_not_equal(run(&call, RL_INT8, NULL), RL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_of_wide_softmax),
        cmocka_unit_test(logarithms_of_softmax),
        cmocka_unit_test(running_sums),
        cmocka_unit_test(variances),
        cmocka_unit_test(each_argument_has_its_range),
        cmocka_unit_test(tensors_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
