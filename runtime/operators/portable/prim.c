// SPDX-License-Identifier: Apache-2.0
//
// Operators on numbers of the program, not tensors: executorch_prim::*.Scalar and *.int, aten::sym_size, sym_numel and
// _local_scalar_dense. Programs with loops, branches and computed sizes have them.
#include <math.h>
#include <string.h>

#include "runtime/operators/operator.h"

struct number {
    enum rl_pte_kind kind; // int, double or bool
    int64_t integer;       // the value of an int or a bool
    double real;           // the value, of any kind
};

static struct number read_number(struct rl_call *call, uint32_t argument)
{
    struct number number = {.kind = rl_call_kind(call, argument)};
    number.real = rl_call_number(call, argument);
    if (number.kind == RL_PTE_INT) {
        number.integer = rl_call_int(call, argument);
    } else if (number.kind == RL_PTE_BOOL) {
        number.integer = rl_call_bool(call, argument) ? 1 : 0;
    }
    return number;
}

static void set_number(struct rl_call *call, uint32_t argument, const struct number *number)
{
    if (number->kind == RL_PTE_BOOL) {
        rl_call_set_bool(call, argument, number->integer != 0);
    } else if (number->kind == RL_PTE_INT) {
        rl_call_set_int(call, argument, number->integer);
    } else {
        rl_call_set_double(call, argument, number->real);
    }
}

// Reads both operands. As in ExecuTorch, ints and doubles mix, but not with bools. False after a refusal.
static bool read_operands(struct rl_call *call, struct number operands[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        operands[i] = read_number(call, i);
    }
    rl_expect(call, (operands[0].kind == RL_PTE_BOOL) == (operands[1].kind == RL_PTE_BOOL), 1,
              "a bool and a number are operands of one operator");
    return call->status == RL_OK;
}

static bool are_ints(const struct number operands[2])
{
    return operands[0].kind == RL_PTE_INT && operands[1].kind == RL_PTE_INT;
}

// ---- arithmetic: modulo 2^64 for ints

enum arithmetic { ADD, SUB, MUL };

static enum rl_status run_arithmetic(struct rl_call *call, enum arithmetic operation)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (!read_operands(call, in)) {
        return call->status;
    }
    rl_expect(call, in[0].kind != RL_PTE_BOOL, 0, "bools cannot be added, subtracted or multiplied");
    const uint64_t a = (uint64_t)in[0].integer, b = (uint64_t)in[1].integer;
    const uint64_t integers[] = {[ADD] = a + b, [SUB] = a - b, [MUL] = a * b};
    if (are_ints(in)) {
        rl_call_set_int(call, OUTPUT, (int64_t)integers[operation]);
        return call->status;
    }
    const double reals[] = {
        [ADD] = in[0].real + in[1].real, [SUB] = in[0].real - in[1].real, [MUL] = in[0].real * in[1].real};
    rl_call_set_double(call, OUTPUT, reals[operation]);
    return call->status;
}

enum rl_status rl_run_prim_add_scalar(struct rl_call *call)
{
    return run_arithmetic(call, ADD);
}

enum rl_status rl_run_prim_sub_scalar(struct rl_call *call)
{
    return run_arithmetic(call, SUB);
}

enum rl_status rl_run_prim_mul_scalar(struct rl_call *call)
{
    return run_arithmetic(call, MUL);
}

// ---- division

// Reads two ints whose quotient exists. False after a refusal.
static bool read_division(struct rl_call *call, struct number in[2])
{
    if (!read_operands(call, in)) {
        return false;
    }
    rl_expect(call, are_ints(in), 0, "only ints are supported");
    rl_expect(call, in[1].integer != 0, 1, "a division by zero");
    rl_expect(call, in[0].integer != INT64_MIN || in[1].integer != -1, 0, "a quotient does not fit 64 bits");
    return call->status == RL_OK;
}

// Python's float //: the quotient whose remainder has the sign of the divisor.
static double floor_divide(double a, double b)
{
    if (b == 0) {
        return signbit(a) ? -INFINITY : INFINITY;
    }
    const double remainder = fmod(a, b);
    const double quotient = (a - remainder) / b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? quotient - 1 : quotient;
}

enum rl_status rl_run_prim_floordiv_scalar(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (read_operands(call, in) && !are_ints(in)) {
        rl_call_set_double(call, OUTPUT, floor_divide(in[0].real, in[1].real));
    }
    if (call->status != RL_OK || !are_ints(in) || !read_division(call, in)) {
        return call->status;
    }
    const int64_t quotient = in[0].integer / in[1].integer;
    const bool inexact = in[0].integer % in[1].integer != 0;
    const bool negative = (in[0].integer < 0) != (in[1].integer < 0);
    rl_call_set_int(call, OUTPUT, inexact && negative ? quotient - 1 : quotient);
    return call->status;
}

enum rl_status rl_run_prim_truediv_scalar(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (read_operands(call, in)) {
        rl_call_set_double(call, OUTPUT, in[0].real / in[1].real);
    }
    return call->status;
}

// Truncates, unlike floordiv.Scalar.
enum rl_status rl_run_prim_floordiv_int(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (read_division(call, in)) {
        rl_call_set_int(call, OUTPUT, in[0].integer / in[1].integer);
    }
    return call->status;
}

// The remainder has the sign of the dividend, as in C.
static enum rl_status run_remainder(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (read_division(call, in)) {
        rl_call_set_int(call, OUTPUT, in[0].integer % in[1].integer);
    }
    return call->status;
}

enum rl_status rl_run_prim_mod_int(struct rl_call *call)
{
    return run_remainder(call);
}

enum rl_status rl_run_prim_mod_scalar(struct rl_call *call)
{
    return run_remainder(call);
}

// ---- comparison

enum comparison { LT, EQ, GT, LE, GE };

static enum rl_status run_comparison(struct rl_call *call, enum comparison comparison)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (!read_operands(call, in)) {
        return call->status;
    }
    const bool reals = in[0].kind == RL_PTE_DOUBLE || in[1].kind == RL_PTE_DOUBLE;
    const bool less = reals ? in[0].real < in[1].real : in[0].integer < in[1].integer;
    const bool equal = reals ? in[0].real == in[1].real : in[0].integer == in[1].integer;
    const bool greater = reals ? in[0].real > in[1].real : in[0].integer > in[1].integer;
    const bool results[] = {[LT] = less, [EQ] = equal, [GT] = greater, [LE] = less || equal, [GE] = greater || equal};
    rl_call_set_bool(call, OUTPUT, results[comparison]);
    return call->status;
}

enum rl_status rl_run_prim_eq_scalar(struct rl_call *call)
{
    return run_comparison(call, EQ);
}

enum rl_status rl_run_prim_gt_scalar(struct rl_call *call)
{
    return run_comparison(call, GT);
}

enum rl_status rl_run_prim_lt_scalar(struct rl_call *call)
{
    return run_comparison(call, LT);
}

enum rl_status rl_run_prim_ge_scalar(struct rl_call *call)
{
    return run_comparison(call, GE);
}

enum rl_status rl_run_prim_le_scalar(struct rl_call *call)
{
    return run_comparison(call, LE);
}

static enum rl_status run_choice(struct rl_call *call, bool smaller)
{
    enum { OUTPUT = 2 };
    struct number in[2];
    if (!read_operands(call, in)) {
        return call->status;
    }
    rl_expect(call, are_ints(in), 0, "only ints are supported");
    const bool first = (in[0].integer < in[1].integer) == smaller;
    rl_call_set_int(call, OUTPUT, in[first ? 0 : 1].integer);
    return call->status;
}

enum rl_status rl_run_prim_sym_max_scalar(struct rl_call *call)
{
    return run_choice(call, false);
}

enum rl_status rl_run_prim_sym_min_scalar(struct rl_call *call)
{
    return run_choice(call, true);
}

// ---- one operand

enum rl_status rl_run_prim_neg_scalar(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    struct number number = read_number(call, INPUT);
    rl_expect(call, number.kind != RL_PTE_BOOL, INPUT, "a bool cannot be negated");
    number.integer = (int64_t)(0 - (uint64_t)number.integer);
    number.real = -number.real;
    if (call->status == RL_OK) {
        set_number(call, OUTPUT, &number);
    }
    return call->status;
}

enum rl_status rl_run_prim_sym_not_scalar(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    const bool value = rl_call_bool(call, INPUT);
    if (call->status == RL_OK) {
        rl_call_set_bool(call, OUTPUT, !value);
    }
    return call->status;
}

enum rl_status rl_run_prim_sym_float_scalar(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    const double value = rl_call_number(call, INPUT);
    if (call->status == RL_OK) {
        rl_call_set_double(call, OUTPUT, value);
    }
    return call->status;
}

// Returns a whole number as an int. Refuses one that does not fit.
static void set_whole(struct rl_call *call, uint32_t argument, double number)
{
    const double limit = 9223372036854775808.0; // 2^63
    rl_expect(call, number >= -limit && number < limit, argument, "a number does not fit 64 bits");
    if (call->status == RL_OK) {
        rl_call_set_int(call, argument, (int64_t)number);
    }
}

enum rl_status rl_run_prim_sym_int_scalar(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    const struct number number = read_number(call, INPUT);
    if (number.kind == RL_PTE_DOUBLE) {
        set_whole(call, OUTPUT, trunc(number.real));
    } else if (call->status == RL_OK) {
        rl_call_set_int(call, OUTPUT, number.integer);
    }
    return call->status;
}

static double read_double(struct rl_call *call)
{
    rl_expect(call, rl_call_kind(call, 0) == RL_PTE_DOUBLE, 0, "a float was expected here");
    return call->status == RL_OK ? rl_call_double(call, 0) : 0;
}

enum rl_status rl_run_prim_ceil_scalar(struct rl_call *call)
{
    enum { OUTPUT = 1 };
    set_whole(call, OUTPUT, ceil(read_double(call)));
    return call->status;
}

// Rounds ties to even, like Python.
enum rl_status rl_run_prim_round_scalar(struct rl_call *call)
{
    enum { OUTPUT = 1 };
    const double number = read_double(call);
    const double down = floor(number), rest = number - down;
    const bool up = rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0);
    set_whole(call, OUTPUT, up ? down + 1 : down);
    return call->status;
}

enum rl_status rl_run_prim_trunc_scalar(struct rl_call *call)
{
    enum { OUTPUT = 1 };
    set_whole(call, OUTPUT, trunc(read_double(call)));
    return call->status;
}

enum rl_status rl_run_prim_sym_ite_scalar(struct rl_call *call)
{
    enum { CONDITION, THEN, ELSE, OUTPUT };
    const bool condition = rl_call_bool(call, CONDITION);
    const struct number chosen = read_number(call, condition ? THEN : ELSE);
    if (call->status == RL_OK) {
        set_number(call, OUTPUT, &chosen);
    }
    return call->status;
}

// ---- numbers of a tensor

enum rl_status rl_run_aten_sym_size_int(struct rl_call *call)
{
    enum { INPUT, DIM, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "a tensor without dimensions has no size");
    if (call->status != RL_OK) {
        return call->status;
    }
    const int32_t dim = rl_bounded_int(call, DIM, -input.rank, input.rank - 1);
    if (call->status == RL_OK) {
        rl_call_set_int(call, OUTPUT, input.sizes[dim < 0 ? dim + input.rank : dim]);
    }
    return call->status;
}

enum rl_status rl_run_aten_sym_numel(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    if (call->status == RL_OK) {
        rl_call_set_int(call, OUTPUT, rl_tensor_count(&input));
    }
    return call->status;
}

// The int in the first element of a tensor of ints or bools.
static int64_t first_integer(const struct rl_tensor *tensor)
{
    int64_t wide;
    int32_t word;
    int16_t half;
    switch (tensor->dtype) {
    case RL_INT64:
        memcpy(&wide, tensor->data, sizeof wide);
        return wide;
    case RL_INT32:
        memcpy(&word, tensor->data, sizeof word);
        return word;
    case RL_INT16:
        memcpy(&half, tensor->data, sizeof half);
        return half;
    case RL_INT8:
        return *(const int8_t *)tensor->data;
    default:
        return *(const uint8_t *)tensor->data;
    }
}

static bool has_number(int dtype)
{
    switch (dtype) {
    case RL_FLOAT32:
    case RL_FLOAT64:
    case RL_BOOL:
    case RL_INT64:
    case RL_INT32:
    case RL_INT16:
    case RL_INT8:
    case RL_UINT8:
        return true;
    default:
        return false;
    }
}

enum rl_status rl_run_aten_local_scalar_dense(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    rl_expect_by(call, RL_BY_TYPES, has_number(input.dtype), INPUT, "a tensor of a type that has no number");
    rl_expect(call, input.bytes > 0, INPUT, "a tensor without elements");
    if (!rl_call_ready(call)) {
        return call->status;
    }
    float real;
    double wide;
    switch (input.dtype) {
    case RL_FLOAT32:
        memcpy(&real, input.data, sizeof real);
        rl_call_set_double(call, OUTPUT, real);
        break;
    case RL_FLOAT64:
        memcpy(&wide, input.data, sizeof wide);
        rl_call_set_double(call, OUTPUT, wide);
        break;
    case RL_BOOL:
        rl_call_set_bool(call, OUTPUT, first_integer(&input) != 0);
        break;
    default:
        rl_call_set_int(call, OUTPUT, first_integer(&input));
    }
    return call->status;
}
