// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/number.h"

#include <string.h>

bool rl_is_number(int dtype)
{
    return rl_is_real(dtype) || dtype == RL_INT8 || dtype == RL_UINT8 || dtype == RL_INT16 || dtype == RL_INT32 ||
           dtype == RL_INT64 || dtype == RL_BOOL;
}

void rl_expect_numbers(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor)
{
    if (!rl_is_number(tensor->dtype)) {
        rl_refuse_type(call, argument, tensor);
    }
}

void rl_expect_floats(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank)
{
    if (!rl_is_real(tensor->dtype)) {
        rl_refuse_type(call, argument, tensor);
    }
    rl_expect_rank(call, argument, tensor, rank);
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// IEEE 754 binary16. Subnormal numbers are whole multiples of 2^-24.
static float half_to_float(uint16_t half)
{
    const uint32_t size = half & 0x7fffu, sign = (uint32_t)(half & 0x8000) << 16;
    if (size < 0x400) {
        return float_of(sign | bits_of((float)size * 5.9604644775390625e-8f));
    }
    return float_of(sign | (size >= 0x7c00 ? 0x7f800000 | size << 13 : (size << 13) + (112u << 23)));
}

// Rounds to nearest, ties to even. Adding 0.5 leaves multiples of 2^-24.
static uint16_t float_to_half(float number)
{
    const uint32_t bits = bits_of(number), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (size > 0x7f800000) {
        return 0x7e00;
    }
    if (size >= 0x477ff000) { // 65520 and above
        return (uint16_t)(sign | 0x7c00);
    }
    if (size < 113u << 23) {
        return (uint16_t)(sign | (bits_of(float_of(size) + 0.5f) - bits_of(0.5f)));
    }
    return (uint16_t)(sign | (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13);
}

// The upper half of a float, rounded likewise.
static uint16_t float_to_brain(float number)
{
    const uint32_t bits = bits_of(number);
    return number != number ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static rl_real read_real(const struct rl_tensor *from, size_t index)
{
    if (from->dtype == RL_REAL) {
        return ((const rl_real *)from->data)[index];
    }
    if (from->dtype == RL_FLOAT32) {
        return ((const float *)from->data)[index];
    }
    const uint16_t bits = ((const uint16_t *)from->data)[index];
    return from->dtype == RL_FLOAT16 ? half_to_float(bits) : float_of((uint32_t)bits << 16);
}

static void write_real(const struct rl_tensor *to, size_t index, rl_real number)
{
    if (to->dtype == RL_REAL) {
        rl_put_real((rl_real *)to->data + index, number);
    } else if (to->dtype == RL_FLOAT32) {
        rl_put_float((float *)to->data + index, (float)number);
    } else {
        ((uint16_t *)to->data)[index] =
            to->dtype == RL_FLOAT16 ? float_to_half((float)number) : float_to_brain((float)number);
    }
}

static int64_t read_integer(const struct rl_tensor *from, size_t index)
{
    switch (from->dtype) {
    case RL_INT8:
        return ((const int8_t *)from->data)[index];
    case RL_UINT8:
        return ((const uint8_t *)from->data)[index];
    case RL_BOOL:
        return ((const uint8_t *)from->data)[index] != 0;
    case RL_INT16:
        return ((const int16_t *)from->data)[index];
    case RL_INT32:
        return ((const int32_t *)from->data)[index];
    default:
        return ((const int64_t *)from->data)[index];
    }
}

static void write_integer(const struct rl_tensor *to, size_t index, int64_t number)
{
    switch (to->dtype) {
    case RL_INT8:
    case RL_UINT8:
        ((uint8_t *)to->data)[index] = (uint8_t)number;
        break;
    case RL_BOOL:
        ((uint8_t *)to->data)[index] = number != 0;
        break;
    case RL_INT16:
        ((uint16_t *)to->data)[index] = (uint16_t)number;
        break;
    case RL_INT32:
        ((uint32_t *)to->data)[index] = (uint32_t)number;
        break;
    default:
        ((int64_t *)to->data)[index] = number;
        break;
    }
}

#ifdef RL_WIDE

static int64_t to_integer(double number)
{
    if (number != number) {
        return 0;
    }
    if (number >= 0x1p63 || number < -0x1p63) {
        return number < 0 ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)number;
}

static double to_real(int64_t number)
{
    return (double)number;
}

#else

// Does what C's conversions do. On most cores, C's functions for 64 bits would link the arithmetic of doubles.
static int64_t to_integer(float number)
{
    const uint32_t bits = bits_of(number);
    const int32_t exponent = (int32_t)(bits >> 23 & 255) - 127;
    const bool negative = bits >> 31 != 0;
    uint64_t size = (bits & 0x7fffff) | 0x800000; // times 2^(exponent - 23)
    if (number != number || exponent < 0) {
        return 0;
    }
    if (exponent >= 63) {
        return negative ? INT64_MIN : INT64_MAX;
    }
    size = exponent > 23 ? size << (exponent - 23) : size >> (23 - exponent);
    return negative ? -(int64_t)size : (int64_t)size;
}

// Rounds the upper 32 bits, with the last one set if any lower bit is. That gives the same result as rounding all bits.
static float to_real(int64_t number)
{
    if (number >= INT32_MIN && number <= INT32_MAX) {
        return (float)(int32_t)number;
    }
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    uint32_t shift = 0;
    for (uint64_t rest = size; rest > UINT32_MAX; rest >>= 1) {
        shift++;
    }
    uint32_t upper = (uint32_t)(size >> shift);
    upper |= (uint64_t)upper << shift != size ? 1 : 0;
    const float real = (float)upper * float_of((127 + shift) << 23);
    return number < 0 ? -real : real;
}

#endif

void rl_load(const struct rl_tensor *from, size_t offset, size_t step, bool real, union rl_number *to, uint32_t to_step,
             uint32_t count)
{
    const bool is_real = rl_is_real(from->dtype);
    for (uint32_t i = 0; i < count; i++) {
        union rl_number *number = to + (size_t)i * to_step;
        if (is_real && real) {
            number->real = read_real(from, offset + i * step);
        } else if (is_real) {
            number->integer = to_integer(read_real(from, offset + i * step));
        } else if (real) {
            number->real = to_real(read_integer(from, offset + i * step));
        } else {
            number->integer = read_integer(from, offset + i * step);
        }
    }
}

void rl_store(const struct rl_tensor *to, size_t offset, size_t step, bool real, const union rl_number *from,
              uint32_t count)
{
    const bool is_real = rl_is_real(to->dtype);
    for (uint32_t i = 0; i < count; i++) {
        if (is_real) {
            write_real(to, offset + i * step, real ? from[i].real : to_real(from[i].integer));
        } else if (real && to->dtype == RL_BOOL) {
            write_integer(to, offset + i * step, from[i].real != 0);
        } else {
            write_integer(to, offset + i * step, real ? to_integer(from[i].real) : from[i].integer);
        }
    }
}

bool rl_call_scalar(struct rl_call *call, uint32_t argument, union rl_number *number)
{
    number->integer = 0;
    switch (rl_call_kind(call, argument)) {
    case RL_PTE_NULL:
        return false;
    case RL_PTE_BOOL:
        number->integer = rl_call_bool(call, argument);
        return false;
    case RL_PTE_INT:
        number->integer = rl_call_int(call, argument);
        return false;
    default:
        number->real = (rl_real)rl_call_double(call, argument);
        return true;
    }
}

union rl_number rl_call_scalar_as(struct rl_call *call, uint32_t argument, bool real)
{
    union rl_number number;
    bool is_real = rl_call_scalar(call, argument, &number);
    if (real && !is_real) {
        number.real = to_real(number.integer);
    } else if (!real && is_real) {
        number.integer = to_integer(number.real);
    }
    return number;
}
