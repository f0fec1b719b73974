// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_conv2d_prelu and rushlight::quantized_conv2d_prelu_prepacked: results with both orders of
// weights, and each argument out of its range. tests/kernels/ has the exact results for random layers.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "rushlight/kernels/convolution.h"

enum { INPUTS = 2, WIDTH = 3, TAPS = 2, OUTPUTS = 4, COUNT = OUTPUTS * (WIDTH - TAPS + 1) };

struct call {
    bool is_prepacked, has_bias;
    enum rl_scalar_type input, output, weight, multiplier;
    int32_t weight_inputs, multipliers, shift;
    int64_t input_offset, output_offset, min, max;
};

static const struct call plain = {false,       true, RL_INT8, RL_INT8, RL_INT8, RL_INT32, INPUTS,
                                  2 * OUTPUTS, -2,   3,       10,      -128,    127};
static const int8_t values[INPUTS * WIDTH] = {1, -5, 20, 7, -8, 4}; // channel after channel
static const int8_t weights[OUTPUTS * TAPS * INPUTS] = {1, 2, 3, 4, -4, 3, -2, 1, 20, 0, -20, 0, 0, 5, 0, -5};
static const int32_t bias[OUTPUTS] = {0, 10, -300, 4};

// An eighth of sums that are not negative; of others the same, nothing, the opposite and a sixteenth.
static const int32_t multipliers[2 * OUTPUTS] = {1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 0, -(1 << 30), 1 << 29};
static const int8_t expected[COUNT] = {10, 21, 13, 10, 33, 110, 20, 7};

static enum rl_status run(const struct call *call, int8_t *result)
{
    static const int32_t sizes[] = {1, INPUTS, 1, WIDTH}, outputs[] = {1, OUTPUTS, 1, WIDTH - TAPS + 1};
    static const int32_t ones[] = {1, 1}, zeros[] = {0, 0}, channels = OUTPUTS;
    static const uint8_t last[] = {0, 2, 3, 1};
    static int64_t room[16];
    const int32_t filter[] = {OUTPUTS, 1, TAPS, call->weight_inputs};
    const int32_t shifts[OUTPUTS] = {call->shift, call->shift, call->shift, call->shift};
    int8_t packed[sizeof weights];
    int32_t folded[OUTPUTS];
    struct rl_convolution layer = {.input = {1, 1, WIDTH, INPUTS},
                                   .output = {1, 1, WIDTH - TAPS + 1, OUTPUTS},
                                   .filter = {1, TAPS},
                                   .stride = {1, 1},
                                   .dilation = {1, 1},
                                   .groups = 1,
                                   .weights = weights,
                                   .bias = bias,
                                   .input_offset = (int32_t)call->input_offset};
    assert_int_equal(rl_convolution_prepare(&layer), RL_OK);
    rl_convolution_prepack(&layer, packed);
    rl_convolution_fold(&layer, folded);
    memcpy(room, values, sizeof values);
    struct test_program p = {0};
    program_input(&p, call->input, 4, sizes, last, room);
    program_constant(&p, call->weight, 4, filter, call->is_prepacked ? packed : weights);
    if (call->has_bias) {
        program_constant(&p, RL_INT32, 1, &channels, call->is_prepacked ? folded : bias);
    } else {
        program_none(&p);
    }
    program_ints(&p, 2, ones);
    program_ints(&p, 2, zeros);
    program_ints(&p, 2, ones);
    program_int(&p, call->input_offset);
    program_int(&p, call->output_offset);
    program_constant(&p, call->multiplier, 1, &call->multipliers, multipliers);
    program_constant(&p, RL_INT32, 1, &channels, shifts);
    program_int(&p, call->min);
    program_int(&p, call->max);
    program_scratch(&p, 64);
    program_output(&p, call->output, 4, outputs, last);
    const enum rl_status status = program_run(
        &p, call->is_prepacked ? "rushlight::quantized_conv2d_prelu_prepacked" : "rushlight::quantized_conv2d_prelu",
        "out");
    if (status == RL_OK && result) {
        program_result(&p, 0, result, COUNT);
    }
    program_free(&p);
    return status;
}

static void sums_are_scaled_by_their_sign(void **state)
{
    int8_t result[COUNT];
    (void)state;
    for (int prepacked = 0; prepacked < 2; prepacked++) {
        struct call call = plain;
        call.is_prepacked = prepacked == 1;
        assert_int_equal(run(&call, result), RL_OK);
        assert_memory_equal(result, expected, COUNT);
        call.min = 5, call.max = 13;
        assert_int_equal(run(&call, result), RL_OK);
        for (int i = 0; i < COUNT; i++) {
            const int8_t low = expected[i] < 5 ? 5 : expected[i];
            assert_int_equal(result[i], low > 13 ? 13 : low);
        }
    }
}

static void expect_refused(const struct call *call)
{
    struct call prepacked = *call;
    prepacked.is_prepacked = true;
    assert_int_not_equal(run(call, NULL), RL_OK);
    assert_int_not_equal(run(&prepacked, NULL), RL_OK);
}

static void tensors_must_fit(void **state)
{
    struct call call = plain;
    (void)state;
    call.input = RL_INT16, expect_refused(&call);
    call = plain, call.output = RL_INT16, expect_refused(&call);
    call = plain, call.weight = RL_UINT8, expect_refused(&call);
    call = plain, call.weight_inputs = 1, expect_refused(&call);
    call = plain, call.multiplier = RL_INT16, expect_refused(&call);
    call = plain, call.multipliers = OUTPUTS, expect_refused(&call);
    call = plain, call.has_bias = false;
    assert_int_equal(run(&call, NULL), RL_OK);
    call.is_prepacked = true;
    assert_int_not_equal(run(&call, NULL), RL_OK);
}

static void numbers_have_their_ranges(void **state)
{
    struct call call = plain;
    (void)state;
    call.shift = -22;
    assert_int_equal(run(&call, NULL), RL_OK);
    call.shift = -23, expect_refused(&call);
    call.shift = -1, expect_refused(&call);
    call = plain, call.output_offset = 128, expect_refused(&call);
    call = plain, call.min = 1, call.max = 0, expect_refused(&call);
    call = plain, call.max = 128, expect_refused(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_scaled_by_their_sign),
        cmocka_unit_test(tensors_must_fit),
        cmocka_unit_test(numbers_have_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
