// SPDX-License-Identifier: Apache-2.0
// The support functions that users of the kernels call, because operators of their own need the library's rounding,
// clamps and words. CMSIS-NN's header also has the matrix products and Helium fragments from which it builds its own
// kernels; they are not here.
//
// Fixed point: "q31" is a value with 31 fractional bits, "q26" one with 26. Every function is defined for every
// argument within the ranges given; where sums or shifts overflow they wrap, as on the cores.
#ifndef ARM_NNSUPPORTFUNCTIONS_H
#define ARM_NNSUPPORTFUNCTIONS_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Macros, because callers use them with any type. Arguments are evaluated twice.
#ifndef MAX
#define MAX(A, B) ((A) > (B) ? (A) : (B))
#endif
#ifndef MIN
#define MIN(A, B) ((A) < (B) ? (A) : (B))
#endif
// Note the order: the upper limit comes before the lower one.
#define CLAMP(x, high, low) MAX(MIN((x), (high)), (low))
// The two halves of a shift as quantization gives it: positive is left.
#define LEFT_SHIFT(shift)  ((shift) > 0 ? (shift) : 0)
#define RIGHT_SHIFT(shift) ((shift) > 0 ? 0 : -(shift))
// The 16-bit multiplier of arm_nn_requantize_s64 from one of 31 bits.
#define REDUCE_MULTIPLIER(multiplier) ((multiplier) < 0x7FFF0000 ? (((multiplier) + (1 << 15)) >> 16) : 0x7FFF)
// The next multiple; x not negative.
#define ARM_NN_ROUND_UP(x, multiple) ((((x) + (multiple)-1) / (multiple)) * (multiple))

// value * multiplier / 2^31 * 2^shift in the two roundings that all int8 kernels use: the product's ties upwards, then
// the right shift's away from zero. multiplier -2^31+1..2^31-1, shift -31..30; a left shift is taken first and wraps.
int32_t arm_nn_requantize(int32_t value, int32_t multiplier, int32_t shift);

// value * reduced_multiplier / 2^15 * 2^shift with one rounding, ties upwards: for the 64-bit sums of int16 kernels.
// shift -49..14. The low 32 bits are kept before the last halving.
int32_t arm_nn_requantize_s64(int64_t value, int32_t reduced_multiplier, int32_t shift);

// a * b / 2^31, ties upwards. The first saturates the one product that does not fit, -2^31 * -2^31; the second wraps
// it.
int32_t arm_nn_doubling_high_mult(int32_t a, int32_t b);
int32_t arm_nn_doubling_high_mult_no_sat(int32_t a, int32_t b);

// value / 2^exponent, ties away from zero; exponent 0..31.
int32_t arm_nn_divide_by_power_of_two(int32_t value, int32_t exponent);

// value * 2^exponent with saturation; exponent 1..31.
int32_t arm_nn_mult_by_power_of_two(int32_t value, int32_t exponent);

// e^value in q31 for a value in q26 that is not positive.
int32_t arm_nn_exp_on_negative_values(int32_t value);

// 1 / (1 + value) in q31 for value in q31, 0 <= value < 1.
int32_t arm_nn_one_over_one_plus_x_for_x_in_0_1(int32_t value);

// dst[i] = src[i] + offset for i < count, modulo 2^16. dst and src must not overlap.
void arm_q7_to_q15_with_offset(const int8_t *src, int16_t *dst, int32_t count, int16_t offset);

// Bytes of scratch that a core with Helium, or with DSP extension, needs; see arm_convolve_s8_get_buffer_size and
// arm_depthwise_conv_s8_opt_get_buffer_size.
int32_t arm_convolve_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size_mve(const cmsis_nn_dims *input_dims,
                                                      const cmsis_nn_dims *filter_dims);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size_dsp(const cmsis_nn_dims *input_dims,
                                                      const cmsis_nn_dims *filter_dims);

// Which convolution arm_convolve_wrapper_s8 takes: the 1x1 one, its fast form, the one in time.
static inline bool arm_nn_is_convolve_1x1(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                          const cmsis_nn_dims *filter_dims)
{
    return conv_params->padding.w == 0 && conv_params->padding.h == 0 && filter_dims->w == 1 && filter_dims->h == 1 &&
           conv_params->dilation.w == 1 && conv_params->dilation.h == 1 && input_dims->c == filter_dims->c;
}

static inline bool arm_nn_is_convolve_1x1_fast(const cmsis_nn_conv_params *conv_params)
{
    return conv_params->stride.w == 1 && conv_params->stride.h == 1;
}

static inline bool arm_nn_is_convolve_1_x_n(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                            const cmsis_nn_dims *filter_dims)
{
    return input_dims->h == 1 && filter_dims->h == 1 && conv_params->dilation.w == 1 &&
           conv_params->stride.w * input_dims->c % 4 == 0 && input_dims->c == filter_dims->c;
}

// 1 when two shapes differ, else 0.
static inline int32_t arm_check_broadcast_required(const cmsis_nn_dims *a, const cmsis_nn_dims *b)
{
    return a->n != b->n || a->h != b->h || a->w != b->w || a->c != b->c;
}

// Copies and fills; sizes are in bytes, those of int16 arrays too.
static inline void arm_memcpy_s8(int8_t *dst, const int8_t *src, uint32_t bytes)
{
    memcpy(dst, src, bytes);
}

static inline void arm_memcpy_q15(int16_t *dst, const int16_t *src, uint32_t bytes)
{
    memcpy(dst, src, bytes);
}

static inline void arm_memset_s8(int8_t *dst, int8_t value, uint32_t bytes)
{
    memset(dst, value, bytes);
}

// Several elements as one word, the first in the low bits, from and to any address. Bits that they do not fill are 0.
// "_ia" moves the pointer behind them.
static inline int32_t arm_nn_read_s8x4(const int8_t *in)
{
    int32_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

static inline int32_t arm_nn_read_s8x4_ia(const int8_t **in)
{
    *in += 4;
    return arm_nn_read_s8x4(*in - 4);
}

static inline int32_t arm_nn_read_s8x2(const int8_t *in)
{
    uint16_t half;
    memcpy(&half, in, sizeof half);
    return half;
}

static inline int32_t arm_nn_read_s8x2_ia(const int8_t **in)
{
    *in += 2;
    return arm_nn_read_s8x2(*in - 2);
}

static inline int32_t arm_nn_read_s16x2(const int16_t *in)
{
    int32_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

static inline int32_t arm_nn_read_q15x2_ia(const int16_t **in)
{
    *in += 2;
    return arm_nn_read_s16x2(*in - 2);
}

static inline void arm_nn_write_s8x4_ia(int8_t **out, int32_t value)
{
    memcpy(*out, &value, sizeof value);
    *out += 4;
}

static inline void arm_nn_write_s8x2_ia(int8_t **out, int16_t value)
{
    memcpy(*out, &value, sizeof value);
    *out += 2;
}

static inline void arm_nn_write_q15x2_ia(int16_t **out, int32_t value)
{
    memcpy(*out, &value, sizeof value);
    *out += 2;
}

#ifdef __cplusplus
}
#endif

#endif
