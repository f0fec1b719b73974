// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/number.h"

#include <string.h>

bool rl_is_number(int dtype)
{
    switch (dtype) {
    case RL_FLOAT32:
    case RL_INT8:
    case RL_UINT8:
    case RL_INT16:
    case RL_INT32:
    case RL_INT64:
    case RL_BOOL:
        return true;
    default:
        return false;
    }
}

void rl_expect_numbers(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor)
{
    rl_expect(call, rl_is_number(tensor->dtype), argument,
              "only float, int8 to int64, uint8 and bool tensors are supported");
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

// As the conversions of C, whose functions for 64 bits bring the arithmetic of doubles along on most cores.
static int64_t to_integer(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const int32_t exponent = (int32_t)(bits >> 23 & 255) - 127;
    const bool negative = bits >> 31 != 0;
    uint64_t size = (bits & 0x7fffff) | 0x800000; // times 2^(exponent - 23)
    if (number != number || exponent < 0)
        return 0;
    if (exponent >= 63)
        return negative ? INT64_MIN : INT64_MAX;
    size = exponent > 23 ? size << (exponent - 23) : size >> (23 - exponent);
    return negative ? -(int64_t)size : (int64_t)size;
}

// The upper 32 bits, of which the last one tells whether there are more, round as all of them would.
static float to_real(int64_t number)
{
    if (number >= INT32_MIN && number <= INT32_MAX)
        return (float)(int32_t)number;
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    uint32_t shift = 0;
    for (uint64_t rest = size; rest > UINT32_MAX; rest >>= 1)
        shift++;
    uint32_t upper = (uint32_t)(size >> shift), scale_bits = (127 + shift) << 23;
    upper |= (uint64_t)upper << shift != size ? 1 : 0;
    float scale, real = (float)upper;
    memcpy(&scale, &scale_bits, sizeof scale);
    return number < 0 ? -(real * scale) : real * scale;
}

void rl_load(const struct rl_tensor *from, size_t offset, size_t step, bool real, union rl_number *to,
             uint32_t to_step, uint32_t count)
{
    const float *floats = rl_is_real(from->dtype) ? (const float *)from->data + offset : NULL;
    for (uint32_t i = 0; i < count; i++) {
        union rl_number *number = to + (size_t)i * to_step;
        if (floats && real)
            number->real = floats[i * step];
        else if (floats)
            number->integer = to_integer(floats[i * step]);
        else if (real)
            number->real = to_real(read_integer(from, offset + i * step));
        else
            number->integer = read_integer(from, offset + i * step);
    }
}

void rl_store(const struct rl_tensor *to, size_t offset, size_t step, bool real, const union rl_number *from,
              uint32_t count)
{
    float *floats = rl_is_real(to->dtype) ? (float *)to->data + offset : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (floats)
            floats[i * step] = real ? from[i].real : to_real(from[i].integer);
        else if (real && to->dtype == RL_BOOL)
            write_integer(to, offset + i * step, from[i].real != 0);
        else
            write_integer(to, offset + i * step, real ? to_integer(from[i].real) : from[i].integer);
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
        number->real = (float)rl_call_double(call, argument);
        return true;
    }
}

union rl_number rl_call_scalar_as(struct rl_call *call, uint32_t argument, bool real)
{
    union rl_number number;
    bool is_real = rl_call_scalar(call, argument, &number);
    if (real && !is_real)
        number.real = to_real(number.integer);
    else if (!real && is_real)
        number.integer = to_integer(number.real);
    return number;
}
