// SPDX-License-Identifier: Apache-2.0
// Norms and variances: against the formulas of the header written down once more, and against floating point.
#include "kernels/normalization/statistics.h"
#include "rushlight/kernels/normalization.h"
#include "support/kernel_test.h"

#include <math.h>
#include <string.h>

enum { CASES = 400, MOST_VALUES = 20000 };

// floor(value / 2^bits)
static int64_t floor_shift(int64_t value, int32_t bits)
{
    const int64_t divisor = (int64_t)1 << bits;
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

static int64_t round_shift(int64_t value, int32_t bits)
{
    return bits == 0 ? value : floor_shift(value + ((int64_t)1 << (bits - 1)), bits);
}

static uint64_t reference_root(uint64_t value)
{
    uint64_t low = 0, high = (uint64_t)1 << 32;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        if (middle * middle <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t epsilon_of(const struct rl_norm *layer)
{
    return (uint64_t)layer->epsilon[1] << 32 | layer->epsilon[0];
}

struct statistics {
    int64_t n, mean, rest, variation;
};

// The place in memory of a value of a row: value `place` of channel `channel`.
static size_t place_of(const struct rl_norm *layer, int32_t image, int32_t channel, int32_t place)
{
    const size_t channels = (size_t)layer->channels, places = (size_t)layer->places;
    const size_t start = (size_t)image * channels * places;
    return start + (layer->channels_last ? (size_t)place * channels + (size_t)channel
                                         : (size_t)channel * places + (size_t)place);
}

static struct statistics statistics_of(const struct rl_norm *layer, int32_t image, int32_t group, const int8_t *input)
{
    const int32_t size = layer->channels / layer->groups;
    struct statistics s = {.n = (int64_t)size * layer->places};
    int64_t sum = 0, squares = 0;
    const int64_t zero = layer->centered ? 0 : layer->input_zero_point;
    for (int32_t channel = group * size; channel < (group + 1) * size; channel++) {
        for (int32_t place = 0; place < layer->places; place++) {
            const int64_t x = input[place_of(layer, image, channel, place)] - zero;
            sum += x;
            squares += x * x;
        }
    }
    s.variation = s.n * squares;
    s.mean = zero;
    if (layer->centered) {
        s.variation -= sum * sum;
        s.mean = 0;
        while (2 * (sum - s.n * s.mean) >= s.n) {
            s.mean++;
        }
        while (2 * (sum - s.n * s.mean) < -s.n) {
            s.mean--;
        }
        s.rest = sum - s.n * s.mean;
    }
    return s;
}

// The factor and the offset of a row, with `bits` fractional bits.
struct line {
    int64_t factor, offset;
    int32_t bits;
};

static struct line line_of(const struct rl_norm *layer, const struct statistics *s)
{
    struct line line = {0, 0, 24 - layer->weight_shift};
    if (s->variation == 0) {
        return line;
    }
    int32_t log_n = 0, j = 0, f = 46;
    while ((int64_t)2 << log_n <= s->n) {
        log_n++;
    }
    for (int64_t values = 1; values < s->n; values *= 2) {
        f -= 2;
    }
    uint64_t scaled = ((uint64_t)s->variation << f) + epsilon_of(layer);
    for (; scaled < (uint64_t)1 << 61; scaled *= 4) {
        j++;
    }
    const int64_t r = (int64_t)(((uint64_t)1 << 62) / reference_root(scaled));
    const int32_t bits = 52 - log_n - j - f / 2;
    if (bits > line.bits) {
        line.bits = bits < 30 ? bits : 30;
    }
    const int32_t h = 62 - line.bits - j - f / 2;
    line.factor = round_shift(s->n * r, h);
    line.offset = round_shift(s->rest * r, h);
    return line;
}

static int8_t reference_value(const struct rl_norm *layer, const struct line *line, int64_t difference, int32_t channel)
{
    const int64_t bias = layer->bias ? layer->bias[channel] : 0;
    const int64_t z = round_shift(difference * line->factor - line->offset, line->bits - (24 - layer->weight_shift));
    const int64_t y = floor_shift(floor_shift(z * layer->weights[channel], 16) + bias + 128, 8) + layer->output_offset;
    if (y < layer->range.min) {
        return (int8_t)layer->range.min;
    }
    return (int8_t)(y < layer->range.max ? y : layer->range.max);
}

static void reference_norm(const struct rl_norm *layer, const int8_t *input, int8_t *output)
{
    const int32_t size = layer->channels / layer->groups;
    for (int32_t image = 0; image < layer->images; image++) {
        for (int32_t group = 0; group < layer->groups; group++) {
            const struct statistics s = statistics_of(layer, image, group, input);
            const struct line line = line_of(layer, &s);
            for (int32_t channel = group * size; channel < (group + 1) * size; channel++) {
                for (int32_t place = 0; place < layer->places; place++) {
                    const size_t at = place_of(layer, image, channel, place);
                    output[at] = reference_value(layer, &line, input[at] - s.mean, channel);
                }
            }
        }
    }
}

// ---- random layers

static void random_sizes(struct rl_case *c, struct rl_norm *layer)
{
    const int32_t of_group = rl_random_in(c, 1, rl_random_one_in(c, 4) ? 70 : 9);
    layer->images = rl_random_in(c, 1, 3);
    layer->groups = rl_random_one_in(c, 2) ? 1 : rl_random_in(c, 1, 4);
    layer->channels = layer->groups * of_group;
    layer->places = rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 1, 30);
    if (rl_random_one_in(c, 20)) { // squares of more values than 30 bits hold, on machines with room for it
        *layer = (struct rl_norm){.images = 1, .groups = 1, .channels = MOST_VALUES / 4, .places = 4};
    }
    layer->channels_last = rl_random_one_in(c, 2);
    layer->centered = !rl_random_one_in(c, 3);
}

// An epsilon far below the variance of one step, of its size, or the largest.
static void random_epsilon(struct rl_case *c, struct rl_norm *layer)
{
    const int32_t bits = rl_random_extreme(c, 0, 62);
    const uint64_t random = (uint64_t)rl_random(c) << 32 | rl_random(c);
    const uint64_t epsilon = bits == 0 ? 0 : random >> (64 - bits);
    layer->epsilon[0] = (uint32_t)epsilon;
    layer->epsilon[1] = (uint32_t)(epsilon >> 32);
}

// Random bytes; few different ones; one that differs from all others; all the same.
static int8_t *random_input(struct rl_case *c, size_t count)
{
    int8_t *input = rl_case_s8(c, count);
    const int32_t kind = rl_random_in(c, 0, 4);
    const int8_t value = (int8_t)rl_random_extreme(c, -128, 127);
    for (size_t i = 0; i < count && kind > 0; i++) {
        if (kind == 1) {
            input[i] = (int8_t)rl_random_extreme(c, -128, 127);
        } else {
            input[i] = kind == 2 && value < 127 ? (int8_t)(value + rl_random_in(c, 0, 1)) : value;
        }
    }
    if (kind == 4) {
        input[rl_random_in(c, 0, (int32_t)count - 1)] = (int8_t)rl_random_extreme(c, -128, 127);
    }
    return input;
}

static void random_layer(struct rl_case *c, struct rl_norm *layer)
{
    memset(layer, 0, sizeof *layer);
    random_sizes(c, layer);
    random_epsilon(c, layer);
    const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    layer->input_zero_point = rl_random_extreme(c, INT8_MIN, INT8_MAX);
    layer->weight_shift = rl_random_extreme(c, RL_NORM_LEAST_WEIGHT_SHIFT, RL_NORM_MOST_WEIGHT_SHIFT);
    layer->output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX);
    layer->range = (struct rl_range){limits.min, limits.max};
    rl_case_begin(c, "%ld x %ld x %ld in %ld groups, channels last %d, centered %d, weight shift %ld",
                  (long)layer->images, (long)layer->channels, (long)layer->places, (long)layer->groups,
                  layer->channels_last, layer->centered, (long)layer->weight_shift);
    layer->weights = rl_case_s16(c, (size_t)layer->channels);
    layer->bias = rl_random_one_in(c, 3) ? NULL : rl_case_s32(c, (size_t)layer->channels, -(1 << 15), 1 << 15);
    if (layer->bias && rl_random_one_in(c, 8)) {
        layer->bias = rl_case_s32(c, (size_t)layer->channels, -(1 << 30), 1 << 30);
    }
}

static void test_exact(struct rl_case *c)
{
    rl_test_start(c, "norm");
    for (int i = 0; i < CASES; i++) {
        struct rl_norm layer;
        random_layer(c, &layer);
        const size_t count = (size_t)layer.images * (size_t)layer.channels * (size_t)layer.places;
        int8_t *input = random_input(c, count);
        int8_t *expected = rl_case_s8(c, count), *output = rl_case_s8(c, count);
        rl_case_expect(c, rl_norm_prepare(&layer) == RL_OK, "the layer is accepted");
        reference_norm(&layer, input, expected);
        rl_norm_run(&layer, input, output);
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_norm_run(&layer, input, input);
        rl_case_equal_s8(c, "in place", expected, input, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// ---- against floating point

// One row of up to 300 values with the layer's weights from real numbers; the result may be off by half a step, and the
// 1/64 of a step of the header.
static void expect_close(struct rl_case *c, const struct rl_norm *layer, double epsilon, const int8_t *input,
                         const int8_t *output)
{
    double sum = 0, squares = 0;
    for (int32_t i = 0; i < layer->channels; i++) {
        sum += input[i];
    }
    const double mean = layer->centered ? sum / layer->channels : layer->input_zero_point;
    for (int32_t i = 0; i < layer->channels; i++) {
        squares += (input[i] - mean) * (input[i] - mean);
    }
    const double variance = squares / layer->channels + epsilon;
    for (int32_t i = 0; i < layer->channels && variance >= 1.0 / 12.0; i++) {
        const double exact = (input[i] - mean) / sqrt(variance) * ldexp(layer->weights[i], -layer->weight_shift) +
                             layer->bias[i] / 256.0 + layer->output_offset;
        const double limited = fmin(fmax(exact, -128), 127);
        rl_case_expect(c, fabs(output[i] - limited) <= 0.5 + 1.0 / 64, "close to the exact value");
    }
}

static void test_accuracy(struct rl_case *c)
{
    rl_test_start(c, "accuracy");
    for (int i = 0; i < CASES; i++) {
        const int32_t n = rl_random_in(c, 1, 300);
        const double epsilon = ldexp(rl_random_in(c, 1, 1000), rl_random_in(c, -20, 4));
        const double scaled = floor(epsilon * n * n * ldexp(1.0, rl_norm_fraction(n)) + 0.5);
        struct rl_norm layer = {.images = 1,
                                .channels = n,
                                .places = 1,
                                .groups = 1,
                                .centered = !rl_random_one_in(c, 3),
                                .input_zero_point = rl_random_in(c, -128, 127),
                                .epsilon = {(uint32_t)(uint64_t)scaled, (uint32_t)((uint64_t)scaled >> 32)},
                                .weight_shift = rl_random_in(c, RL_NORM_LEAST_WEIGHT_SHIFT, 12),
                                .output_offset = rl_random_in(c, -128, 127),
                                .range = {-128, 127}};
        rl_case_begin(c, "%ld values, epsilon %ld / 2^20", (long)n, (long)(epsilon * 1048576));
        int16_t *weights = rl_case_s16(c, (size_t)n);
        layer.weights = weights;
        layer.bias = rl_case_s32(c, (size_t)n, -5000, 5000);
        int8_t *input = random_input(c, (size_t)n), *output = rl_case_s8(c, (size_t)n);
        rl_norm_run(&layer, input, output);
        expect_close(c, &layer, epsilon, input, output);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// ---- the limits

static bool accepts(struct rl_norm layer)
{
    return rl_norm_prepare(&layer) == RL_OK;
}

static void test_prepare(struct rl_case *c)
{
    const struct rl_norm good = {.images = 1, .channels = 6, .places = 1, .groups = 2, .weight_shift = 5};
    struct rl_norm layer = good;
    rl_test_start(c, "prepare");
    rl_case_begin(c, "limits");
    rl_case_expect(c, accepts(good), "good");
    layer.groups = 4;
    rl_case_expect(c, !accepts(layer), "groups that do not divide");
    layer.groups = 0;
    rl_case_expect(c, !accepts(layer), "no group");
    layer = good;
    layer.places = 0;
    rl_case_expect(c, !accepts(layer), "no place");
    layer.places = RL_NORM_MOST_VALUES / 3;
    rl_case_expect(c, accepts(layer), "the longest row");
    layer.places++;
    rl_case_expect(c, !accepts(layer), "too long a row");
    layer.channels = layer.places = INT32_MAX - 1;
    rl_case_expect(c, !accepts(layer), "a far too long row");
    layer = good;
    layer.images = 0;
    rl_case_expect(c, !accepts(layer), "no image");
    layer = good;
    layer.weight_shift = 16;
    rl_case_expect(c, !accepts(layer), "weight shift above");
    layer.weight_shift = 4;
    rl_case_expect(c, !accepts(layer), "weight shift below");
    layer = good;
    layer.epsilon[1] = 0x3fffffff;
    rl_case_expect(c, accepts(layer), "the largest epsilon");
    layer.epsilon[1]++;
    rl_case_expect(c, !accepts(layer), "too large an epsilon");
    rl_case_end(c);
    rl_test_stop(c);
}

// ---- variances

static int8_t reference_variance(const struct rl_variance *layer, const int8_t *input)
{
    int64_t sum = 0, squares = 0;
    for (int32_t i = 0; i < layer->row; i++) {
        sum += input[i];
        squares += input[i] * input[i];
    }
    uint64_t m = (uint64_t)(layer->row * squares - sum * sum);
    int32_t k = 0;
    if (m == 0) {
        return (int8_t)layer->output_offset;
    }
    if (layer->is_deviation) {
        for (; m < (uint64_t)1 << 61; m *= 4) {
            k++;
        }
        m = reference_root(m);
    } else {
        for (; m < (uint64_t)1 << 30; m *= 2) {
            k++;
        }
        for (; m >= (uint64_t)1 << 31; m /= 2) {
            k--;
        }
    }
    const int32_t q = 31 - layer->scale.shift + k;
    if (q > 63) {
        return (int8_t)layer->output_offset;
    }
    if (q < 1) {
        return INT8_MAX;
    }
    const uint64_t unit = (uint64_t)1 << q, steps = (m * (uint64_t)layer->scale.multiplier + unit / 2) / unit;
    const int64_t value = layer->output_offset + (int64_t)(steps < 1000 ? steps : 1000);
    return (int8_t)(value < INT8_MAX ? value : INT8_MAX);
}

static void expect_close_variance(struct rl_case *c, const struct rl_variance *layer, const int8_t *input, int8_t y)
{
    double sum = 0, squares = 0;
    for (int32_t i = 0; i < layer->row; i++) {
        sum += input[i];
        squares += input[i] * input[i];
    }
    const double variation = layer->row * squares - sum * sum;
    const double scale = ldexp(layer->scale.multiplier, layer->scale.shift - 31);
    const double exact = (layer->is_deviation ? sqrt(variation) : variation) * scale + layer->output_offset;
    rl_case_expect(c, fabs(y - fmin(exact, 127)) <= 0.5 + 1e-6, "close to the exact value");
}

// Scales that give results of all sizes, and any at all.
static struct rl_scale random_variance_scale(struct rl_case *c, const struct rl_variance *layer)
{
    const double one = layer->is_deviation ? layer->row : (double)layer->row * layer->row;
    int exponent;
    frexp(one, &exponent);
    if (rl_random_one_in(c, 3)) {
        return (struct rl_scale){rl_random_extreme(c, 0, INT32_MAX),
                                 rl_random_extreme(c, -RL_VARIANCE_MOST_SHIFT, RL_VARIANCE_MOST_SHIFT)};
    }
    return (struct rl_scale){rl_random_in(c, 1 << 30, INT32_MAX), rl_random_in(c, -8, 2) - exponent};
}

static void test_variance(struct rl_case *c)
{
    rl_test_start(c, "variance");
    for (int i = 0; i < CASES; i++) {
        struct rl_variance layer = {.rows = rl_random_in(c, 0, 4),
                                    .row = rl_random_in(c, 1, rl_random_one_in(c, 4) ? 300 : 20),
                                    .is_deviation = rl_random_one_in(c, 2),
                                    .output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX)};
        if (rl_random_one_in(c, 20)) { // more squares than 28 bits hold
            layer.rows = 1;
            layer.row = MOST_VALUES;
        }
        layer.scale = random_variance_scale(c, &layer);
        rl_case_begin(c, "%ld rows of %ld, deviation %d, scale %ld, %ld", (long)layer.rows, (long)layer.row,
                      layer.is_deviation, (long)layer.scale.multiplier, (long)layer.scale.shift);
        const size_t count = (size_t)layer.rows * (size_t)layer.row;
        int8_t *input = count > 0 ? random_input(c, count) : NULL;
        int8_t *expected = rl_case_s8(c, (size_t)layer.rows), *output = rl_case_s8(c, (size_t)layer.rows);
        rl_variance_run(&layer, input, output);
        for (int32_t row = 0; row < layer.rows; row++) {
            expected[row] = reference_variance(&layer, input + row * layer.row);
            if (layer.scale.multiplier >= 1 << 30) {
                expect_close_variance(c, &layer, input + row * layer.row, output[row]);
            }
        }
        rl_case_equal_s8(c, "output", expected, output, (size_t)layer.rows);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Roots of squares and of their neighbours, of all lengths, and reciprocals at the ends of their range.
static void test_roots(struct rl_case *c)
{
    rl_test_start(c, "roots_and_reciprocals");
    for (int i = 0; i < 4 * CASES; i++) {
        const uint32_t drawn = (uint32_t)rl_random_in(c, 0, 65535) << 16 | (uint32_t)rl_random_in(c, 0, 65535);
        const uint32_t root = i < 8 ? (uint32_t)i / 4 * UINT32_MAX + (uint32_t)i % 4 : drawn >> (i % 32);
        const uint64_t value = (uint64_t)root * root + (uint64_t)(int64_t)(i % 3 - 1);
        rl_case_begin(c, "root of %lx %08lx", (unsigned long)(value >> 32), (unsigned long)(uint32_t)value);
        rl_case_expect(c, rl_root_u64(value) == reference_root(value), "root");
        const uint32_t divisor = i < 8 ? UINT32_C(1518500250) + (uint32_t)i : UINT32_MAX - drawn % UINT32_C(2776466000);
        rl_case_expect(c, rl_reciprocal_u32(divisor) == ((uint64_t)1 << 62) / divisor, "reciprocal");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    struct rl_case c = {0};
    test_variance(&c);
    test_exact(&c);
    test_accuracy(&c);
    test_prepare(&c);
    test_roots(&c);
    return rl_test_finish(&c);
}
