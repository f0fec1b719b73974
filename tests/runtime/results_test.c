// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_linear_s16 and quantized_softmax_s16: one result of each, and calls that must be refused.
// tests/kernels/ has the exact results.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { ROWS = 2, DEPTH = 3, CHANNELS = 4, RESULTS = ROWS * CHANNELS };

// What a case changes of a call that is accepted.
struct linear {
    enum rl_scalar_type input, weights, bias, output;
    int32_t input_sizes[2], weight_sizes[2], output_sizes[2], channels; // of bias and scales
    int32_t shift;
    int rank; // of the output
    bool without_bias;
};

static const struct linear usual = {.input = RL_INT8,
                                    .weights = RL_INT8,
                                    .bias = RL_INT32,
                                    .output = RL_INT16,
                                    .input_sizes = {ROWS, DEPTH},
                                    .weight_sizes = {CHANNELS, DEPTH},
                                    .output_sizes = {ROWS, CHANNELS},
                                    .channels = CHANNELS,
                                    .shift = -1,
                                    .rank = 2};

static const int8_t inputs[ROWS * DEPTH] = {4, 8, 12, -128, 124, 0};
static const int8_t weights[CHANNELS * DEPTH] = {1, 0, 0, 1, 1, 1, 127, 127, 127, -128, 127, 0};

static enum rl_status run(const struct linear *linear, int16_t *result)
{
    // Room for the wrong types and sizes as well.
    static int64_t room[64], more_room[64];
    int32_t bias[CHANNELS + 1] = {0, 12, 0, 40000, 0}, multipliers[CHANNELS + 1], shifts[CHANNELS + 1];
    struct test_program p = {0};
    for (int i = 0; i <= CHANNELS; i++) {
        multipliers[i] = 1 << 30; // with the shift -1: a quarter
        shifts[i] = i == 2 ? linear->shift + 1 : linear->shift;
    }
    memcpy(room, inputs, sizeof inputs);
    memcpy(more_room, weights, sizeof weights);
    program_input(&p, linear->input, 2, linear->input_sizes, NULL, room);
    program_constant(&p, linear->weights, 2, linear->weight_sizes, more_room);
    if (linear->without_bias) {
        program_none(&p);
    } else {
        program_constant(&p, linear->bias, 1, &linear->channels, bias);
    }
    program_constant(&p, RL_INT32, 1, &linear->channels, multipliers);
    program_constant(&p, RL_INT32, 1, &linear->channels, shifts);
    program_output(&p, linear->output, linear->rank, linear->output_sizes, NULL);
    const enum rl_status status = program_run(&p, "rushlight::quantized_linear_s16", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, RESULTS * sizeof *result);
    }
    program_free(&p);
    return status;
}

// Quarters of sums, of the third half. The last sum is 40000 + 128 * 128 + 124 * 127.
static void each_channel_has_its_scale(void **state)
{
    static const int16_t expected[RESULTS] = {1, 9, 1524, 10126, -32, 2, -254, 18033};
    int16_t result[RESULTS];
    (void)state;
    assert_int_equal(run(&usual, result), RL_OK);
    assert_memory_equal(result, expected, sizeof expected);
}

static void results_end_with_int16(void **state)
{
    struct linear large = usual;
    int16_t result[RESULTS];
    (void)state;
    large.shift = 1; // the sums themselves
    assert_int_equal(run(&large, result), RL_OK);
    assert_int_equal(result[3], INT16_MAX);
    assert_int_equal(result[4], -128);
}

static void expect_refused(const struct linear *linear)
{
    assert_int_not_equal(run(linear, NULL), RL_OK);
}

static void tensors_must_fit(void **state)
{
    struct linear l;
    (void)state;
    l = usual, l.input = RL_INT16, expect_refused(&l);
    l = usual, l.weights = RL_INT16, expect_refused(&l);
    l = usual, l.bias = RL_FLOAT32, expect_refused(&l);
    l = usual, l.output = RL_INT8, expect_refused(&l);
    l = usual, l.without_bias = true, expect_refused(&l);
    l = usual, l.input_sizes[1]++, expect_refused(&l);
    l = usual, l.weight_sizes[0]++, expect_refused(&l);
    l = usual, l.weight_sizes[0] = 0, expect_refused(&l);
    l = usual, l.output_sizes[0]++, expect_refused(&l);
    l = usual, l.output_sizes[1]--, expect_refused(&l);
    l = usual, l.channels++, expect_refused(&l);
    l = usual, l.shift = 31, expect_refused(&l);
    l = usual, l.shift = -33, expect_refused(&l);
    l = usual, l.rank = 1, expect_refused(&l);
}

// ---- softmax

static enum rl_status run_softmax(enum rl_scalar_type input, enum rl_scalar_type output, int32_t width,
                                  const int64_t *numbers, void *result)
{
    static const int16_t values[] = {-32768, 0, 177, 177}; // of scale 1/256: 177 is about log 2
    static int64_t room[4];
    static const int32_t sizes[] = {1, 4};
    const int32_t output_sizes[] = {1, width};
    struct test_program p = {0};
    memcpy(room, values, sizeof values);
    program_input(&p, input, 2, sizes, NULL, room);
    for (int i = 0; i < 4; i++) {
        program_int(&p, numbers[i]);
    }
    program_output(&p, output, 2, output_sizes, NULL);
    const enum rl_status status = program_run(&p, "rushlight::quantized_softmax_s16", "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, output == RL_INT16 ? 8 : 4);
    }
    program_free(&p);
    return status;
}

static void probabilities_of_int16(void **state)
{
    static const int64_t usual_numbers[] = {-1, 1 << 30, 19, -3968}; // dim, 2^18, -floor(31 * 2^26 / 2^19)
    static const struct {
        int number;
        int64_t below, above;
    } cases[] = {{0, -2, 2}, {1, -1, (int64_t)1 << 31}, {2, -1, 32}, {3, -((int64_t)1 << 31), 1}};
    int8_t result[4];
    int16_t wide[4];
    (void)state;
    assert_int_equal(run_softmax(RL_INT16, RL_INT16, 4, usual_numbers, wide), RL_OK);
    assert_int_equal(wide[0], 0);
    assert_in_range(wide[1], 6550, 6570); // 32768 / (1 + 2 exp(177 / 256))
    assert_in_range(wide[2], 13100, 13110);
    assert_int_equal(wide[2], wide[3]);
    assert_int_equal(run_softmax(RL_INT16, RL_INT8, 4, usual_numbers, result), RL_OK);
    assert_int_equal(result[0], -128);
    assert_in_range(result[1] + 128, 50, 52); // 256 / 5
    assert_in_range(result[2] + 128, 101, 103);
    assert_int_equal(result[2], result[3]);
    assert_int_not_equal(run_softmax(RL_INT8, RL_INT8, 4, usual_numbers, NULL), RL_OK);
    assert_int_not_equal(run_softmax(RL_FLOAT32, RL_INT8, 4, usual_numbers, NULL), RL_OK);
    assert_int_not_equal(run_softmax(RL_INT16, RL_FLOAT32, 4, usual_numbers, NULL), RL_OK);
    assert_int_not_equal(run_softmax(RL_INT8, RL_INT16, 4, usual_numbers, NULL), RL_OK);
    assert_int_not_equal(run_softmax(RL_INT16, RL_INT8, 3, usual_numbers, NULL), RL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t numbers[4];
        memcpy(numbers, usual_numbers, sizeof numbers);
        numbers[cases[i].number] = cases[i].below;
        assert_int_not_equal(run_softmax(RL_INT16, RL_INT8, 4, numbers, NULL), RL_OK);
        numbers[cases[i].number] = cases[i].above;
        assert_int_not_equal(run_softmax(RL_INT16, RL_INT8, 4, numbers, NULL), RL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_channel_has_its_scale),
        cmocka_unit_test(results_end_with_int16),
        cmocka_unit_test(tensors_must_fit),
        cmocka_unit_test(probabilities_of_int16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
