// SPDX-License-Identifier: Apache-2.0
//
// Normalization: layer norm, RMS norm, group norm and instance norm of int8 values.
//
// A row is a set of values that is brought to mean 0 and variance 1. The statistics are exact. Of n values x,
//
//     mean      = round(sum(x) / n), ties upwards       (not centred: the input's zero point)
//     rest      = sum(x) - n * mean                     (not centred: 0)
//     variation = n * sum(x * x) - sum(x)^2             (not centred: n * sum((x - zero point)^2))
//
// and D = variation * 2^f + epsilon with f = rl_norm_fraction(n). So D is n^2 * 2^f times the variance with the model's
// epsilon. Its root and the reciprocal of that are
//
//     s = floor(sqrt(D * 4^j)), with the j for which 2^61 <= D * 4^j < 2^63
//     r = floor(2^62 / s)
//
// which is 2^62 / sqrt(D * 4^j) to a relative error of 2^-29. With c = floor(log2(n)) and q = 24 - weight_shift, the
// number of fractional bits is g = max(q, min(30, 52 - c - j - f / 2)). Rounding to nearest with ties upwards,
//
//     a = round(n * r / 2^h), b = round(rest * r / 2^h), where h = 62 - g - j - f / 2
//     z = round(((x - mean) * a - b) / 2^(g - q))
//     y = floor((floor(z * weight / 2^16) + bias + 2^7) / 2^8) + output_offset
//
// and y is limited to the range. If variation is 0, a and b are 0. The value before the last rounding is at most 1/64
// of a step from the exact one, as long as that lies within 256 steps of zero and the variance, with epsilon, is at
// least that of the steps' own rounding, 1/12.
//
// No scratch is used. Input and output may be the same array; any other overlap is undefined.
#ifndef RUSHLIGHT_KERNELS_NORMALIZATION_H
#define RUSHLIGHT_KERNELS_NORMALIZATION_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RL_NORM_MOST_VALUES = 1 << 22, // of a row
    RL_NORM_LEAST_WEIGHT_SHIFT = 5,
    RL_NORM_MOST_WEIGHT_SHIFT = 15,
    RL_NORM_BIAS_BITS = 8 // fractional bits of a bias
};

// The even number f for rows of n values: n^2 * 2^f is at most 2^46.
static inline int32_t rl_norm_fraction(int32_t n)
{
    int32_t fraction = 46;
    for (int32_t values = 1; values < n; values *= 2) {
        fraction -= 2;
    }
    return fraction;
}

// `images` times `channels` times `places` values. The channels of an image form `groups` groups of equal size. A row
// is all places of a group's channels. A layer norm has one group and one place: its channels are the values of a row.
struct rl_norm {
    int32_t images;
    int32_t channels;
    int32_t places;
    int32_t groups;     // divides the channels
    bool channels_last; // values lie as images, places, channels; else as images, channels, places
    bool centered;      // subtracts the mean: all but RMS norm
    int32_t input_zero_point;
    uint32_t epsilon[2];    // the model's epsilon / input scale^2 * n^2 * 2^f, below 2^62: low word, high word
    const int16_t *weights; // for each channel, in output steps, times 2^weight_shift
    const int32_t *bias;    // for each channel, in output steps, times 2^RL_NORM_BIAS_BITS, or NULL: within 2^30
    int32_t weight_shift;   // RL_NORM_LEAST_WEIGHT_SHIFT..RL_NORM_MOST_WEIGHT_SHIFT
    int32_t output_offset;
    struct rl_range range;
};

// Only checks. RL_ERROR_ARGUMENT: a size below 1, groups that do not divide the channels, rows of more than
// RL_NORM_MOST_VALUES values, an epsilon or a weight shift outside its range.
enum rl_status rl_norm_prepare(const struct rl_norm *layer);

void rl_norm_run(const struct rl_norm *layer, const int8_t *input, int8_t *output);

// The variance of each row of a matrix, or its root, the deviation. The statistics are exact. Of n values x,
//
//     V = n * sum(x * x) - sum(x)^2, which is at most 2^60
//     variance:   m = floor(V * 2^k), with the k for which 2^30 <= m < 2^31
//     deviation:  m = floor(sqrt(V * 4^k)), with the k for which 2^61 <= V * 4^k < 2^63
//     y = floor((m * multiplier + 2^(q - 1)) / 2^q) + output_offset, limited to int8, for q = 31 - shift + k
//
// If V is 0, or if q is above 63, y is output_offset; if q is below 1, it is 127. With a correction c, the scale
// multiplier * 2^(shift - 31) is input scale^2 / (output scale * n * (n - c)) for a variance, and
// input scale / (output scale * sqrt(n * (n - c))) for a deviation. No scratch is used. The output must not overlap the
// input.
struct rl_variance {
    int32_t rows; // 0 or less: nothing to do
    int32_t row;  // values, 1..RL_NORM_MOST_VALUES
    bool is_deviation;
    struct rl_scale scale; // a multiplier that is not negative, a shift of -96..96
    int32_t output_offset; // -128..127
};

enum { RL_VARIANCE_MOST_SHIFT = 96 };

void rl_variance_run(const struct rl_variance *layer, const int8_t *input, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif
