// SPDX-License-Identifier: Apache-2.0
//
// Quantizing and dequantizing, element by element against the definition: ties, neighbours of ties, huge and tiny
// numbers, subnormal ones, infinities and NaN, with ordinary scales and with the smallest and largest.
#include "kernels/quantization.h"

#include <float.h>
#include <string.h>

#include "support/kernel_test.h"

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Scales of every size; half of them as quantizers make them.
static float random_scale(struct rl_case *c)
{
    static const float special[] = {FLT_MIN, FLT_MAX,   0x1p-149f,  0x1.8p-126f, 0x1p-125f,
                                    1.0f,    0x1p-127f, 0x1p125f,   0x1p126f,    0x1.000002p125f,
                                    0.5f,    3.0f,      0x1.8p-20f, 1.0f / 255,  0x1.fffffep-126f};
    if (rl_random_one_in(c, 4)) {
        return special[rl_random(c) % (sizeof special / sizeof *special)];
    }
    const uint32_t exponent = rl_random_one_in(c, 3) ? 1 + rl_random(c) % 254 : 110 + rl_random(c) % 20;
    return float_of(exponent << 23 | (rl_random(c) & 0x7fffff));
}

// Most numbers are near a half of a step, the others any bits.
static float random_number(struct rl_case *c, float scale)
{
    const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x7f800000, 0xff800000,
                                0x7fc00000, 0xffc00000, 0x7f800001, 0x7f7fffff, 0xff7fffff, 0x007fffff};
    if (rl_random_one_in(c, 16)) {
        return float_of(special[rl_random(c) % (sizeof special / sizeof *special)]);
    }
    if (rl_random_one_in(c, 4)) {
        return float_of(rl_random(c));
    }
    const int32_t reach = rl_random_one_in(c, 4) ? 70000 : 300;
    uint32_t bits = rl_bits_of_float((float)rl_random_in(c, -reach, reach) * 0.5f * scale);
    if ((bits & 0x7fffffff) > 8 && (bits & 0x7fffffff) < 0x7f000000) {
        bits += (uint32_t)rl_random_in(c, -2, 2);
    }
    return float_of(bits);
}

static struct rl_quantization random_quantization(struct rl_case *c, bool wide)
{
    const int32_t low = wide ? -32768 : -128, high = wide ? 32767 : 127;
    struct rl_quantization q = {random_scale(c), rl_random_extreme(c, low, high), low, high};
    if (rl_random_one_in(c, 2)) {
        q.min = rl_random_extreme(c, low, high);
        q.max = rl_random_in(c, q.min, high);
    }
    return q;
}

static int32_t expected_integer(float number, const struct rl_quantization *q)
{
    const volatile float inverse = 1.0f / q->scale;
    const volatile float scaled = number * inverse;
    const float lowest = (float)(q->min - q->zero_point), highest = (float)(q->max - q->zero_point);
    if (!(scaled > lowest)) {
        return q->min;
    }
    if (scaled > highest) {
        return q->max;
    }
    int32_t rounded = (int32_t)scaled;
    const float rest = scaled - (float)rounded;
    if (rest > 0.5f || (rest == 0.5f && (rounded & 1) != 0)) {
        rounded++;
    }
    if (rest < -0.5f || (rest == -0.5f && (rounded & 1) != 0)) {
        rounded--;
    }
    return rounded + q->zero_point;
}

static void test_quantize(struct rl_case *c, const char *name, bool wide)
{
    enum { MAXIMUM = 40 };
    rl_test_start(c, name);
    for (int i = 0; i < 1500; i++) {
        const struct rl_quantization q = random_quantization(c, wide);
        const int32_t count = rl_random_in(c, 0, MAXIMUM);
        const size_t size = wide ? sizeof(int16_t) : sizeof(int8_t);
        const bool plain = rl_random_one_in(c, 2); // no NaN and nothing huge: the fast way of every core
        rl_case_begin(c, "%ld elements, scale %08lx, zero point %ld, %ld..%ld", (long)count,
                      (unsigned long)rl_bits_of_float(q.scale), (long)q.zero_point, (long)q.min, (long)q.max);
        float *from = rl_case_buffer(c, (size_t)count * sizeof(float), 4);
        void *to = rl_case_buffer(c, (size_t)count * size, wide ? 2 : 1);
        int32_t expected[MAXIMUM], actual[MAXIMUM];
        for (int32_t k = 0; k < count; k++) {
            from[k] = random_number(c, q.scale);
            const float scaled = from[k] * (1.0f / q.scale);
            if (plain && !(scaled > -4000000 && scaled < 4000000)) {
                from[k] = 0;
            }
            expected[k] = expected_integer(from[k], &q);
        }
        rl_quantize_elements(from, (uint32_t)count, &q, wide, to);
        for (int32_t k = 0; k < count; k++) {
            actual[k] = wide ? ((int16_t *)to)[k] : ((int8_t *)to)[k];
        }
        rl_case_equal_s32(c, "output", expected, actual, (size_t)count);
        memset(to, 0x55, (size_t)count * size);
        if (wide) {
            rl_quantize_s16(from, (uint32_t)count, &q, to);
        } else {
            rl_quantize_s8(from, (uint32_t)count, &q, to);
        }
        for (int32_t k = 0; k < count; k++) {
            actual[k] = wide ? ((int16_t *)to)[k] : ((int8_t *)to)[k];
        }
        rl_case_equal_s32(c, "output of the function for one type", expected, actual, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dequantize(struct rl_case *c, const char *name, bool wide)
{
    enum { MAXIMUM = 40 };
    rl_test_start(c, name);
    for (int i = 0; i < 1500; i++) {
        const struct rl_quantization q = random_quantization(c, wide);
        const int32_t count = rl_random_in(c, 0, MAXIMUM);
        rl_case_begin(c, "%ld elements, scale %08lx, zero point %ld", (long)count,
                      (unsigned long)rl_bits_of_float(q.scale), (long)q.zero_point);
        void *from = rl_case_buffer(c, (size_t)count * (wide ? 2 : 1), wide ? 2 : 1);
        float *to = rl_case_buffer(c, (size_t)count * sizeof(float), 4);
        int32_t expected[MAXIMUM], actual[MAXIMUM];
        for (int32_t k = 0; k < count; k++) {
            const int32_t value = wide ? ((int16_t *)from)[k] : ((int8_t *)from)[k];
            const volatile float product = (float)(value - q.zero_point) * q.scale;
            expected[k] = (int32_t)rl_bits_of_float(product);
        }
        rl_dequantize_elements(from, wide, (uint32_t)count, &q, to);
        for (int32_t k = 0; k < count; k++) {
            actual[k] = (int32_t)rl_bits_of_float(to[k]);
        }
        rl_case_equal_s32(c, "bits", expected, actual, (size_t)count);
        memset(to, 0x55, (size_t)count * sizeof(float));
        if (wide) {
            rl_dequantize_s16(from, (uint32_t)count, &q, to);
        } else {
            rl_dequantize_s8(from, (uint32_t)count, &q, to);
        }
        for (int32_t k = 0; k < count; k++) {
            actual[k] = (int32_t)rl_bits_of_float(to[k]);
        }
        rl_case_equal_s32(c, "bits of the function for one type", expected, actual, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_quantize(&c, "quantize_to_int8", false);
    test_quantize(&c, "quantize_to_int16", true);
    test_dequantize(&c, "dequantize_from_int8", false);
    test_dequantize(&c, "dequantize_from_int16", true);
    return rl_test_finish(&c);
}
