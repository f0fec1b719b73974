// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "normalization/statistics.h"
#include "rushlight/kernels/normalization.h"

#include <stddef.h>

enum {
    VALUE_BITS = 24,       // of a value before its weight: fractional bits plus those of the weight
    PRODUCT_SHIFT = 16,    // from the product with the weight to the bits of a bias
    MOST_SQUARES = 1 << 14 // int8 values whose squares add up to 28 bits
};

// How the values of a row lie: `spans` of `span` values each, `step` apart.
struct row {
    int32_t spans, span, step;
};

// y = x * factor + addend, shifted right, modulo 2^32: the value of a row before its weight.
struct ramp {
    uint32_t factor, addend;
    int32_t shift;
};

// ---- statistics

static struct rl_row_sums sums_of(const struct row *row, const int8_t *input)
{
    struct rl_row_sums sums = {0, 0};
    for (int32_t i = 0; i < row->spans; i++) {
        rl_add_row_values(input + i * row->step, row->span, &sums);
    }
    return sums;
}

// The variation of the header, at most 2^60.
static uint64_t variation_of(const struct rl_norm *layer, uint32_t n, const struct rl_row_sums *sums)
{
    const int64_t zero = layer->input_zero_point;
    if (layer->centered) {
        return n * sums->squares - (uint64_t)((int64_t)sums->values * sums->values);
    }
    return n * (sums->squares + (uint64_t)(zero * (zero * n - 2 * (int64_t)sums->values)));
}

// ---- the ramp

static int64_t shift_rounding(int64_t value, int32_t shift)
{
    return ((value >> (shift - 1)) + 1) >> 1;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// From the sums of a row to its ramp. The header has the formulas. A row of variation 0 has equal values, whose
// difference to their mean is 0, so that factor and addend are 0.
static struct ramp ramp_of(const struct rl_norm *layer, uint32_t n, const struct rl_row_sums *sums)
{
    const uint64_t variation = variation_of(layer, n, sums);
    if (variation == 0) {
        return (struct ramp){0, 0, 0};
    }
    const int32_t fraction = rl_norm_fraction((int32_t)n);
    const uint64_t scaled = (variation << fraction) + ((uint64_t)layer->epsilon[1] << 32) + layer->epsilon[0];
    const int32_t doubled = (rl_leading_zeros_u64(scaled) - 1) / 2;
    const uint64_t reciprocal = rl_reciprocal_u32(rl_root_u64(scaled << 2 * doubled));

    const int32_t moved = doubled + fraction / 2;
    const int32_t log_n = 63 - rl_leading_zeros_u64(n);
    const int32_t wanted = VALUE_BITS - layer->weight_shift;
    const int32_t bits = larger(wanted, smaller(30, 52 - log_n - moved));
    const int32_t shift = bits - wanted, down = 62 - bits - moved;
    // Sums of values moved by 128 are not negative, so that the division rounds down.
    const int32_t mean = (int32_t)(((uint32_t)sums->values + 128 * n + n / 2) / n) - 128;
    const int32_t origin = layer->centered ? mean : layer->input_zero_point;
    const int64_t rest = layer->centered ? sums->values - (int64_t)n * mean : 0;
    const uint32_t factor = (uint32_t)shift_rounding((int64_t)(n * reciprocal), down);
    const uint32_t offset = (uint32_t)shift_rounding(rest * (int64_t)reciprocal, down);
    const uint32_t half = shift > 0 ? (uint32_t)1 << (shift - 1) : 0;
    return (struct ramp){factor, half - (uint32_t)origin * factor - offset, shift};
}

// ---- values

// floor(a * b / 2^16), of 16 bits b.
static inline int32_t multiply_high(int32_t a, int32_t b)
{
    if (RL_HAS_LONG_MULTIPLY) {
        return (int32_t)(((int64_t)a * b) >> PRODUCT_SHIFT);
    }
    return (a >> PRODUCT_SHIFT) * b + (((a & 0xffff) * b) >> PRODUCT_SHIFT);
}

// What all values of a row have in common. Copies, because a store to the output might change what is behind pointers.
struct writer {
    struct ramp ramp;
    struct rl_range range;
    int32_t addend; // to the product with a weight: the output offset, and the half that rounds
};

static inline int8_t value_of(const struct writer *writer, int32_t x, int32_t weight, int32_t bias)
{
    const struct ramp *ramp = &writer->ramp;
    const int32_t z = (int32_t)((uint32_t)x * ramp->factor + ramp->addend) >> ramp->shift;
    const int32_t y = (multiply_high(z, weight) + bias + writer->addend) >> RL_NORM_BIAS_BITS;
    return (int8_t)smaller(larger(y, writer->range.min), writer->range.max);
}

// A span of one channel.
static void write_channel(const struct writer *shared, int32_t weight, int32_t bias, int32_t count, const int8_t *input,
                          int8_t *output)
{
    const struct writer writer = *shared;
    for (int32_t i = 0; i < count; i++) {
        output[i] = value_of(&writer, input[i], weight, bias);
    }
}

// A span of one value of each of `count` channels.
static void write_channels(const struct writer *shared, const int16_t *weights, const int32_t *bias, int32_t count,
                           const int8_t *input, int8_t *output)
{
    const struct writer writer = *shared;
    if (!bias) {
        for (int32_t i = 0; i < count; i++) {
            output[i] = value_of(&writer, input[i], weights[i], 0);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        output[i] = value_of(&writer, input[i], weights[i], bias[i]);
    }
}

// ---- the layer

enum rl_status rl_norm_prepare(const struct rl_norm *layer)
{
    if (layer->images < 1 || layer->channels < 1 || layer->places < 1 || layer->groups < 1 ||
        layer->channels % layer->groups != 0) {
        return RL_ERROR_ARGUMENT;
    }
    const int64_t values = (int64_t)(layer->channels / layer->groups) * layer->places;
    const bool fits = values <= RL_NORM_MOST_VALUES && layer->epsilon[1] >> 30 == 0 &&
                      layer->weight_shift >= RL_NORM_LEAST_WEIGHT_SHIFT &&
                      layer->weight_shift <= RL_NORM_MOST_WEIGHT_SHIFT;
    return fits ? RL_OK : RL_ERROR_ARGUMENT;
}

// Whether neighbours in memory are of different channels.
static bool mixes_channels(const struct rl_norm *layer)
{
    return layer->channels_last || layer->places == 1;
}

static void normalize_row(const struct rl_norm *layer, const struct row *row, int32_t channel, const int8_t *input,
                          int8_t *output)
{
    const struct rl_row_sums sums = sums_of(row, input);
    const struct writer writer = {
        .ramp = ramp_of(layer, (uint32_t)row->spans * (uint32_t)row->span, &sums),
        .range = layer->range,
        .addend = layer->output_offset * (1 << RL_NORM_BIAS_BITS) + (1 << (RL_NORM_BIAS_BITS - 1)),
    };
    const int16_t *weights = layer->weights + channel;
    const int32_t *bias = layer->bias ? layer->bias + channel : NULL;
    for (int32_t i = 0; i < row->spans; i++) {
        const int32_t start = i * row->step;
        if (mixes_channels(layer)) {
            write_channels(&writer, weights, bias, row->span, input + start, output + start);
        } else {
            write_channel(&writer, weights[i], bias ? bias[i] : 0, row->span, input + start, output + start);
        }
    }
}

void rl_norm_run(const struct rl_norm *layer, const int8_t *input, int8_t *output)
{
    const int32_t channels = layer->channels, places = layer->places;
    const int32_t of_group = channels / layer->groups;
    const bool mixed = mixes_channels(layer);
    const struct row row = mixed ? (struct row){places, of_group, channels} : (struct row){of_group, places, places};
    const int32_t group_step = mixed ? of_group : of_group * places;
    for (int32_t image = 0; image < layer->images; image++) {
        for (int32_t group = 0; group < layer->groups; group++) {
            const int32_t start = image * channels * places + group * group_step;
            normalize_row(layer, &row, group * of_group, input + start, output + start);
        }
    }
}
