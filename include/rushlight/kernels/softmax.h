// SPDX-License-Identifier: Apache-2.0
//
// Softmax over the rows of a matrix.
//
// But for rl_softmax_s16_run, exp(x - maximum of the row) is computed in fixed point: requantize(x - maximum, scale) is
// that exponent with 26 fractional bits, so the scale holds beta * input scale * 2^26 (the exponential is gemmlowp's
// exp_on_negative_values with 5 integer bits). The sum keeps 12 bits less than the exponentials; rows of up to 8,191
// elements cannot overflow it. Where the sum makes every 8-bit output of a row less than 1/2 before the zero point is
// added, all become that zero point.
//
// Layers need no preparation. Input and output may be the same array where they have the same type; any other overlap
// is undefined. No scratch is used. The functions of 8-bit inputs have a table of 1 KB on the stack, except for a
// single row of at most 16 elements of rl_softmax_run on cores without Helium.
#ifndef RUSHLIGHT_KERNELS_SOFTMAX_H
#define RUSHLIGHT_KERNELS_SOFTMAX_H

#include <stdint.h>

#include "rushlight/kernels/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_softmax {
    int32_t rows;
    int32_t row;           // elements of a row, at least 1
    struct rl_scale scale; // 8-bit, and int16 without tables: shift 0..31
    int32_t diff_min;      // likewise: differences below this count as exponential 0; at most 0

    // Of rl_softmax_s16_run: tables of 513 values of 15 fractional bits, the exponentials of -10..0 and 1 / (1 + x) for
    // x of 0..1, evenly spaced.
    const int16_t *exponentials;
    const int16_t *reciprocals;
};

// int8 to int8 with scale 1/256 and zero point -128.
void rl_softmax_run(const struct rl_softmax *layer, const int8_t *input, int8_t *output);

// int16 to int8 with scale 1/256 and zero point -128. The exponentials are those of 8-bit inputs, computed one by one.
void rl_softmax_s16_s8_run(const struct rl_softmax *layer, const int16_t *input, int8_t *output);

// int16 to int16 with scale 1/32768 and zero point 0, likewise.
void rl_softmax_wide_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output);

// int8 to int16 with scale 1/65536 and zero point -32768.
void rl_softmax_s8_s16_run(const struct rl_softmax *layer, const int8_t *input, int16_t *output);

// uint8 to uint8 with scale 1/256 and zero point 0.
void rl_softmax_u8_run(const struct rl_softmax *layer, const uint8_t *input, uint8_t *output);

// int16 to int16 with scale 1/32768 and zero point 0, by linear interpolation in the tables. requantize(x - maximum,
// scale) must give the exponent in units of 10 / 65535. Rows of up to 65,535 elements.
void rl_softmax_s16_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output);

// The logarithm of a softmax, int8 to int8 or int16 to int16. With d = maximum of the row - x, of which 0..255 occur,
// or 0..65535,
//
//     E(d)  the exponential of -d in 2^-31, as above: INT32_MAX for d = 0
//     S     1 + sum of E over the row, below 2^63; its logarithm is e + log2(m / 2^31) for m = floor(S / 2^(e - 31))
//           with 2^31 <= m < 2^32
//     L     (e - 31) * 2^24 + 24 bits, the first one first: m = floor(m * m / 2^31); if m >= 2^32, the bit is 1, and
//           m = floor(m / 2)
//     C     the smaller one of floor((L * log_multiplier + 2^(log_shift - 1)) / 2^log_shift) and 2^30
//     y     output_offset - floor((d * step + C + floor(2^fraction / 2)) / 2^fraction), limited to the type
//
// So `step` is input scale / output scale * 2^fraction, and log_multiplier / 2^log_shift is
// log(2) / output scale * 2^(fraction - 24). With the largest fraction that these allow, the value before the last
// rounding is at most 1/64 of a step from the exact one, as long as the output scale is at least 2^-15. Nothing
// overflows: d * step is below 2^30 (of int16 2^38, in 64 bits), and L * log_multiplier below 2^60. For int16, C must
// not be limited before the result is: a fraction of 15 bits at most sees to that where output_offset is 0 or less.
struct rl_log_softmax {
    struct rl_softmax exponentials; // rows, row, scale and diff_min
    int32_t step;                   // 0..RL_LOG_SOFTMAX_MOST_STEP
    int32_t fraction;               // 0..RL_LOG_SOFTMAX_MOST_FRACTION
    int32_t log_multiplier;         // not negative
    int32_t log_shift;              // 1..62
    int32_t output_offset;          // -128..127
};

enum { RL_LOG_SOFTMAX_MOST_STEP = 1 << 22, RL_LOG_SOFTMAX_MOST_FRACTION = 20 };

void rl_log_softmax_run(const struct rl_log_softmax *layer, const int8_t *input, int8_t *output);
void rl_log_softmax_s16_run(const struct rl_log_softmax *layer, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
