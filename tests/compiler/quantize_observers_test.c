// SPDX-License-Identifier: Apache-2.0
//
// The observers and formulas of the quantizer against answers of torchao on the same data
// (tests/fixtures/quantize/observers.txt, written by python/record_observers.py): equal bit for bit.
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/quantize/channels.h"
#include "compiler/quantize/histogram.h"
#include "compiler/quantize/qparams.h"

enum { MAX_VALUES = 5000, MAX_CHANNELS = 8 };

static const struct rl_qrange int8_range = {-128, 127};
static const struct rl_qrange bias_range = {INT32_MIN, INT32_MAX - 1};

static float next_uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static float draw_one(const char *distribution, uint32_t *state)
{
    float u[4];
    for (int i = 0; i < 4; i++) {
        u[i] = next_uniform(state);
    }
    const float bell = ((u[0] + u[1]) + (u[2] + u[3])) - 2.0f;
    if (strcmp(distribution, "uniform") == 0) {
        return u[0] * 4.0f - 1.0f;
    }
    if (strcmp(distribution, "bell") == 0) {
        return bell;
    }
    if (strcmp(distribution, "relu") == 0) {
        return fmaxf(bell, 0.0f);
    }
    if (strcmp(distribution, "relu6") == 0) {
        return fminf(fmaxf(bell * 5.0f, 0.0f), 6.0f);
    }
    if (strcmp(distribution, "cubed") == 0) {
        return bell * bell * bell;
    }
    if (strcmp(distribution, "spikes") == 0) {
        return u[1] < 1.0f / 512 ? u[0] * 90.0f : bell;
    }
    if (strcmp(distribution, "positive") == 0) {
        return 1.0f / (u[0] + 1.0f / 64);
    }
    if (strcmp(distribution, "negative") == 0) {
        return bell * 0.5f - 7.0f;
    }
    if (strcmp(distribution, "lattice") == 0) {
        return rintf(bell * 8.0f) * 0.25f;
    }
    assert_string_equal(distribution, "constant");
    return -1.375f;
}

static void draw(const char *distribution, uint32_t seed, int count, float gain, float *values)
{
    uint32_t state = seed;
    for (int i = 0; i < count; i++) {
        values[i] = draw_one(distribution, &state) * gain;
    }
}

static int64_t checksum_term(int64_t integer, int64_t index)
{
    return integer * (index % 251 + 1);
}

static void assert_qparams(const char *line, struct rl_qparams found, double scale, int zero_point)
{
    if ((double)found.scale != scale || found.zero_point != zero_point) {
        fail_msg("scale %a zero point %" PRId32 " on the data of: %s", (double)found.scale, found.zero_point, line);
    }
}

static void check_activation(const char *line)
{
    char distribution[16];
    unsigned seed;
    int batches, size, zero_point[2];
    float growth;
    double scale[2];
    assert_int_equal(sscanf(line, "activation %15s %u %d %d %f %la %d %la %d", distribution, &seed, &batches, &size,
                            &growth, &scale[0], &zero_point[0], &scale[1], &zero_point[1]),
                     9);
    assert_in_range(size, 1, MAX_VALUES);
    static float values[MAX_VALUES];
    static struct rl_histogram histogram, uncounted;
    static float counts[RL_HISTOGRAM_BINS];
    rl_histogram_init(&histogram, counts);
    rl_histogram_init(&uncounted, NULL);
    struct rl_minmax range = rl_minmax_empty();
    float gain = 1;
    for (int batch = 0; batch < batches; batch++, gain *= growth) {
        draw(distribution, seed + (unsigned)batch, size, gain, values);
        assert_true(rl_minmax_observe(&range, values, (size_t)size));
        assert_true(rl_histogram_observe(&histogram, values, (size_t)size));
        assert_true(rl_histogram_observe_range(&uncounted, values, (size_t)size));
        assert_memory_equal(&histogram.range, &uncounted.range, sizeof uncounted.range);
    }
    assert_qparams(line, rl_qparams_affine(range.min, range.max, int8_range), scale[0], zero_point[0]);
    const struct rl_minmax chosen = rl_histogram_choose_range(&histogram);
    assert_qparams(line, rl_qparams_affine(chosen.min, chosen.max, int8_range), scale[1], zero_point[1]);
}

static void check_weight(const char *line)
{
    char distribution[16];
    unsigned seed;
    int channels, size, axis, read;
    assert_int_equal(sscanf(line, "weight %15s %u %d %d %d%n", distribution, &seed, &channels, &size, &axis, &read), 5);
    assert_in_range(channels, 1, MAX_CHANNELS);
    assert_in_range(channels * size, 1, MAX_VALUES);
    static float values[MAX_VALUES];
    draw(distribution, seed, channels * size, 0.125f, values);
    const int64_t sizes[2] = {axis == 0 ? channels : size, axis == 0 ? size : channels};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    struct rl_minmax ranges[MAX_CHANNELS];
    float scales[MAX_CHANNELS];
    assert_true(rl_channels_observe(&type, axis, values, ranges));
    char *rest = (char *)line + read;
    for (int channel = 0; channel < channels; channel++) {
        const struct rl_qparams found = rl_qparams_symmetric(ranges[channel].min, ranges[channel].max, int8_range);
        assert_qparams(line, found, strtod(rest, &rest), 0);
        scales[channel] = found.scale;
    }
    static int8_t integers[MAX_VALUES];
    rl_channels_quantize_to_int8(&type, axis, values, scales, int8_range, integers);
    int64_t sum = 0;
    for (int i = 0; i < channels * size; i++) {
        sum += checksum_term(integers[i], i);
    }
    assert_int_equal(sum, strtoll(rest, NULL, 10));
}

static void check_quantized(const char *line)
{
    char distribution[16];
    unsigned seed;
    int size, bits, zero_point;
    double scale;
    int64_t expected;
    assert_int_equal(sscanf(line, "quantized %15s %u %d %d %la %d %" SCNd64, distribution, &seed, &size, &bits, &scale,
                            &zero_point, &expected),
                     7);
    assert_in_range(size, 1, MAX_VALUES);
    static float values[MAX_VALUES];
    static int8_t bytes[MAX_VALUES];
    static int32_t words[MAX_VALUES];
    draw(distribution, seed, size, 1, values);
    const struct rl_qparams qparams = {(float)scale, zero_point};
    rl_quantize_to_int8(values, (size_t)size, qparams, int8_range, bytes);
    rl_quantize_to_int32(values, (size_t)size, qparams, bias_range, words);
    int64_t sum = 0;
    for (int i = 0; i < size; i++) {
        sum += checksum_term(bits == 8 ? bytes[i] : words[i], i);
    }
    assert_int_equal(sum, expected);
}

// Runs `check` on each line that starts with `kind`; there must be `least` of them.
static void check_lines(const char *kind, int least, void (*check)(const char *line))
{
    FILE *file = fopen(RL_FIXTURES "/quantize/observers.txt", "r");
    assert_non_null(file);
    char line[512];
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, kind, strlen(kind)) == 0) {
            check(line);
            count++;
        }
    }
    fclose(file);
    assert_true(count >= least);
}

static void activations_equal_torchao(void **state)
{
    (void)state;
    check_lines("activation ", 70, check_activation);
}

static void weights_equal_torchao(void **state)
{
    (void)state;
    check_lines("weight ", 20, check_weight);
}

static void integers_equal_torch(void **state)
{
    (void)state;
    check_lines("quantized ", 30, check_quantized);
}

static void channels_follow_the_layout(void **state)
{
    (void)state;
    // Two output channels of 1x2x3 weights, stored channels-last: the same weights, another order within a channel.
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){2, 2, 1, 3});
    memcpy(type.order, (const uint8_t[]){0, 2, 3, 1}, 4);
    const float values[12] = {0, 1, 2, 3, 4, 5, -6, -7, -8, -9, -10, -11};
    struct rl_minmax ranges[3];
    assert_true(rl_channels_observe(&type, 0, values, ranges));
    assert_float_equal(ranges[0].max, 5, 0);
    assert_float_equal(ranges[1].min, -11, 0);
    assert_true(rl_channels_observe(&type, 1, values, ranges));
    assert_float_equal(ranges[0].min, -10, 0);
    assert_float_equal(ranges[1].min, -11, 0);
    assert_true(rl_channels_observe(&type, 3, values, ranges));
    assert_float_equal(ranges[0].min, -7, 0);
    assert_float_equal(ranges[2].max, 5, 0);
}

static void values_that_are_no_numbers(void **state)
{
    (void)state;
    static struct rl_histogram histogram;
    static float counts[RL_HISTOGRAM_BINS];
    rl_histogram_init(&histogram, counts);
    const struct rl_minmax nothing = rl_histogram_choose_range(&histogram);
    assert_float_equal(rl_qparams_affine(nothing.min, nothing.max, int8_range).scale, 1, 0);
    const float infinite[] = {INFINITY, -INFINITY};
    assert_true(rl_histogram_observe(&histogram, infinite, 2));
    assert_true(histogram.range.min > histogram.range.max);
    const float mixed[] = {-1, INFINITY, 3};
    assert_true(rl_histogram_observe(&histogram, mixed, 3));
    assert_float_equal(histogram.range.min, -1, 0);
    assert_float_equal(histogram.range.max, 3, 0);
    const float broken[] = {0, NAN, 100};
    assert_false(rl_histogram_observe(&histogram, broken, 3));
    assert_float_equal(histogram.range.max, 3, 0);
    const float huge[] = {-3e38f, 3e38f, 0};
    assert_true(rl_histogram_observe(&histogram, huge, 3));
    int8_t integers[2];
    rl_quantize_to_int8(infinite, 2, (struct rl_qparams){0.5f, 3}, int8_range, integers);
    assert_int_equal(integers[0], 127);
    assert_int_equal(integers[1], -128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_equal_torchao),  cmocka_unit_test(weights_equal_torchao),
        cmocka_unit_test(integers_equal_torch),       cmocka_unit_test(channels_follow_the_layout),
        cmocka_unit_test(values_that_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
