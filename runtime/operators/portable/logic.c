// SPDX-License-Identifier: Apache-2.0
//
// aten::logical_and, or, xor, not; bitwise_and, or, xor, not and shifts; where and masked_fill.
#include "runtime/operators/portable/elementwise.h"

// ---- bools: every number but 0 is true

static rl_real and_reals(const union rl_number *x)
{
    return x[0].real != 0 && x[1].real != 0;
}

static int64_t and_integers(const union rl_number *x)
{
    return x[0].integer != 0 && x[1].integer != 0;
}

static rl_real or_reals(const union rl_number *x)
{
    return x[0].real != 0 || x[1].real != 0;
}

static int64_t or_integers(const union rl_number *x)
{
    return x[0].integer != 0 || x[1].integer != 0;
}

static rl_real xor_reals(const union rl_number *x)
{
    return (x[0].real != 0) != (x[1].real != 0);
}

static int64_t xor_integers(const union rl_number *x)
{
    return (x[0].integer != 0) != (x[1].integer != 0);
}

static rl_real not_reals(const union rl_number *x)
{
    return x[0].real == 0;
}

static int64_t not_integers(const union rl_number *x)
{
    return x[0].integer == 0;
}

static const struct rl_elementwise logical_and = {and_reals, and_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise logical_or = {or_reals, or_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise logical_xor = {xor_reals, xor_integers, 2, RL_TYPE_OF_BOTH, true, false};
static const struct rl_elementwise logical_not = {not_reals, not_integers, 1, RL_TYPE_OF_FIRST, true, false};

enum rl_status RL_RUN(aten_logical_and)(struct rl_call *call)
{
    return rl_run_elementwise(call, &logical_and, 2);
}

enum rl_status RL_RUN(aten_logical_or)(struct rl_call *call)
{
    return rl_run_elementwise(call, &logical_or, 2);
}

enum rl_status RL_RUN(aten_logical_xor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &logical_xor, 2);
}

enum rl_status RL_RUN(aten_logical_not)(struct rl_call *call)
{
    return rl_run_elementwise(call, &logical_not, 1);
}

// ---- bits

static int64_t bits_and(const union rl_number *x)
{
    return x[0].integer & x[1].integer;
}

static int64_t bits_or(const union rl_number *x)
{
    return x[0].integer | x[1].integer;
}

static int64_t bits_xor(const union rl_number *x)
{
    return x[0].integer ^ x[1].integer;
}

static int64_t bits_not(const union rl_number *x)
{
    return ~x[0].integer;
}

// Shifts by a negative amount, or by the number of bits or more, give 0, or -1 for a right shift of a negative number.
static int64_t shift_left(const union rl_number *x)
{
    uint64_t amount = (uint64_t)x[1].integer;
    return amount < 64 ? (int64_t)((uint64_t)x[0].integer << amount) : 0;
}

static int64_t shift_right(const union rl_number *x)
{
    uint64_t amount = (uint64_t)x[1].integer;
    int64_t number = x[0].integer;
    if (amount >= 64) {
        return number < 0 ? -1 : 0;
    }
    return number < 0 ? ~(~number >> amount) : number >> amount;
}

static const struct rl_elementwise bitwise_and = {NULL, bits_and, 2, RL_TYPE_OF_BOTH, false, false};
static const struct rl_elementwise bitwise_or = {NULL, bits_or, 2, RL_TYPE_OF_BOTH, false, false};
static const struct rl_elementwise bitwise_xor = {NULL, bits_xor, 2, RL_TYPE_OF_BOTH, false, false};
static const struct rl_elementwise bitwise_not = {NULL, bits_not, 1, RL_TYPE_OF_FIRST, false, false};
static const struct rl_elementwise left_shift = {NULL, shift_left, 2, RL_TYPE_OF_BOTH, false, false};
static const struct rl_elementwise right_shift = {NULL, shift_right, 2, RL_TYPE_OF_BOTH, false, false};

enum rl_status RL_RUN(aten_bitwise_and_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_and, 2);
}

enum rl_status RL_RUN(aten_bitwise_and_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_and, 2);
}

enum rl_status RL_RUN(aten_bitwise_or_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_or, 2);
}

enum rl_status RL_RUN(aten_bitwise_or_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_or, 2);
}

enum rl_status RL_RUN(aten_bitwise_xor_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_xor, 2);
}

enum rl_status RL_RUN(aten_bitwise_xor_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &bitwise_xor, 2);
}

enum rl_status RL_RUN(aten_bitwise_not)(struct rl_call *call)
{
    struct rl_tensor input;
    rl_call_tensor(call, 0, &input);
    return rl_run_elementwise(call, input.dtype == RL_BOOL ? &logical_not : &bitwise_not, 1);
}

enum rl_status RL_RUN(aten_bitwise_left_shift_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &left_shift, 2);
}

enum rl_status RL_RUN(aten_bitwise_left_shift_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &left_shift, 2);
}

enum rl_status RL_RUN(aten_bitwise_right_shift_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &right_shift, 2);
}

enum rl_status RL_RUN(aten_bitwise_right_shift_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &right_shift, 2);
}

// ---- choices

// The first operand, the condition, is read as the type of the others.
static rl_real where_reals(const union rl_number *x)
{
    return x[0].real != 0 ? x[1].real : x[2].real;
}

static int64_t where_integers(const union rl_number *x)
{
    return x[0].integer != 0 ? x[1].integer : x[2].integer;
}

static rl_real fill_reals(const union rl_number *x)
{
    return x[1].real != 0 ? x[2].real : x[0].real;
}

static int64_t fill_integers(const union rl_number *x)
{
    return x[1].integer != 0 ? x[2].integer : x[0].integer;
}

static const struct rl_elementwise where = {where_reals, where_integers, 3, RL_TYPE_OF_SECOND | RL_TYPE_OF_THIRD,
                                            false,       false};
static const struct rl_elementwise masked_fill = {fill_reals, fill_integers, 3, RL_TYPE_OF_FIRST, false, false};

enum rl_status RL_RUN(aten_where_self)(struct rl_call *call)
{
    return rl_run_elementwise_bytes(call, &where, rl_choose_bytes, 3);
}

enum rl_status RL_RUN(aten_masked_fill_scalar)(struct rl_call *call)
{
    return rl_run_elementwise_bytes(call, &masked_fill, rl_fill_bytes, 3);
}
