// SPDX-License-Identifier: Apache-2.0
//
// The one place that handles element types. Operators compute with floats or, exactly, with 64-bit integers. Elements
// of every type are read as one of the two.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H
#define RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H

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

// Writes numbers in the same way. Integers that do not fit lose their upper bits; every number but 0 is true.
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
        ((rl_real *)to->data)[offset] = number;
    } else {
        rl_store(to, offset, 0, true, &boxed, 1);
    }
}

// Reads a number of the call, and returns whether it is a float. None is the integer 0.
bool rl_call_scalar(struct rl_call *call, uint32_t argument, union rl_number *number);

// Reads a number of the call, and converts it to a float or an integer.
union rl_number rl_call_scalar_as(struct rl_call *call, uint32_t argument, bool real);

#endif
