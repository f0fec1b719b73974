// SPDX-License-Identifier: Apache-2.0
//
// Element by element: addition, multiplication, minimum and maximum of two tensors.
//
// Sums and products work on flat arrays of `count` elements, which neither repeat nor broadcast. Minimum and maximum
// broadcast, and are prepared for that; the others need no preparation. The output may be exactly one of the inputs (in
// place); any other overlap is undefined.
#ifndef RUSHLIGHT_KERNELS_ELEMENTWISE_H
#define RUSHLIGHT_KERNELS_ELEMENTWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// One of the inputs of a sum. It enters the sum as term = requantize((value + offset) * 2^left_shift, scale).
struct rl_addend {
    int32_t offset;        // int8: -127..128; int16: 0
    struct rl_scale scale; // shift -31..0
};

// output = clamp(requantize(term of input 0 + term of input 1, scale) + output_offset)
struct rl_add {
    struct rl_addend input[2];
    int32_t left_shift;    // int8: 0..22, usually 20; int16: 0..15, usually 15. The fractional bits of the common scale
    int32_t output_offset; // int8: -128..127; int16: 0
    struct rl_scale scale;
    struct rl_range range;
    int32_t count; // number of elements; 0 or less: nothing to do
};

// Adds int8. Long arrays (512 elements and more) are added with a table, except on cores with Helium. The table lies in
// the scratch if that has 1,040 bytes, else on the stack.
void rl_add_run(const struct rl_add *layer, const int8_t *a, const int8_t *b, int8_t *output,
                struct rl_scratch scratch);

// Adds int16.
void rl_add_s16_run(const struct rl_add *layer, const int16_t *a, const int16_t *b, int16_t *output);

// output = clamp(requantize((a + input_offset[0]) * (b + input_offset[1]), scale) + output_offset)
//
// The product is computed modulo 2^32. It cannot wrap while both offsets are within -32640..32640.
struct rl_mul {
    int32_t input_offset[2]; // int8: within INT32_MAX - 128 of 0; int16: not used, as if 0
    int32_t output_offset;   // int8: -128..127; int16: not used, as if 0
    struct rl_scale scale;   // a shift above 14 (int16: above 0) may make the product wrap
    struct rl_range range;
    int32_t count; // number of elements; 0 or less: nothing to do
};

// Multiplies int8.
void rl_mul_run(const struct rl_mul *layer, const int8_t *a, const int8_t *b, int8_t *output);

// Multiplies int16.
void rl_mul_s16_run(const struct rl_mul *layer, const int16_t *a, const int16_t *b, int16_t *output);

// The same, added to what the output holds: output = clamp(output + requantize(a * b, scale)).
void rl_mul_add_s16_run(const struct rl_mul *layer, const int16_t *a, const int16_t *b, int16_t *output);

// The smaller or the larger of two int8 tensors of the same quantization. In each dimension the sizes are equal, or one
// of them is 1 and that input is repeated, as in NumPy; the output has the larger size.
struct rl_extremum {
    struct rl_image input[2];

    // Filled in by rl_extremum_prepare. The tensors are rows of `row` output elements, one for each index of three
    // outer axes. An input that is repeated along an axis has stride 0 there. In a row it has `row` elements, or one
    // (row_is_one).
    int32_t size[3];
    int32_t stride[2][3];
    int32_t row;
    bool row_is_one[2];
};

// RL_ERROR_ARGUMENT when two sizes differ and neither is 1.
enum rl_status rl_extremum_prepare(struct rl_extremum *layer);

void rl_minimum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output);
void rl_maximum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output);

// Magnitudes of complex numbers, or their squares, exact up to one rounding:
//
//     square    = (real + input_offset)^2 + (imaginary + input_offset)^2 + epsilon
//     is_root   output = limited to the type, round(sqrt(square * factor / 4)) + output_offset
//     otherwise output = limited to the type, round(square * factor) + output_offset
//
// Ties are rounded upwards. With factor = multiplier / 2^31 * 2^shift, square * factor is rounded down before the root
// is taken, which never changes the result.
struct rl_magnitude {
    bool is_root;
    int32_t input_offset;  // int8: -127..128; int16: not used, as if 0
    int32_t epsilon;       // at least 0
    int32_t multiplier;    // at least 0
    int32_t shift;         // -32..30
    int32_t output_offset; // int8: -128..127; int16: not used, as if 0
    int32_t count;         // number of elements; 0 or less: nothing to do
};

void rl_magnitude_run(const struct rl_magnitude *layer, const int8_t *real, const int8_t *imaginary, int8_t *output);
void rl_magnitude_s16_run(const struct rl_magnitude *layer, const int16_t *real, const int16_t *imaginary,
                          int16_t *output);

// The running sum along the middle one of three dimensions: output = limited to int8, requantize(sum, scale) +
// output_offset, of the sum of value + input_offset up to each place.
struct rl_running_sum {
    int32_t outer, count, inner; // sizes; `count` up to RL_RUNNING_SUM_MOST, so that sums stay below 2^30
    int32_t input_offset;        // -127..128
    int32_t output_offset;       // -128..127
    struct rl_scale scale;
};

enum { RL_RUNNING_SUM_MOST = 1 << 22 };

// Adds int8. The output may be the input.
void rl_running_sum_run(const struct rl_running_sum *layer, const int8_t *input, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif
