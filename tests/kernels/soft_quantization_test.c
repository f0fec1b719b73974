// SPDX-License-Identifier: Apache-2.0
//
// Conversions of floats without an FPU give the bits of the formulas in quantization.h, on numbers at and beside the
// places where they change.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "quantization.h"

enum { ROUNDS = 200000, BATCH = 64 };

static uint32_t seed = 1;

static uint32_t random_bits(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed ^ (seed >> 16);
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static int32_t expected(float number, const struct rl_quantization *q)
{
    const float rounded = nearbyintf(number * (1.0f / q->scale));
    const double value = (double)rounded + q->zero_point;
    return (int32_t)fmin(fmax(value, q->min), q->max);
}

static void compare(const float *numbers, uint32_t count, const struct rl_quantization *q, bool wide)
{
    int16_t words[BATCH];
    int8_t bytes[BATCH];
    assert_true(rl_quantize_soft(numbers, count, q, wide, wide ? (void *)words : (void *)bytes));
    for (uint32_t i = 0; i < count; i++) {
        const int32_t found = wide ? words[i] : bytes[i];
        if (found != expected(numbers[i], q)) {
            fail_msg("%a by a scale of %a: found %d, expected %d", (double)numbers[i], (double)q->scale, (int)found,
                     (int)expected(numbers[i], q));
        }
    }
}

static struct rl_quantization any_grid(bool wide, float scale)
{
    const int32_t zero = wide ? (int16_t)random_bits() : (int8_t)random_bits();
    const struct rl_quantization byte = {.scale = scale, .zero_point = zero, .min = INT8_MIN, .max = INT8_MAX};
    const struct rl_quantization word = {.scale = scale, .zero_point = zero, .min = INT16_MIN, .max = INT16_MAX};
    return wide ? word : byte;
}

// Numbers around halves of the grid, a few steps of a float beside them.
static void halves_round_to_even(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS / BATCH; round++) {
        const bool wide = round & 1;
        const struct rl_quantization q = any_grid(wide, float_of(0x38000000u + random_bits() % 0x0a000000u));
        float numbers[BATCH];
        for (int i = 0; i < BATCH; i++) {
            const int32_t most = wide ? 70000 : 300;
            const float half = ((float)((int32_t)(random_bits() % (2u * (uint32_t)most)) - most) + 0.5f) * q.scale;
            uint32_t bits;
            memcpy(&bits, &half, sizeof bits);
            numbers[i] = float_of(bits + random_bits() % 7 - 3);
        }
        compare(numbers, BATCH, &q, wide);
    }
}

// All bits but those of NaN, and scales of all sizes.
static void any_numbers(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS / BATCH; round++) {
        const bool wide = round & 1;
        const struct rl_quantization q = any_grid(wide, float_of(0x01000000u + random_bits() % 0x7c000000u));
        uint32_t inverse;
        const float reciprocal = 1.0f / q.scale;
        memcpy(&inverse, &reciprocal, sizeof inverse);
        float numbers[BATCH];
        for (int i = 0; i < BATCH; i++) {
            // A third has any bits; the others are within the grid.
            const uint32_t exponent = (uint32_t)(254 - (int32_t)(inverse >> 23) + (int32_t)(random_bits() % 18));
            uint32_t bits = i % 3 ? (random_bits() & 0x807fffffu) | (exponent % 255u) << 23 : random_bits();
            bits = (bits & 0x7fffffffu) > 0x7f800000u ? bits & 0x80000000u : bits;
            numbers[i] = float_of(bits);
        }
        compare(numbers, BATCH, &q, wide);
    }
}

static void ends_of_floats(void **state)
{
    (void)state;
    static const float numbers[] = {
        0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f, INFINITY, -INFINITY};
    static const float scales[] = {0x1p-125f, 0x1p125f, 0x1.fffffep-1f, 1.0f, 0x1.8p-20f};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        for (int wide = 0; wide <= 1; wide++) {
            const struct rl_quantization q = any_grid(wide, scales[i]);
            compare(numbers, sizeof numbers / sizeof *numbers, &q, wide);
        }
    }
    const float nan = NAN;
    int8_t byte;
    const struct rl_quantization q = any_grid(false, 1.0f);
    assert_false(rl_quantize_soft(&nan, 1, &q, false, &byte));
}

static void all_integers_become_the_same_floats(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        const bool wide = round & 1;
        const struct rl_quantization q = any_grid(wide, float_of(0x01000000u + random_bits() % 0x70000000u));
        for (int32_t value = q.min; value <= q.max; value++) {
            const int16_t word = (int16_t)value;
            const int8_t byte = (int8_t)value;
            const float by_formula = (float)(value - q.zero_point) * q.scale;
            float found;
            assert_true(rl_dequantize_soft(wide ? (const void *)&word : (const void *)&byte, wide, 1, &q, &found));
            if (memcmp(&found, &by_formula, sizeof found) != 0) {
                fail_msg("%d of zero point %d by %a: found %a, expected %a", (int)value, (int)q.zero_point,
                         (double)q.scale, (double)found, (double)by_formula);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_round_to_even),
        cmocka_unit_test(any_numbers),
        cmocka_unit_test(ends_of_floats),
        cmocka_unit_test(all_integers_become_the_same_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
