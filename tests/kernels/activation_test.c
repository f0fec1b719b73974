// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of int16 against the definition, for every input, and against the true functions; PReLU of int8
// against its formula.
#include "arm_nnfunctions.h"
#include "reference_activation.h"
#include "rushlight/kernels/activation.h"
#include "support/kernel_test.h"

#include <math.h>
#include <string.h>

static const char *name_of(arm_nn_activation_type type)
{
    return type == ARM_SIGMOID ? "sigmoid" : "tanh";
}

static void check(struct rl_case *c, const int16_t *input, int16_t *output, int16_t *expected, size_t count,
                  int32_t left_shift, arm_nn_activation_type type)
{
    for (size_t i = 0; i < count; i++) {
        expected[i] = reference_activation_s16(input[i], left_shift, type);
    }
    const arm_cmsis_nn_status status = arm_nn_activation_s16(input, output, (int32_t)count, left_shift, type);
    rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
    rl_case_equal_s16(c, "output", expected, output, count);
    rl_case_end(c);
}

static void test_every_input(struct rl_case *c)
{
    static const int32_t shifts[] = {0, 1, 3, -1, -4};
    rl_test_start(c, "activation_s16_of_every_input");
    for (size_t i = 0; i < 2 * sizeof shifts / sizeof shifts[0]; i++) {
        const arm_nn_activation_type type = i % 2 == 0 ? ARM_SIGMOID : ARM_TANH;
        rl_case_begin(c, "%s, left shift %ld", name_of(type), (long)shifts[i / 2]);
        const size_t count = 65536;
        int16_t *input = rl_case_s16(c, count), *output = rl_case_s16(c, count);
        int16_t *expected = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            input[k] = (int16_t)((int32_t)k - 32768);
        }
        check(c, input, output, expected, count, shifts[i / 2], type);
    }
    rl_test_stop(c);
}

static void test_sizes(struct rl_case *c)
{
    rl_test_start(c, "activation_s16_of_any_size_and_shift_in_place");
    for (int i = 0; i < 200; i++) {
        const arm_nn_activation_type type = rl_random_one_in(c, 2) ? ARM_SIGMOID : ARM_TANH;
        const int32_t left_shift = rl_random_in(c, -16, 12);
        const size_t count = (size_t)rl_random_in(c, 0, 70);
        rl_case_begin(c, "%s of %ld elements, left shift %ld", name_of(type), (long)count, (long)left_shift);
        int16_t *input = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        int16_t *output = rl_random_one_in(c, 2) ? input : rl_case_s16(c, count);
        check(c, input, output, expected, count, left_shift, type);
    }
    rl_test_stop(c);
}

// The table could be wrong in the reference, too.
static void test_table(struct rl_case *c)
{
    rl_test_start(c, "sigmoid_table_is_close_to_the_function");
    rl_case_begin(c, "%s", "the table");
    for (int32_t i = 0; i < 256; i++) {
        const double exact = 65536.0 / (1.0 + exp(-i / 24.0));
        rl_case_expect(c, fabs(reference_sigmoid_entry(i) - exact) < 1.2, "an entry within 1.2 of the function");
    }
    rl_case_end(c);
    rl_test_stop(c);
}

static void test_accuracy(struct rl_case *c)
{
    rl_test_start(c, "activation_s16_is_close_to_floating_point");
    for (int32_t value = -32768; value < 32768; value += 97) {
        rl_case_begin(c, "input %ld / 4096", (long)value);
        const int16_t input = (int16_t)value;
        int16_t sigmoid = 0, tangent = 0;
        arm_nn_activation_s16(&input, &sigmoid, 1, 0, ARM_SIGMOID);
        arm_nn_activation_s16(&input, &tangent, 1, 0, ARM_TANH);
        // Linear interpolation over 1/24 is off by at most 0.7 steps of the output, tanh has twice that and the table's
        // error.
        rl_case_expect(c, fabs(sigmoid - 32768.0 / (1.0 + exp(-value / 4096.0))) < 2.0, "a sigmoid within 2");
        rl_case_expect(c, fabs(tangent - 32768.0 * tanh(value / 4096.0)) < 11.0, "a tanh within 11");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// ---- PReLU

enum { CASES = 100 };

// By the formula of the header, in 64 bits and with a division.
static int8_t prelu_of(const struct rl_prelu *p, int32_t channel, int8_t value)
{
    const int64_t x = value + p->input_offset, divisor = INT64_C(1) << (8 + p->shift);
    const int64_t product = x * (x < 0 ? p->negative[channel] : p->positive[channel]);
    const int64_t sum = product + divisor / 2;
    const int64_t floor = sum >= 0 ? sum / divisor : -((divisor - 1 - sum) / divisor);
    return (int8_t)rl_reference_limited(floor + p->output_offset, (cmsis_nn_activation){INT8_MIN, INT8_MAX});
}

static void test_prelu(struct rl_case *c)
{
    rl_test_start(c, "prelu");
    for (int i = 0; i < CASES; i++) {
        struct rl_prelu layer = {
            .outer = rl_random_in(c, 0, 5),
            .channels = rl_random_in(c, 1, rl_random_one_in(c, 4) ? 40 : 9),
            .inner = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 0, 33),
            .input_offset = rl_random_extreme(c, -127, 128),
            .output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX),
            .shift = rl_random_extreme(c, 1, 15),
        };
        const size_t count = (size_t)(layer.outer * layer.channels * layer.inner);
        rl_case_begin(c, "%ld x %ld x %ld", (long)layer.outer, (long)layer.channels, (long)layer.inner);
        int16_t *positive = rl_case_s16(c, (size_t)layer.channels), *negative = rl_case_s16(c, (size_t)layer.channels);
        layer.positive = positive;
        layer.negative = negative;
        for (int32_t k = 0; k < layer.channels; k++) {
            positive[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
            negative[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
        }
        int8_t *x = rl_case_s8(c, count), *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        for (int32_t k = 0; k < (int32_t)count; k++) {
            expected[k] = prelu_of(&layer, k / layer.inner % layer.channels, x[k]);
        }
        rl_prelu_run(&layer, x, y);
        rl_case_equal_s8(c, "output", expected, y, count);
        rl_prelu_run(&layer, x, x);
        rl_case_equal_s8(c, "in place", expected, x, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_every_input(&c);
    test_sizes(&c);
    test_table(&c);
    test_accuracy(&c);
    test_prelu(&c);
    return rl_test_finish(&c);
}
