// SPDX-License-Identifier: Apache-2.0
// The support functions that users call, against their definitions in 64-bit arithmetic and floating point.
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "support/kernel_test.h"

#include <math.h>
#include <string.h>

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0 ? 1 : 0);
}

static int32_t random_word(struct rl_case *c)
{
    return rl_random_one_in(c, 4) ? rl_random_in(c, -100, 100) : rl_random_extreme(c, INT32_MIN, INT32_MAX);
}

static void expect(struct rl_case *c, const char *what, int64_t expected, int64_t actual)
{
    const int32_t expected_word = (int32_t)expected, word = (int32_t)actual;
    rl_case_equal_s32(c, what, &expected_word, &word, 1);
}

static void test_rounding(struct rl_case *c)
{
    const int64_t two_31 = (int64_t)1 << 31;
    rl_test_start(c, "requantization_and_its_parts");
    for (int i = 0; i < 3000; i++) {
        const int32_t value = random_word(c), other = random_word(c), exponent = rl_random_in(c, 1, 31);
        int32_t multiplier, shift;
        rl_random_scale(c, &multiplier, &shift);
        rl_case_begin(c, "%ld and %ld, exponent %ld, scale %ld %ld", (long)value, (long)other, (long)exponent,
                      (long)multiplier, (long)shift);
        expect(c, "arm_nn_requantize", rl_reference_requantize(value, multiplier, shift),
               arm_nn_requantize(value, multiplier, shift));
        const int64_t wide = (int64_t)value * rl_random_in(c, 1, 4096);
        expect(c, "arm_nn_requantize_s64", rl_reference_requantize_s64(wide, multiplier, shift),
               arm_nn_requantize_s64(wide, REDUCE_MULTIPLIER(multiplier), shift));
        const int64_t product = floor_divide((int64_t)value * other + two_31 / 2, two_31);
        expect(c, "arm_nn_doubling_high_mult_no_sat", rl_reference_low_word(product),
               arm_nn_doubling_high_mult_no_sat(value, other));
        expect(c, "arm_nn_doubling_high_mult", product < two_31 ? product : INT32_MAX,
               arm_nn_doubling_high_mult(value, other));
        const int64_t half = (int64_t)1 << (exponent - 1), magnitude = value < 0 ? -(int64_t)value : value;
        const int64_t quotient = (magnitude + half) / (2 * half);
        expect(c, "arm_nn_divide_by_power_of_two", value < 0 ? -quotient : quotient,
               arm_nn_divide_by_power_of_two(value, exponent));
        const int64_t limit = ((int64_t)1 << (31 - exponent)) - 1, saturated = value > 0 ? INT32_MAX : INT32_MIN;
        const bool fits = value >= -limit && value <= limit;
        const int64_t power = fits ? (int64_t)value * ((int64_t)1 << exponent) : saturated;
        expect(c, "arm_nn_mult_by_power_of_two", power, arm_nn_mult_by_power_of_two(value, exponent));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_functions(struct rl_case *c)
{
    rl_test_start(c, "fixed_point_functions_are_close_to_floating_point");
    for (int i = 0; i < 500; i++) {
        const int32_t value = rl_random_in(c, INT32_MIN, 0), fraction = rl_random_in(c, 0, INT32_MAX);
        rl_case_begin(c, "%ld and %ld", (long)value, (long)fraction);
        const double power = exp(value / 67108864.0) * 2147483648.0;
        rl_case_expect(c, fabs(arm_nn_exp_on_negative_values(value) - power) < 2000.0, "an exponential within 2^-20");
        const double inverse = 2147483648.0 / (1.0 + fraction / 2147483648.0);
        rl_case_expect(c, fabs(arm_nn_one_over_one_plus_x_for_x_in_0_1(fraction) - inverse) < 2000.0,
                       "a reciprocal within 2^-20");
        rl_case_end(c);
    }
    rl_case_begin(c, "%s", "the ends");
    expect(c, "arm_nn_exp_on_negative_values", INT32_MAX, arm_nn_exp_on_negative_values(0));
    rl_case_end(c);
    rl_test_stop(c);
}

// Words from odd addresses, and what moves the pointer.
static void test_words(struct rl_case *c)
{
    static const int8_t bytes[] = {99, 1, 2, 3, -4, 5, -6};
    rl_test_start(c, "words_from_any_address");
    rl_case_begin(c, "%s", "seven bytes");
    int8_t *copy = rl_case_buffer(c, sizeof bytes, 1);
    arm_memcpy_s8(copy, bytes, sizeof bytes);
    const int8_t *in = copy + 1;
    expect(c, "arm_nn_read_s8x4", (int32_t)0xfc030201, arm_nn_read_s8x4(in));
    expect(c, "arm_nn_read_s8x4_ia", (int32_t)0xfc030201, arm_nn_read_s8x4_ia(&in));
    expect(c, "arm_nn_read_s8x2", 0xfa05, arm_nn_read_s8x2(in));
    expect(c, "arm_nn_read_s8x2_ia", 0xfa05, arm_nn_read_s8x2_ia(&in));
    expect(c, "bytes read", 7, in - copy);
    int8_t *out = copy + 1;
    arm_nn_write_s8x4_ia(&out, 0x04030201);
    arm_nn_write_s8x2_ia(&out, 0x0605);
    expect(c, "bytes written", 7, out - copy);
    rl_case_equal_s8(c, "bytes", (const int8_t[]){99, 1, 2, 3, 4, 5, 6}, copy, sizeof bytes);

    int16_t *halves = rl_case_buffer(c, 4 * sizeof *halves, 2);
    arm_memcpy_q15(halves, (const int16_t[]){1, -2, 3, 4}, 4 * sizeof *halves);
    const int16_t *half = halves + 1;
    expect(c, "arm_nn_read_s16x2", (int32_t)0x0003fffe, arm_nn_read_s16x2(half));
    expect(c, "arm_nn_read_q15x2_ia", (int32_t)0x0003fffe, arm_nn_read_q15x2_ia(&half));
    expect(c, "halves read", 3, half - halves);
    int16_t *to = halves;
    arm_nn_write_q15x2_ia(&to, 0x00070008);
    rl_case_equal_s16(c, "halves", (const int16_t[]){8, 7, 3, 4}, halves, 4);
    arm_memset_s8(copy, -7, 3);
    rl_case_equal_s8(c, "filled", (const int8_t[]){-7, -7, -7, 3}, copy, 4);
    rl_case_end(c);
    rl_test_stop(c);
}

static void test_widening(struct rl_case *c)
{
    rl_test_start(c, "q7_to_q15_with_offset");
    for (int i = 0; i < 100; i++) {
        const size_t count = (size_t)rl_random_in(c, 0, 70);
        const int16_t offset = (int16_t)rl_random_extreme(c, -255, 255);
        rl_case_begin(c, "%ld elements plus %d", (long)count, offset);
        int8_t *input = rl_case_s8(c, count);
        int16_t *output = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            expected[k] = (int16_t)(input[k] + offset);
        }
        arm_q7_to_q15_with_offset(input, output, (int32_t)count, offset);
        rl_case_equal_s16(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_choices(struct rl_case *c)
{
    const cmsis_nn_dims point = {8, 1, 1, 4}, row = {8, 1, 3, 4}, image = {1, 5, 5, 4}, line = {1, 1, 9, 4};
    cmsis_nn_conv_params params = {.stride = {1, 1}, .dilation = {1, 1}};
    rl_test_start(c, "which_convolution_the_wrapper_takes");
    rl_case_begin(c, "%s", "shapes of each kind");
    rl_case_expect(c, arm_nn_is_convolve_1x1(&params, &image, &point), "a 1x1 convolution");
    rl_case_expect(c, !arm_nn_is_convolve_1x1(&params, &image, &row), "no 1x1 convolution");
    rl_case_expect(c, arm_nn_is_convolve_1_x_n(&params, &line, &row), "a convolution in time");
    rl_case_expect(c, !arm_nn_is_convolve_1_x_n(&params, &image, &row), "none in time");
    rl_case_expect(c, arm_nn_is_convolve_1x1_fast(&params), "stride 1");
    params.stride.h = 2;
    rl_case_expect(c, !arm_nn_is_convolve_1x1_fast(&params), "another stride");
    params.padding.w = 1;
    rl_case_expect(c, !arm_nn_is_convolve_1x1(&params, &image, &point), "padding");
    rl_case_expect(c, arm_check_broadcast_required(&image, &line) == 1, "shapes that differ");
    rl_case_expect(c, arm_check_broadcast_required(&image, &image) == 0, "equal shapes");
    rl_case_end(c);
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_rounding(&c);
    test_functions(&c);
    test_words(&c);
    test_widening(&c);
    test_choices(&c);
    return rl_test_finish(&c);
}
