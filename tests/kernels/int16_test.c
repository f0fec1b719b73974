// SPDX-License-Identifier: Apache-2.0
// int16 kernels against their definitions: elementwise, fully connected, and convolutions deep enough that 32 bits do
// not hold their sums.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

static int32_t reference_term(int32_t value, int32_t left, int32_t multiplier, int32_t shift)
{
    return rl_reference_requantize((int32_t)((uint32_t)value << left), multiplier, shift);
}

// Helium has other loops from 128 and from 256 elements on.
static size_t random_count(struct rl_case *c)
{
    return (size_t)(rl_random_one_in(c, 4) ? rl_random_in(c, 120, 300) : rl_random_in(c, 0, 70));
}

static void test_add(struct rl_case *c)
{
    rl_test_start(c, "add_s16");
    for (int i = 0; i < 300; i++) {
        const size_t count = random_count(c);
        int32_t multiplier[2] = {1 << 30, 1 << 30}, shift[2] = {0, 0};
        const int scaled = rl_random_in(c, 0, 2); // 2: both
        for (int k = 0; k < 2; k++) {
            if (scaled == k || scaled == 2) {
                multiplier[k] = rl_random_extreme(c, 1 << 30, INT32_MAX);
                shift[k] = rl_random_in(c, -9, -1);
            }
        }
        const int32_t out_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX), out_shift = rl_random_in(c, -16, -8);
        const int32_t low = rl_random_one_in(c, 2) ? INT16_MIN : rl_random_in(c, INT16_MIN, 0);
        const int32_t high = rl_random_one_in(c, 2) ? INT16_MAX : rl_random_in(c, low, INT16_MAX);
        rl_case_begin(c, "%ld elements, (%ld %ld) + (%ld %ld), output (%ld %ld) in %ld..%ld", (long)count,
                      (long)multiplier[0], (long)shift[0], (long)multiplier[1], (long)shift[1], (long)out_multiplier,
                      (long)out_shift, (long)low, (long)high);
        int16_t *a = rl_case_s16(c, count), *b = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            const int32_t sum =
                reference_term(a[k], 15, multiplier[0], shift[0]) + reference_term(b[k], 15, multiplier[1], shift[1]);
            expected[k] = (int16_t)rl_reference_limited(rl_reference_requantize(sum, out_multiplier, out_shift),
                                                        (cmsis_nn_activation){low, high});
        }
        int16_t *output = rl_random_one_in(c, 3) ? a : rl_case_s16(c, count);
        arm_elementwise_add_s16(a, b, 0, multiplier[0], shift[0], 0, multiplier[1], shift[1], 15, output, 0,
                                out_multiplier, out_shift, low, high, (int32_t)count);
        arm_elementwise_add_s16(a, b, 0, multiplier[0], shift[0], 0, multiplier[1], shift[1], 15, output, 0,
                                out_multiplier, out_shift, low, high, -1 - i); // nothing to do
        rl_case_equal_s16(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_mul(struct rl_case *c)
{
    rl_test_start(c, "mul_s16_and_mul_acc_s16");
    for (int i = 0; i < 200; i++) {
        const size_t count = random_count(c);
        const int32_t multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX), shift = rl_random_in(c, -20, 0);
        rl_case_begin(c, "%ld elements, output (%ld %ld)", (long)count, (long)multiplier, (long)shift);
        const bool open = rl_random_one_in(c, 2);
        const cmsis_nn_activation limits = {open ? INT16_MIN : -1000, open ? INT16_MAX : 30000};
        int16_t *a = rl_case_s16(c, count), *b = rl_case_s16(c, count);
        if (count > 0 && rl_random_one_in(c, 4)) { // the only product of more than 30 bits
            a[count / 2] = b[count / 2] = INT16_MIN;
        }
        int16_t *product = rl_case_s16(c, count), *sum = rl_case_s16(c, count);
        int16_t *expected_product = rl_case_s16(c, count), *expected_sum = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            const int32_t scaled = rl_reference_requantize(a[k] * b[k], multiplier, shift);
            expected_product[k] = (int16_t)rl_reference_limited(scaled, limits);
            expected_sum[k] = (int16_t)rl_reference_limited((int64_t)sum[k] + scaled, limits);
        }
        arm_elementwise_mul_s16(a, b, 0, 0, product, 0, multiplier, shift, limits.min, limits.max, (int32_t)count);
        arm_elementwise_mul_s16(a, b, 0, 0, product, 0, multiplier, shift, limits.min, limits.max, -1 - i); // nothing
        arm_elementwise_mul_acc_s16(a, b, 0, 0, sum, 0, multiplier, shift, limits.min, limits.max, (int32_t)count);
        rl_case_equal_s16(c, "product", expected_product, product, count);
        rl_case_equal_s16(c, "accumulated", expected_sum, sum, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A convolution whose filter covers the whole height; a fully connected layer is the special case of one output
// position.
static void test_deep(struct rl_case *c)
{
    rl_test_start(c, "convolve_s16_of_any_depth");
    for (int i = 0; i < 80; i++) {
        const int32_t height = rl_random_in(c, 1, 6), taps = rl_random_in(c, 1, 3), columns = rl_random_in(c, 1, 5);
        const int32_t depth = rl_random_in(c, 1, 70), channels = rl_random_in(c, 1, i < 70 ? 5 : 70);
        const int32_t dilation = rl_random_in(c, 1, 2), width = columns + (taps - 1) * dilation;
        const int32_t pad = rl_random_in(c, 0, (width - 1) / 2);
        const int32_t length = height * taps * depth;
        const bool narrow = length < 250 && rl_random_one_in(c, 2);
        rl_case_begin(c, "filter %ldx%ldx%ld, %ld positions, %ld channels, dilation %ld, pad %ld, bias of %d bits",
                      (long)height, (long)taps, (long)depth, (long)columns, (long)channels, (long)dilation, (long)pad,
                      narrow ? 32 : 64);
        const cmsis_nn_dims input_dims = {1, height, width - 2 * pad, depth};
        const cmsis_nn_dims filter_dims = {channels, height, taps, depth}, bias_dims = {1, 1, 1, channels};
        const cmsis_nn_dims output_dims = {1, 1, columns, channels};
        int16_t *input = rl_case_s16(c, (size_t)(height * input_dims.w * depth));
        int8_t *filter = rl_case_buffer(c, (size_t)(channels * length), 1);
        rl_random_s8(c, filter, (size_t)(channels * length));
        int16_t *output = rl_case_s16(c, (size_t)(columns * channels));
        int16_t *expected = rl_case_s16(c, (size_t)(columns * channels));
        int64_t *bias = rl_case_buffer(c, (size_t)channels * sizeof *bias, 8);
        int32_t *narrow_bias = rl_case_buffer(c, (size_t)channels * sizeof *narrow_bias, 4);
        int32_t *multiplier = rl_case_buffer(c, (size_t)channels * 4, 4),
                *shift = rl_case_buffer(c, (size_t)channels * 4, 4);
        for (int32_t o = 0; o < channels; o++) {
            multiplier[o] = rl_random_extreme(c, 1 << 30, INT32_MAX);
            shift[o] = rl_random_in(c, -16, -4);
            narrow_bias[o] = rl_random_extreme(c, -1000000, 1000000);
            bias[o] = narrow ? narrow_bias[o] : (int64_t)narrow_bias[o] * rl_random_in(c, 0, 1000);
        }
        for (int32_t at = 0; at < columns * channels; at++) {
            const int32_t x = at / channels, o = at % channels;
            int64_t sum = bias[o];
            for (int32_t k = 0; k < length; k++) {
                const int32_t row = k / (taps * depth), tap = k / depth % taps, column = x - pad + tap * dilation;
                if (column >= 0 && column < input_dims.w) {
                    sum += input[(row * input_dims.w + column) * depth + k % depth] * filter[o * length + k];
                }
            }
            const int64_t scaled = narrow ? rl_reference_requantize((int32_t)sum, multiplier[o], shift[o])
                                          : rl_reference_requantize_s64(sum, multiplier[o], shift[o]);
            expected[at] = (int16_t)rl_reference_limited(scaled, (cmsis_nn_activation){INT16_MIN, INT16_MAX});
        }
        const cmsis_nn_conv_params params = {
            .stride = {1, 1}, .padding = {pad, 0}, .dilation = {dilation, 1}, .activation = {INT16_MIN, INT16_MAX}};
        const cmsis_nn_per_channel_quant_params quant = {multiplier, shift};
        const cmsis_nn_bias_data bias_data = {narrow ? (const void *)narrow_bias : bias, narrow};
        const int32_t bytes =
            arm_convolve_wrapper_s16_get_buffer_size(&params, &input_dims, &filter_dims, &output_dims);
        const cmsis_nn_context ctx = {rl_case_buffer(c, (size_t)bytes, 2), bytes};
        const arm_cmsis_nn_status status =
            arm_convolve_wrapper_s16(&ctx, &params, &quant, &input_dims, input, &filter_dims, filter, &bias_dims,
                                     &bias_data, &output_dims, output);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s16(c, "output", expected, output, (size_t)(columns * channels));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_add(&c);
    test_mul(&c);
    test_deep(&c);
    return rl_test_finish(&c);
}
