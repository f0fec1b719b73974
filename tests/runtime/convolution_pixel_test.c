// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_pixel_prepacked: the results of a filter as large as its image, and images that have more
// than one output. tests/kernels/ has the exact results for random layers.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "rushlight/kernels/convolution.h"

enum { INPUTS = 2, TAPS = 2, OUTPUTS = 4 };

static const int8_t values[INPUTS * 3] = {1, -5, 20, 7, -8, 4}; // channel after channel
static const int8_t weights[OUTPUTS * TAPS * INPUTS] = {1, 2, 3, 4, -4, 3, -2, 1, 20, 0, -20, 0, 0, 5, 0, -5};
static const int32_t bias[OUTPUTS] = {0, 10, -300, 4}, shifts[OUTPUTS] = {-2, -2, -2, -2};
static const int32_t multipliers[OUTPUTS] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};

// Runs the layer on an image of one row; `low` and `high` are the limits.
static enum rl_status run(const char *operator, int32_t width, int64_t low, int64_t high, int8_t *result)
{
    static const int32_t ones[] = {1, 1}, zeros[] = {0, 0}, filter[] = {OUTPUTS, 1, TAPS, INPUTS}, channels = OUTPUTS;
    static const uint8_t last[] = {0, 2, 3, 1};
    static int64_t room[1];
    const int32_t sizes[] = {1, INPUTS, 1, width}, outputs[] = {1, OUTPUTS, 1, width - TAPS + 1};
    int8_t packed[sizeof weights];
    const struct rl_convolution layer = {
        .output = {1, 1, 1, OUTPUTS}, .filter = {1, TAPS}, .filter_channels = INPUTS, .weights = weights};
    rl_convolution_prepack(&layer, packed);
    memcpy(room, values, sizeof values);
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, sizes, last, room);
    program_constant(&p, RL_INT8, 4, filter, packed);
    program_constant(&p, RL_INT32, 1, &channels, bias);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, zeros);
    program_ints(&p, 2, ones);
    program_int(&p, 0);
    program_int(&p, 10);
    program_constant(&p, RL_INT32, 1, &channels, multipliers);
    program_constant(&p, RL_INT32, 1, &channels, shifts);
    program_int(&p, low);
    program_int(&p, high);
    program_scratch(&p, 64);
    program_output(&p, RL_INT8, 4, outputs, last);
    const enum rl_status status = program_run(&p, operator, "out");
    if (status == RL_OK) {
        program_result(&p, 0, result, (size_t)(OUTPUTS * outputs[3]));
    }
    program_free(&p);
    return status;
}

// The sums are 54, 83, -180 and 69. Outputs are halves, rounded, and quarters of these, rounded, plus 10.
static void filter_covers_the_image(void **state)
{
    static const int8_t all[OUTPUTS] = {17, 21, -13, 19}, limited[OUTPUTS] = {17, 18, 0, 18};
    int8_t result[OUTPUTS];
    (void)state;
    assert_int_equal(run("rushlight::quantized_conv2d_pixel_prepacked", TAPS, -128, 127, result), RL_OK);
    assert_memory_equal(result, all, OUTPUTS);
    assert_int_equal(run("rushlight::quantized_conv2d_pixel_prepacked", TAPS, 0, 18, result), RL_OK);
    assert_memory_equal(result, limited, OUTPUTS);
}

static void other_layers_are_refused(void **state)
{
    int8_t result[2 * OUTPUTS];
    (void)state;
    assert_int_equal(run("rushlight::quantized_conv2d_prepacked", TAPS + 1, -128, 127, result), RL_OK);
    assert_int_not_equal(run("rushlight::quantized_conv2d_pixel_prepacked", TAPS + 1, -128, 127, result), RL_OK);
    assert_int_not_equal(run("rushlight::quantized_conv2d_pixel_prepacked", TAPS, 1, 0, result), RL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_covers_the_image),
        cmocka_unit_test(other_layers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
