// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/elements.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A value on its way: integers exactly, reals as double, which holds every float16, bfloat16 and float32.
struct number {
    bool is_real;
    bool is_unsigned; // the 64 bits are those of a uint64 beyond INT64_MAX
    int64_t integer;
    double real;
};

const char *rl_dtype_name(enum rl_scalar_type dtype)
{
    switch (dtype) {
    case RL_UINT8:
        return "uint8";
    case RL_INT8:
        return "int8";
    case RL_INT16:
        return "int16";
    case RL_INT32:
        return "int32";
    case RL_INT64:
        return "int64";
    case RL_FLOAT16:
        return "float16";
    case RL_FLOAT32:
        return "float32";
    case RL_FLOAT64:
        return "float64";
    case RL_COMPLEX64:
        return "complex64";
    case RL_BOOL:
        return "bool";
    case RL_BFLOAT16:
        return "bfloat16";
    case RL_UINT16:
        return "uint16";
    case RL_UINT32:
        return "uint32";
    case RL_UINT64:
        return "uint64";
    }
    return "unknown type";
}

// IEEE 754 binary16.
static double half_to_double(uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    return exponent == 0 ? sign * ldexp(fraction, -24) : sign * ldexp(1024 + fraction, exponent - 25);
}

static struct number load_real(enum rl_scalar_type dtype, const unsigned char *element)
{
    struct number number = {.is_real = true};
    float single;
    uint16_t half;
    if (dtype == RL_FLOAT64) {
        memcpy(&number.real, element, sizeof number.real);
    } else if (dtype == RL_FLOAT32) {
        memcpy(&single, element, sizeof single);
        number.real = (double)single;
    } else if (dtype == RL_FLOAT16) {
        memcpy(&half, element, sizeof half);
        number.real = half_to_double(half);
    } else {
        memcpy((unsigned char *)&single + 2, element, 2); // the upper half of a float32
        memset(&single, 0, 2);
        number.real = (double)single;
    }
    return number;
}

static bool is_real(enum rl_scalar_type dtype)
{
    return dtype == RL_FLOAT16 || dtype == RL_BFLOAT16 || dtype == RL_FLOAT32 || dtype == RL_FLOAT64;
}

static bool is_signed(enum rl_scalar_type dtype)
{
    return dtype == RL_INT8 || dtype == RL_INT16 || dtype == RL_INT32 || dtype == RL_INT64;
}

static struct number load(enum rl_scalar_type dtype, const unsigned char *element)
{
    if (is_real(dtype)) {
        return load_real(dtype, element);
    }
    const size_t size = rl_scalar_size((int)dtype);
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)element[i] << (8 * i);
    }
    if (is_signed(dtype) && size < 8 && (bits >> (8 * size - 1)) != 0) {
        bits |= ~UINT64_C(0) << (8 * size);
    }
    struct number number = {.is_unsigned = dtype == RL_UINT64 && bits > INT64_MAX};
    memcpy(&number.integer, &bits, sizeof bits);
    return number;
}

// The highest integer of the type that int64_t holds.
static int64_t highest_of(enum rl_scalar_type dtype)
{
    const int bits = (int)rl_scalar_size((int)dtype) * 8 - (is_signed(dtype) ? 1 : 0);
    if (dtype == RL_BOOL) {
        return 1;
    }
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

static bool store_integer(const struct number *number, enum rl_scalar_type dtype, unsigned char *element)
{
    int64_t value = number->integer;
    if (number->is_real) {
        // The upper bound is 2^63, which double holds exactly; a NaN fails both.
        if (!(number->real >= -0x1p63 && number->real < 0x1p63) || number->real != floor(number->real)) {
            return false;
        }
        value = (int64_t)number->real;
    }
    const size_t size = rl_scalar_size((int)dtype);
    if (number->is_unsigned && dtype != RL_UINT64) {
        return false;
    }
    if (!number->is_unsigned) {
        const int64_t highest = highest_of(dtype);
        const int64_t lowest = is_signed(dtype) ? -highest - 1 : 0;
        if (value < lowest || value > highest) {
            return false;
        }
    }
    memcpy(element, &value, size);
    return true;
}

static double real_of(const struct number *number)
{
    if (number->is_real) {
        return number->real;
    }
    return number->is_unsigned ? (double)(uint64_t)number->integer : (double)number->integer;
}

// Binary floating-point formats, by what rounding to them needs.
struct real_format {
    int fraction_bits;
    int lowest_exponent; // of normal numbers
    double highest;
};

static struct real_format format_of(enum rl_scalar_type dtype)
{
    switch (dtype) {
    case RL_FLOAT16:
        return (struct real_format){10, -14, 65504.0};
    case RL_BFLOAT16:
        return (struct real_format){7, -126, 0x1.fep127};
    case RL_FLOAT32:
        return (struct real_format){23, -126, (double)FLT_MAX};
    default:
        return (struct real_format){52, -1022, DBL_MAX};
    }
}

// The nearest number of the format, ties to even; beyond its highest an infinity.
static double round_to(const struct real_format *format, double value)
{
    if (value == 0.0 || !isfinite(value)) {
        return value;
    }
    const int exponent = ilogb(value) > format->lowest_exponent ? ilogb(value) : format->lowest_exponent;
    const double steps = rint(ldexp(value, format->fraction_bits - exponent));
    const double rounded = ldexp(steps, exponent - format->fraction_bits);
    return fabs(rounded) > format->highest ? copysign((double)INFINITY, value) : rounded;
}

// The bits of a number that float16 holds.
static uint16_t half_bits(double value)
{
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    const double size = fabs(value);
    if (isnan(value)) {
        return (uint16_t)(sign | 0x7e00u);
    }
    if (isinf(value)) {
        return (uint16_t)(sign | 0x7c00u);
    }
    if (size < 0x1p-14) {
        return (uint16_t)(sign | (unsigned)ldexp(size, 24));
    }
    const int exponent = ilogb(size);
    return (uint16_t)(sign | ((unsigned)(exponent + 15) << 10) | ((unsigned)ldexp(size, 10 - exponent) & 1023u));
}

static void write_real(double value, enum rl_scalar_type dtype, unsigned char *element)
{
    const float single = dtype == RL_FLOAT64 || dtype == RL_FLOAT16 ? 0.0f : (float)value;
    const uint16_t half = dtype == RL_FLOAT16 ? half_bits(value) : 0;
    if (dtype == RL_FLOAT64) {
        memcpy(element, &value, sizeof value);
    } else if (dtype == RL_FLOAT32) {
        memcpy(element, &single, sizeof single);
    } else if (dtype == RL_FLOAT16) {
        memcpy(element, &half, sizeof half);
    } else {
        memcpy(element, (const unsigned char *)&single + 2, 2);
    }
}

static bool store_real(const struct number *number, bool may_round, enum rl_scalar_type dtype, unsigned char *element)
{
    const struct real_format format = format_of(dtype);
    const double value = real_of(number);
    const double kept = round_to(&format, value);
    if (isinf(kept) && !isinf(value)) {
        return false;
    }
    // Beyond 2^53 an integer may have been rounded on its way here already.
    const bool exact = isnan(value) || (kept == value && (number->is_real || fabs(value) <= 0x1p53));
    if (!exact && !(number->is_real && may_round)) {
        return false;
    }
    write_real(kept, dtype, element);
    return true;
}

// Between floating types.
static bool may_round(enum rl_scalar_type from, enum rl_scalar_type to)
{
    return from == RL_FLOAT64 || to == RL_FLOAT16 || to == RL_BFLOAT16;
}

bool rl_convert_elements(enum rl_scalar_type from, const void *source, enum rl_scalar_type to, void *target,
                         int64_t count, int64_t *bad)
{
    const size_t from_size = rl_scalar_size((int)from);
    const size_t to_size = rl_scalar_size((int)to);
    if (from == to) {
        memcpy(target, source, (size_t)count * from_size);
        return true;
    }
    *bad = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct number number = load(from, (const unsigned char *)source + (size_t)i * from_size);
        unsigned char *element = (unsigned char *)target + (size_t)i * to_size;
        const bool kept =
            is_real(to) ? store_real(&number, may_round(from, to), to, element) : store_integer(&number, to, element);
        if (!kept) {
            *bad = i;
            return false;
        }
    }
    return true;
}
