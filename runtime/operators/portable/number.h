// SPDX-License-Identifier: Apache-2.0
//
// The one place that knows element types: operators compute with floats or, exactly, with 64-bit integers, and elements
// of every type are read as the one or the other.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H
#define RL_RUNTIME_OPERATORS_PORTABLE_NUMBER_H

#include "runtime/operators/operator.h"
#include "runtime/operators/portable/real.h"

// Which of the two it is, whoever holds it knows.
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

// float32, float16, bfloat16, int8 to int64, uint8, bool, and float64 where rl_real is one.
bool rl_is_number(int dtype);

// Refuses a tensor whose elements are not such numbers.
void rl_expect_numbers(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor);

// Refuses a tensor whose elements are not floats; with a rank that is not negative, one of another rank.
void rl_expect_floats(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, int rank);

// Reads `count` elements, from the one at `offset` on, each `step` further, to to[0], to[to_step], ...; as floats if
// `real`, otherwise as integers. A float that becomes an integer loses its fraction and is limited to the integer's
// range; a NaN becomes 0.
void rl_load(const struct rl_tensor *from, size_t offset, size_t step, bool real, union rl_number *to, uint32_t to_step,
             uint32_t count);

// Writes numbers likewise. An integer that does not fit its element loses its upper bits; every number but 0 is true.
void rl_store(const struct rl_tensor *to, size_t offset, size_t step, bool real, const union rl_number *from,
              uint32_t count);

// One element.
static inline union rl_number rl_load_one(const struct rl_tensor *from, size_t offset, bool real)
{
    union rl_number number;
    rl_load(from, offset, 0, real, &number, 1, 1);
    return number;
}

// The same for tensors of floats of any width; those of RL_REAL without a detour.
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

// A number of the call; whether it is a float. None is the integer 0.
bool rl_call_scalar(struct rl_call *call, uint32_t argument, union rl_number *number);

// A number of the call as a float or as an integer, whatever it is.
union rl_number rl_call_scalar_as(struct rl_call *call, uint32_t argument, bool real);

#endif
