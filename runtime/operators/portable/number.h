// SPDX-License-Identifier: Apache-2.0
//
// The one place that handles element types. Operators compute with floats or, exactly, with 64-bit integers. Elements
// of every type are read as one of the two. What is stored is the same on every core, also where IEEE 754 leaves bits
// open: every NaN becomes the quiet positive one without payload.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H
#define RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H

#include <string.h>

#include "runtime/operators/operator.h"
#include "runtime/operators/portable/real.h"

// A float or an integer. The code that uses it knows which.
union rl_number {
    rl_real real;
    int64_t integer; // of a bool, 0 or 1
};

static inline bool rl_is_real(int dtype)
{
    return dtype == RL_REAL || dtype == RL_FLOAT32 || dtype == RL_FLOAT16 || dtype == RL_BFLOAT16;
}

static inline union rl_number rl_zero(bool real)
{
    return real ? (union rl_number){.real = 0} : (union rl_number){.integer = 0};
}

static inline union rl_number rl_one(bool real)
{
    return real ? (union rl_number){.real = 1} : (union rl_number){.integer = 1};
}

// Writes a float with the bits of the one NaN if it is NaN. Integers decide, which costs less than a comparison of
// floats on cores without them, and holds whatever a compiler assumes of NaNs.
static inline void rl_put_float(float *to, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
    memcpy(to, &bits, sizeof bits);
}

static inline void rl_put_double(double *to, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : bits;
    memcpy(to, &bits, sizeof bits);
}

static inline void rl_put_real(rl_real *to, rl_real number)
{
#ifdef RL_WIDE
    rl_put_double(to, number);
#else
    rl_put_float(to, number);
#endif
}

// Whether an element type is a number: float32, float16, bfloat16, int8 to int64, uint8, bool; float64 if rl_real is.
bool rl_is_number(int dtype);

// Refuses a tensor whose elements are not such numbers.
void rl_expect_numbers(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor);

// Refuses a tensor whose elements are not floats, and one of another rank if `rank` is not negative.
void rl_expect_floats(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank);

// Reads `count` elements, from the one at `offset` on, each `step` further, to to[0], to[to_step], ...; as floats if
// `real`, otherwise as integers. A float that becomes an integer loses its fraction and is limited to the integer's
// range; a NaN becomes 0.
void rl_load(const struct rl_tensor *from, size_t offset, size_t step, bool real, union rl_number *to, uint32_t to_step,
             uint32_t count);

// Writes numbers in the same way. Integers that do not fit lose their upper bits; every number but 0 is true, also NaN.
void rl_store(const struct rl_tensor *to, size_t offset, size_t step, bool real, const union rl_number *from,
              uint32_t count);

// Reads one element.
static inline union rl_number rl_load_one(const struct rl_tensor *from, size_t offset, bool real)
{
    union rl_number number;
    rl_load(from, offset, 0, real, &number, 1, 1);
    return number;
}

// The same for tensors of floats of any width. Those of RL_REAL are read directly.
static inline rl_real rl_float_at(const struct rl_tensor *from, size_t offset)
{
    return from->dtype == RL_REAL ? ((const rl_real *)from->data)[offset] : rl_load_one(from, offset, true).real;
}

static inline void rl_set_float(const struct rl_tensor *to, size_t offset, rl_real number)
{
    const union rl_number boxed = {.real = number};
    if (to->dtype == RL_REAL) {
        rl_put_real((rl_real *)to->data + offset, number);
    } else {
        rl_store(to, offset, 0, true, &boxed, 1);
    }
}

// Reads a number of the call, and returns whether it is a float. None is the integer 0.
bool rl_call_scalar(struct rl_call *call, uint32_t argument, union rl_number *number);

// Reads a number of the call, and converts it to a float or an integer.
union rl_number rl_call_scalar_as(struct rl_call *call, uint32_t argument, bool real);

#endif
