// SPDX-License-Identifier: Apache-2.0
// Magnitudes of complex numbers and functions of int16, against their definitions.
#include "rushlight/kernels.h"
#include "support/kernel_test.h"

#include <math.h>

enum { CASES = 150 };

// The largest r for which r - 1/2 is not above sqrt(product / 2^right / 4), searched by halves.
static int32_t reference_root(uint64_t product, int32_t right)
{
    int64_t low = 0, high = 40000;
    while (low < high) {
        const int64_t r = (low + high + 1) / 2;
        if ((uint64_t)((2 * r - 1) * (2 * r - 1)) <= product >> right) {
            low = r;
        } else {
            high = r - 1;
        }
    }
    return (int32_t)low;
}

static int32_t reference(const struct rl_magnitude *m, int64_t real, int64_t imaginary, int32_t low, int32_t high)
{
    const uint64_t sum = (uint64_t)(real * real + imaginary * imaginary + m->epsilon);
    const uint64_t product = sum * (uint64_t)m->multiplier;
    const int32_t right = 31 - m->shift;
    const uint64_t power = product / ((uint64_t)1 << right) + (product >> (right - 1) & 1); // a half is rounded upwards
    const int64_t result = m->is_root ? reference_root(product, right) : (int64_t)(power < 100000 ? power : 100000);
    return rl_reference_limited(result + m->output_offset, (cmsis_nn_activation){low, high});
}

// A scale that takes squares up to `most` to about the end of the type, or any other.
static void random_scale(struct rl_case *c, double most, double end, struct rl_magnitude *m)
{
    const double factor = m->is_root ? 4 * end * end / most : end / most;
    m->multiplier = rl_random_extreme(c, 0, INT32_MAX);
    m->shift = rl_random_extreme(c, -32, 30);
    if (!rl_random_one_in(c, 4)) {
        int exponent;
        m->multiplier = rl_random_in(c, 1 << 30, INT32_MAX);
        (void)frexp(factor, &exponent);
        m->shift = exponent;
    }
}

static void test_magnitude(struct rl_case *c)
{
    rl_test_start(c, "magnitude of int8");
    for (int i = 0; i < CASES; i++) {
        struct rl_magnitude m = {
            .is_root = rl_random_one_in(c, 2),
            .input_offset = rl_random_extreme(c, -127, 128),
            .epsilon = rl_random_one_in(c, 2) ? 0 : rl_random_extreme(c, 0, INT32_MAX),
            .output_offset = rl_random_extreme(c, -128, 127),
            .count = rl_random_in(c, 0, 60),
        };
        random_scale(c, 130050, 255, &m);
        const size_t count = (size_t)m.count;
        rl_case_begin(c, "%ld, root %d, %ld %ld", (long)m.count, m.is_root, (long)m.multiplier, (long)m.shift);
        int8_t *a = rl_case_s8(c, count), *b = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        int8_t *y = rl_case_s8(c, count);
        for (size_t k = 0; k < count; k++) {
            a[k] = (int8_t)rl_random_extreme(c, INT8_MIN, INT8_MAX);
            expected[k] = (int8_t)reference(&m, a[k] + m.input_offset, b[k] + m.input_offset, INT8_MIN, INT8_MAX);
        }
        rl_magnitude_run(&m, a, b, y);
        rl_case_equal_s8(c, "output", expected, y, count);
        rl_magnitude_run(&m, a, b, a);
        rl_case_equal_s8(c, "in place", expected, a, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_magnitude_s16(struct rl_case *c)
{
    rl_test_start(c, "magnitude of int16");
    for (int i = 0; i < CASES; i++) {
        struct rl_magnitude m = {
            .is_root = rl_random_one_in(c, 2),
            .epsilon = rl_random_one_in(c, 2) ? 0 : rl_random_extreme(c, 0, INT32_MAX),
            .count = rl_random_in(c, 0, 60),
        };
        random_scale(c, 0x1p31, 32767, &m);
        const size_t count = (size_t)m.count;
        rl_case_begin(c, "%ld, root %d, %ld %ld", (long)m.count, m.is_root, (long)m.multiplier, (long)m.shift);
        int16_t *a = rl_case_s16(c, count), *b = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        int16_t *y = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            a[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
            b[k] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
            expected[k] = (int16_t)reference(&m, a[k], b[k], INT16_MIN, INT16_MAX);
        }
        rl_magnitude_s16_run(&m, a, b, y);
        rl_case_equal_s16(c, "output", expected, y, count);
        rl_magnitude_s16_run(&m, a, b, b);
        rl_case_equal_s16(c, "in place", expected, b, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// With a factor of 4 the root is that of the sum itself: every square, and its neighbours.
static void test_roots(struct rl_case *c)
{
    struct rl_magnitude m = {.is_root = true, .multiplier = 1 << 30, .shift = 3, .count = 1};
    rl_test_start(c, "roots of squares");
    rl_case_begin(c, "factor 4");
    for (int32_t r = 1; r < INT16_MAX; r += 1 + r / 256) {
        static const int16_t zero;
        int16_t result[3];
        const int32_t sums[3] = {r * r - r, r * r - r + 1, r * r + r}; // (r - 1/2)^2 lies between the first two
        for (int i = 0; i < 3; i++) {
            m.epsilon = sums[i];
            rl_magnitude_s16_run(&m, &zero, &zero, &result[i]);
        }
        rl_case_expect(c, result[0] == r - 1 && result[1] == r && result[2] == r, "the nearest root");
    }
    rl_case_end(c);
    rl_test_stop(c);
}

// The result at |x| in one half of a table, as the header defines it.
static double reference_curve(const int16_t *results, int32_t x)
{
    int32_t s = 0;
    while (x >= 64 && x >> s >= 64) {
        s++;
    }
    const int32_t place = 32 * s + (x >> s);
    const double part = (x - (x >> s) * (1 << s)) / (double)(1 << s);
    return results[place] + (part > 0 ? part * (results[place + 1] - results[place]) : 0.0);
}

static int16_t random_place(struct rl_case *c)
{
    return (int16_t)(rl_random_one_in(c, 2) ? rl_random_extreme(c, INT16_MIN, INT16_MAX)
                                            : rl_random_extreme(c, -130, 130));
}

// The exact result of a layer, whose table has a half for negative inputs, or else 0 stands for these.
static double result_of(const struct rl_curve *layer, int16_t x)
{
    const int32_t negative = layer->has_negative ? -(int32_t)x : 0;
    const int16_t *half = x < 0 && layer->has_negative ? layer->results + RL_CURVE_PLACES : layer->results;
    return reference_curve(half, x < 0 ? negative : x);
}

static void test_curve(struct rl_case *c)
{
    rl_test_start(c, "functions of int16");
    for (int i = 0; i < CASES / 3; i++) {
        const struct rl_curve layout = {.has_negative = rl_random_one_in(c, 2), .count = rl_random_in(c, 0, 200)};
        const size_t count = (size_t)layout.count;
        rl_case_begin(c, "%ld, negative %d", (long)count, layout.has_negative);
        const int16_t *table = rl_case_s16(c, RL_CURVE_PLACES * (layout.has_negative ? 2u : 1u));
        const struct rl_curve layer = {table, layout.has_negative, layout.count};
        int16_t *x = rl_case_s16(c, count);
        int8_t *expected = rl_case_s8(c, count), *y = rl_case_s8(c, count);
        for (size_t k = 0; k < count; k++) {
            x[k] = random_place(c);
            const double result = result_of(&layer, x[k]);
            expected[k] = (int8_t)fmax(fmin(floor(result / 256 + 0.5), 127), -128);
        }
        rl_curve_run(&layer, x, y);
        rl_case_equal_s8(c, "output", expected, y, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Interpolated int16 results lie between two of the table, and halves are rounded upwards.
static void test_wide_curve(struct rl_case *c)
{
    rl_test_start(c, "functions of int16 with int16 results");
    for (int i = 0; i < CASES / 3; i++) {
        const struct rl_curve layout = {.has_negative = rl_random_one_in(c, 2), .count = rl_random_in(c, 0, 200)};
        const size_t count = (size_t)layout.count;
        rl_case_begin(c, "%ld, negative %d", (long)count, layout.has_negative);
        const int16_t *table = rl_case_s16(c, RL_CURVE_PLACES * (layout.has_negative ? 2u : 1u));
        const struct rl_curve layer = {table, layout.has_negative, layout.count};
        int16_t *x = rl_case_s16(c, count), *expected = rl_case_s16(c, count), *y = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            x[k] = random_place(c);
            expected[k] = (int16_t)floor(result_of(&layer, x[k]) + 0.5);
        }
        rl_curve_s16_run(&layer, x, y);
        rl_case_equal_s16(c, "output", expected, y, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_wide_table(struct rl_case *c)
{
    rl_test_start(c, "functions of int8 with int16 results");
    for (int i = 0; i < CASES / 3; i++) {
        const size_t count = (size_t)rl_random_in(c, 0, 200);
        rl_case_begin(c, "%ld", (long)count);
        const int16_t *table = rl_case_s16(c, 256);
        const struct rl_table_s16 layer = {table, (int32_t)count};
        const int8_t *x = rl_case_s8(c, count);
        int16_t *expected = rl_case_s16(c, count), *y = rl_case_s16(c, count);
        for (size_t k = 0; k < count; k++) {
            expected[k] = table[x[k] + 128];
        }
        rl_table_s16_run(&layer, x, y);
        rl_case_equal_s16(c, "output", expected, y, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    struct rl_case c = {0};
    test_magnitude(&c);
    test_magnitude_s16(&c);
    test_roots(&c);
    test_curve(&c);
    test_wide_curve(&c);
    test_wide_table(&c);
    return rl_test_finish(&c);
}
