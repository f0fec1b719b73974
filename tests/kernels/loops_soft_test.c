// SPDX-License-Identifier: Apache-2.0
// The loops of a Cortex-M0 for what other cores have instructions for, against the definition and, where they are in
// assembler, against their plain form: from floats to int8, from int16 to floats, and from sums to int16.
#include "loops_plain.h"
#include "quantization.h"
#include "scalar/soft_quantization.h"
#include "scalar/store_s16.h"
#include "support/kernel_test.h"

#include <string.h>

enum { CASES = 400 };

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The nearest integer, ties to even, limited to int8 once `zero_point` is added.
static int8_t quantized(float number, int32_t zero_point)
{
    const float most = 1000;
    if (number > most || number < -most) {
        return number > 0 ? INT8_MAX : INT8_MIN;
    }
    int32_t whole = (int32_t)number;
    const float rest = number - (float)whole;
    const bool odd = whole % 2 != 0;
    whole += rest > 0.5F || (rest == 0.5F && odd) ? 1 : 0;
    whole -= rest < -0.5F || (rest == -0.5F && odd) ? 1 : 0;
    return (int8_t)rl_reference_limited(whole + zero_point, (cmsis_nn_activation){INT8_MIN, INT8_MAX});
}

// A number at or beside a place where the result changes, zero, or any, also infinite or none.
static float number_for(struct rl_case *c, float scale)
{
    const int32_t kind = rl_random_in(c, 0, 9);
    if (kind == 0) {
        return float_of((uint32_t)rl_random_extreme(c, INT32_MIN, INT32_MAX));
    }
    if (kind == 1) {
        return rl_random_one_in(c, 2) ? 0.0F : -0.0F;
    }
    if (kind < 5) {
        return (float)rl_random_in(c, -600, 600) * 0.5F * scale * (1.0F + (float)rl_random_in(c, -2, 2) * 0x1p-23F);
    }
    return (float)rl_random_in(c, -300000, 300000) * 0.001F * scale;
}

static void test_quick_quantize(struct rl_case *c)
{
    enum { MOST = 40 };
    rl_test_start(c, "quick_quantize");
    for (int i = 0; i < CASES; i++) {
        const uint32_t inverse = (uint32_t)rl_random_in(c, 40, 210) << 23 | (uint32_t)rl_random_in(c, 0, (1 << 23) - 1);
        const int32_t count = rl_random_in(c, 1, MOST), zero_point = rl_random_extreme(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld numbers, inverse %lx, zero point %ld", (long)count, (long)inverse, (long)zero_point);
        float *numbers = rl_case_buffer(c, (size_t)count * sizeof *numbers, 4);
        int8_t *output = rl_case_buffer(c, (size_t)count, 1), *plain = rl_case_buffer(c, (size_t)count, 1);
        int8_t expected[MOST];
        for (int32_t k = 0; k < count; k++) {
            numbers[k] = number_for(c, 1.0F / float_of(inverse));
            expected[k] = quantized(numbers[k] * float_of(inverse), zero_point);
        }
        struct rl_quick_quantize job = {numbers, output, numbers + count, rl_quick_inverse_of(inverse), zero_point};
        struct rl_quick_quantize other = job;
        other.to = plain;
        while (job.from != job.end) {
            rl_quick_quantize(&job);
            rl_plain_quick_quantize(&other);
            rl_case_expect(c, job.from == other.from && job.to - output == other.to - plain, "as many numbers");
            if (job.from == job.end || job.from != other.from) {
                break;
            }
            *job.to++ = *other.to++ = expected[job.from - numbers]; // the caller's part
            job.from++;
            other.from++;
        }
        rl_case_equal_s8(c, "plain output", expected, plain, (size_t)count);
        rl_case_equal_s8(c, "output", plain, output, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Products of all sizes, and such that lie half way between two floats.
static void test_quick_dequantize(struct rl_case *c)
{
    enum { MOST = 40 };
    rl_test_start(c, "quick_dequantize");
    for (int i = 0; i < CASES; i++) {
        const int32_t trailing = rl_random_in(c, 0, 23), mantissa = rl_random_in(c, 0, (1 << 23) - 1);
        const uint32_t scale = (uint32_t)rl_random_in(c, 3, 226) << 23 | (uint32_t)(mantissa >> trailing << trailing);
        const int32_t count = rl_random_in(c, 1, MOST), zero_point = rl_random_extreme(c, INT16_MIN, INT16_MAX);
        rl_case_begin(c, "%ld values, scale %lx, zero point %ld", (long)count, (long)scale, (long)zero_point);
        int16_t *values = rl_case_buffer(c, (size_t)count * sizeof *values, 2);
        float *output = rl_case_buffer(c, (size_t)count * sizeof *output, 4);
        float *plain = rl_case_buffer(c, (size_t)count * sizeof *plain, 4);
        float expected[MOST];
        for (int32_t k = 0; k < count; k++) {
            const int32_t bits = rl_random_in(c, 0, 15), near = zero_point + rl_random_in(c, -(1 << bits), 1 << bits);
            values[k] =
                (int16_t)(near < INT16_MIN || near > INT16_MAX ? rl_random_extreme(c, INT16_MIN, INT16_MAX) : near);
            expected[k] = (float)(values[k] - zero_point) * float_of(scale);
        }
        struct rl_quick_dequantize job = {values, output, values + count, zero_point, scale}, other = job;
        other.to = plain;
        rl_quick_dequantize(&job);
        rl_plain_quick_dequantize(&other);
        rl_case_expect(c, memcmp(expected, plain, (size_t)count * sizeof *plain) == 0, "plain floats");
        rl_case_expect(c, memcmp(plain, output, (size_t)count * sizeof *plain) == 0, "floats");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Sums beyond 2^30 and scales that do not shift right are left to the caller, as the formula is.
static void test_store_s16(struct rl_case *c)
{
    enum { MOST = 20 };
    rl_test_start(c, "store_s16");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 1, MOST), most = rl_random_one_in(c, 4) ? INT32_MAX : 1 << 30;
        rl_case_begin(c, "%ld sums up to %ld", (long)count, (long)most);
        const int32_t *sums = rl_case_s32(c, (size_t)count, -most, most - 1);
        const int32_t *multipliers = rl_case_s32(c, (size_t)count, 1 << 30, INT32_MAX);
        const int32_t *shifts =
            rl_case_s32(c, (size_t)count, rl_random_one_in(c, 4) ? -31 : -22, rl_random_in(c, -1, 3));
        int16_t expected[MOST], *output = rl_case_buffer(c, (size_t)count * sizeof *output, 2);
        int16_t *plain = rl_case_buffer(c, (size_t)count * sizeof *plain, 2);
        for (int32_t k = 0; k < count; k++) {
            const int32_t scaled = rl_reference_requantize(sums[k], multipliers[k], shifts[k]);
            expected[k] = (int16_t)rl_reference_limited(scaled, (cmsis_nn_activation){INT16_MIN, INT16_MAX});
        }
        struct rl_store_s16 job = {sums, output, multipliers, shifts, sums + count}, other = job;
        other.output = plain;
        while (job.sums != job.end) {
            rl_store_short_s16(&job);
            rl_plain_store_short_s16(&other);
            const ptrdiff_t done = job.sums - sums;
            const bool together = job.output - output == done && job.shifts - shifts == done &&
                                  job.multipliers - multipliers == done && other.sums - sums == done;
            rl_case_expect(c, together && other.output - plain == done, "as many sums");
            if (done == count || !together) {
                break;
            }
            *job.output++ = *other.output++ = expected[done]; // the caller's part
            job.sums++, job.multipliers++, job.shifts++;
            other.sums++, other.multipliers++, other.shifts++;
        }
        rl_case_equal_s16(c, "plain output", expected, plain, (size_t)count);
        rl_case_equal_s16(c, "output", plain, output, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_quick_quantize(&c);
    test_quick_dequantize(&c);
    test_store_s16(&c);
    return rl_test_finish(&c);
}
