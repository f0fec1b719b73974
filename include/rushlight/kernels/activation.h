// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value at a time. The output may be the input (in place); any other overlap is undefined. No scratch
// is used.
#ifndef RUSHLIGHT_KERNELS_ACTIVATION_H
#define RUSHLIGHT_KERNELS_ACTIVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Any function of int8, as a table: output = results[input + 128].
struct rl_table {
    const int8_t *results; // 256, the result of -128 first
    int32_t count;         // number of elements
};

void rl_table_run(const struct rl_table *layer, const int8_t *input, int8_t *output);

// The same with int16 results.
struct rl_table_s16 {
    const int16_t *results; // 256, the result of -128 first
    int32_t count;          // number of elements
};

// Input and output must not overlap.
void rl_table_s16_run(const struct rl_table_s16 *layer, const int8_t *input, int16_t *output);

// Any function of int16 with int8 results, by linear interpolation in a table of results with 8 fractional bits. Its
// places are dense near zero: every integer up to 63, then 32 for each power of two. The result for x >= 0 lies between
//     place(x) = 32 * s + (x >> s)   with s = 0 for x < 64, else the s that leaves 32 <= x >> s < 64
// and the next place, as far as the s bits say that are shifted out. It is rounded once, ties upwards, and limited to
// int8. Negative x take the places of -x in a second half of the table, or the result of 0 without one.
struct rl_curve {
    const int16_t *results; // [RL_CURVE_PLACES], or twice as many if has_negative
    bool has_negative;
    int32_t count; // number of elements
};

enum { RL_CURVE_PLACES = 353 }; // the last one is place(32768)

// Input and output must not overlap.
void rl_curve_run(const struct rl_curve *layer, const int16_t *input, int8_t *output);

// The same with int16 results, for which the results in the table have no fractional bits. Input and output must not
// overlap either.
void rl_curve_s16_run(const struct rl_curve *layer, const int16_t *input, int16_t *output);

// A rectifier: output = input, limited to a range, which must lie within the type.
struct rl_limit {
    struct rl_range range;
    int32_t count; // number of elements
};

void rl_limit_run(const struct rl_limit *layer, const int8_t *input, int8_t *output);
void rl_limit_s16_run(const struct rl_limit *layer, const int16_t *input, int16_t *output);

// Sigmoid or tanh of int16, by linear interpolation in a table of 256 values. The input has 12 fractional bits before
// it is multiplied by 2^left_shift; the output has 15.
struct rl_sigmoid {
    bool is_tanh;
    int32_t left_shift; // -31..12; a right shift rounds
    int32_t count;      // number of elements
};

void rl_sigmoid_s16_run(const struct rl_sigmoid *layer, const int16_t *input, int16_t *output);

// PReLU of int8: numbers below zero are multiplied by another factor than those above, and each channel may have
// factors of its own. With x = input + input_offset and the factor m of the sign of x,
//
//     output = limited to int8, round(x * m / 2^(8 + shift)) + output_offset
//
// Ties are rounded upwards. The channels are the middle one of three dimensions.
struct rl_prelu {
    int32_t outer, channels, inner; // sizes
    int32_t input_offset;           // -127..128
    int32_t output_offset;          // -128..127
    int32_t shift;                  // 1..15
    const int16_t *positive;        // [channels], the factors where x >= 0
    const int16_t *negative;        // [channels], those where x < 0
};

void rl_prelu_run(const struct rl_prelu *layer, const int8_t *input, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif
