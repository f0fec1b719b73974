// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of int16 against the definition, for every input, and against the true functions.
#include "arm_nnfunctions.h"
#include "reference_activation.h"
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

int main(void)
{
    static struct rl_case c;
    test_every_input(&c);
    test_sizes(&c);
    test_table(&c);
    test_accuracy(&c);
    return rl_test_finish(&c);
}
