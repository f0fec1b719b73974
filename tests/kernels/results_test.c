// SPDX-License-Identifier: Apache-2.0
// The last layers of a network: linear with int16 results, and softmax of int16, against their definitions.
#include "kernels/isa.h"
#include "rushlight/kernels.h"
#include "support/kernel_test.h"

#include <math.h>
#include <string.h>

enum { CASES = 100 };

// Groups of rows of each size, a last group that is not full, and depths that are not multiples of a step.
static void test_linear_s16(struct rl_case *c)
{
    rl_test_start(c, "linear with int16 results");
    for (int i = 0; i < CASES; i++) {
        struct rl_fully_connected layer = {
            .rows = rl_random_in(c, 0, 3),
            .depth = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 150 : 20),
            .channels = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 70 : 9),
        };
        const size_t channels = (size_t)layer.channels, outputs = (size_t)layer.rows * channels;
        rl_case_begin(c, "%ld x %ld to %ld", (long)layer.rows, (long)layer.depth, (long)layer.channels);
        const int8_t *x = rl_case_s8(c, (size_t)(layer.rows * layer.depth));
        const int8_t *weights = rl_case_s8(c, (size_t)(layer.channels * layer.depth));
        const int32_t *bias = rl_case_s32(c, channels, -2000000, 2000000);
        const int32_t *multipliers = rl_case_s32(c, channels, 1 << 30, INT32_MAX);
        const int32_t *shifts = rl_case_s32(c, channels, -9, 0);
        int16_t *expected = rl_case_s16(c, outputs), *y = rl_case_s16(c, outputs);
        layer.weights = weights, layer.bias = bias;
        layer.scales = (struct rl_scales){multipliers, shifts};
        for (int32_t k = 0; k < (int32_t)outputs; k++) {
            const int32_t channel = k % layer.channels, row = k / layer.channels;
            int32_t sum = bias[channel];
            for (int32_t at = 0; at < layer.depth; at++) {
                sum += x[row * layer.depth + at] * weights[channel * layer.depth + at];
            }
            const int64_t scaled = rl_reference_requantize(sum, multipliers[channel], shifts[channel]);
            expected[k] = (int16_t)rl_reference_limited(scaled, (cmsis_nn_activation){INT16_MIN, INT16_MAX});
        }
        rl_case_expect(c, rl_fully_connected_prepare(&layer) == RL_OK, "prepared");
        rl_fully_connected_s8_s16_run(&layer, x, y);
        rl_case_equal_s16(c, "output", expected, y, outputs);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Each result is within two steps of the probability in doubles.
static void expect_probabilities(struct rl_case *c, const struct rl_softmax *layer, const int16_t *x, const int8_t *y)
{
    const double scale = layer->scale.multiplier * 0x1p-31 * (1 << layer->scale.shift) * 0x1p-26;
    for (int32_t row = 0; row < layer->rows; row++, x += layer->row, y += layer->row) {
        double sum = 0;
        int32_t most = INT16_MIN;
        for (int32_t i = 0; i < layer->row; i++) {
            most = x[i] > most ? x[i] : most;
        }
        for (int32_t i = 0; i < layer->row; i++) {
            sum += exp((x[i] - most) * scale);
        }
        for (int32_t i = 0; i < layer->row; i++) {
            const double expected = 256 * exp((x[i] - most) * scale) / sum - 128;
            rl_case_expect(c, fabs(fmin(expected, 127) - y[i]) < 2, "a probability within 2");
        }
    }
}

// The 8-bit softmax gives the same for values that both types can hold; those of int16 have more.
static void expect_wide_probabilities(struct rl_case *c, const struct rl_softmax *layer, const int16_t *x,
                                      const int16_t *y)
{
    const double scale = ldexp((double)layer->scale.multiplier, layer->scale.shift - 31 - 26);
    for (int32_t row = 0; row < layer->rows; row++, x += layer->row, y += layer->row) {
        int32_t most = INT16_MIN;
        double sum = 0;
        for (int32_t i = 0; i < layer->row; i++) {
            most = x[i] > most ? x[i] : most;
        }
        for (int32_t i = 0; i < layer->row; i++) {
            sum += exp((x[i] - most) * scale);
        }
        for (int32_t i = 0; i < layer->row; i++) {
            const double expected = fmin(32768 * exp((x[i] - most) * scale) / sum, INT16_MAX);
            rl_case_expect(c, fabs(expected - y[i]) < 2, "a probability of 15 bits within 2");
        }
    }
}

static void test_softmax_s16_s8(struct rl_case *c)
{
    rl_test_start(c, "softmax of int16 to int8");
    for (int i = 0; i < CASES; i++) {
        struct rl_softmax layer = {
            .rows = rl_random_in(c, 0, 3),
            .row = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 300 : 12),
            .scale = {rl_random_in(c, 1 << 30, INT32_MAX), rl_random_in(c, 12, 24)},
        };
        layer.diff_min = -((31 << 26) >> layer.scale.shift);
        const size_t count = (size_t)(layer.rows * layer.row);
        rl_case_begin(c, "%ld x %ld", (long)layer.rows, (long)layer.row);
        const int8_t *narrow = rl_case_s8(c, count);
        int16_t *wide = rl_case_s16(c, count);
        int8_t *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        const int32_t offset = rl_random_in(c, -3000, 3000);
        for (size_t k = 0; k < count; k++) {
            wide[k] = (int16_t)(narrow[k] + offset);
        }
        rl_softmax_run(&layer, narrow, expected);
        rl_softmax_s16_s8_run(&layer, wide, y);
        rl_case_equal_s8(c, "small differences", expected, y, count);
        for (size_t k = 0; k < count; k++) {
            wide[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
        }
        rl_softmax_s16_s8_run(&layer, wide, y);
        expect_probabilities(c, &layer, wide, y);
        int16_t *probabilities = rl_case_s16(c, count);
        rl_softmax_wide_run(&layer, wide, probabilities);
        expect_wide_probabilities(c, &layer, wide, probabilities);
        int16_t *in_place = rl_case_s16(c, count);
        memcpy(in_place, wide, count * sizeof *wide);
        rl_softmax_wide_run(&layer, in_place, in_place);
        rl_case_equal_s16(c, "in place", probabilities, in_place, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// int16 to int16, on one scale or with a result in steps of twice the size.
static void test_log_softmax_s16(struct rl_case *c)
{
    enum { FRACTION = 15 };
    rl_test_start(c, "log_softmax of int16");
    for (int i = 0; i < CASES; i++) {
        const double in = ldexp(1.0 + rl_random_in(c, 0, 1000) / 1001.0, rl_random_in(c, -16, -8));
        const int ratio = rl_random_in(c, 1, 2);
        const double unit = ldexp(log(2.0) / (in * ratio), FRACTION - 24);
        int exponent, unit_exponent;
        (void)frexp(unit, &unit_exponent);
        const double mantissa = frexp(in * (1 << 26), &exponent);
        const struct rl_log_softmax layer = {
            .exponentials = {.rows = rl_random_in(c, 0, 3),
                             .row = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 300 : 12),
                             .scale = {(int32_t)(mantissa * 2147483647.0), exponent},
                             .diff_min = -((31 << 26) >> exponent)},
            .step = (1 << FRACTION) / ratio,
            .fraction = FRACTION,
            .log_multiplier = (int32_t)floor(ldexp(unit, 31 - unit_exponent)),
            .log_shift = 31 - unit_exponent};
        const int32_t rows = layer.exponentials.rows, columns = layer.exponentials.row;
        rl_case_begin(c, "%ld rows of %ld, scale %ld / 2^24", (long)rows, (long)columns, (long)(in * 16777216));
        const size_t count = (size_t)(rows * columns);
        int16_t *input = rl_case_s16(c, count), *output = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            input[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
        }
        rl_log_softmax_s16_run(&layer, input, output);
        for (int32_t row = 0; row < rows; row++) {
            double sum = 0;
            int32_t most = INT16_MIN;
            for (int32_t k = row * columns; k < (row + 1) * columns; k++) {
                most = input[k] > most ? input[k] : most;
            }
            for (int32_t k = row * columns; k < (row + 1) * columns; k++) {
                sum += exp((input[k] - most) * in);
            }
            for (int32_t k = row * columns; k < (row + 1) * columns; k++) {
                const double exact = ((input[k] - most) - log(sum) / in) / ratio;
                rl_case_expect(c, fabs(output[k] - fmax(exact, INT16_MIN)) <= 0.5 + 1.0 / 8, "half a step and 1/8");
            }
        }
        rl_log_softmax_s16_run(&layer, input, input);
        rl_case_equal_s16(c, "in place", output, input, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    struct rl_case c = {0};
    test_linear_s16(&c);
    test_softmax_s16_s8(&c);
    test_log_softmax_s16(&c);
    return rl_test_finish(&c);
}
