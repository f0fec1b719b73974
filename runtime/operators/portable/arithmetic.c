// SPDX-License-Identifier: Apache-2.0
//
// aten::add, sub, rsub, mul, div and the divisions that round, remainder, fmod, pow and atan2, of tensors and numbers.
// Integers wrap around, as PyTorch's do.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/host/element_loop.h"
#include "runtime/operators/portable/text.h"

static int64_t wrapped_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapped_product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t negated(int64_t a)
{
    return (int64_t)(0 - (uint64_t)a);
}

// ---- sums: the third operand, alpha, multiplies the second one

static rl_real add_reals(const union rl_number *x)
{
    return x[0].real + x[2].real * x[1].real;
}

static int64_t add_integers(const union rl_number *x)
{
    return wrapped_sum(x[0].integer, wrapped_product(x[2].integer, x[1].integer));
}

static rl_real sub_reals(const union rl_number *x)
{
    return x[0].real - x[2].real * x[1].real;
}

static int64_t sub_integers(const union rl_number *x)
{
    return wrapped_sum(x[0].integer, negated(wrapped_product(x[2].integer, x[1].integer)));
}

static rl_real rsub_reals(const union rl_number *x)
{
    return x[1].real - x[2].real * x[0].real;
}

static int64_t rsub_integers(const union rl_number *x)
{
    return wrapped_sum(x[1].integer, negated(wrapped_product(x[2].integer, x[0].integer)));
}

RL_ELEMENT_LOOP(add_reals)
static const struct rl_elementwise add = {add_reals, add_integers,         3, RL_TYPE_OF_BOTH, false,
                                          false,     RL_LOOP_OF(add_reals)};
RL_ELEMENT_LOOP(sub_reals)
static const struct rl_elementwise sub = {sub_reals, sub_integers,         3, RL_TYPE_OF_BOTH, false,
                                          false,     RL_LOOP_OF(sub_reals)};
static const struct rl_elementwise rsub = {rsub_reals, rsub_integers, 3, RL_TYPE_OF_BOTH, false, false};

enum rl_status RL_RUN(aten_add)(struct rl_call *call)
{
    return rl_run_elementwise(call, &add, 3);
}

enum rl_status RL_RUN(aten_add_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &add, 3);
}

enum rl_status RL_RUN(aten_sub_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &sub, 3);
}

enum rl_status RL_RUN(aten_sub_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &sub, 3);
}

enum rl_status RL_RUN(aten_rsub_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &rsub, 3);
}

// ---- products

static rl_real mul_reals(const union rl_number *x)
{
    return x[0].real * x[1].real;
}

static int64_t mul_integers(const union rl_number *x)
{
    return wrapped_product(x[0].integer, x[1].integer);
}

RL_ELEMENT_LOOP(mul_reals)
static const struct rl_elementwise mul = {mul_reals, mul_integers,         2, RL_TYPE_OF_BOTH, false,
                                          false,     RL_LOOP_OF(mul_reals)};

enum rl_status RL_RUN(aten_mul)(struct rl_call *call)
{
    return rl_run_elementwise(call, &mul, 2);
}

enum rl_status RL_RUN(aten_mul_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &mul, 2);
}

// ---- divisions

static rl_real div_reals(const union rl_number *x)
{
    return x[0].real / x[1].real;
}

static rl_real trunc_reals(const union rl_number *x)
{
    return RL_EXACT(trunc)(x[0].real / x[1].real);
}

// INT64_MIN / -1 wraps around.
static int64_t trunc_integers(const union rl_number *x)
{
    return x[1].integer == -1 ? negated(x[0].integer) : x[0].integer / x[1].integer;
}

// Subtracts the remainder before dividing, so that rounding cannot lift the quotient over a whole number.
static rl_real floor_reals(const union rl_number *x)
{
    rl_real a = x[0].real, b = x[1].real;
    if (b == 0) {
        return a / b;
    }
    rl_real rest = RL_EXACT(fmod)(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
        quotient -= 1;
    }
    if (quotient == 0) {
        return RL_EXACT(copysign)(0, a / b);
    }
    rl_real whole = RL_EXACT(floor)(quotient);
    return quotient - whole > 0.5f ? whole + 1 : whole;
}

static int64_t floor_integers(const union rl_number *x)
{
    int64_t quotient = trunc_integers(x);
    int64_t rest = wrapped_sum(x[0].integer, negated(wrapped_product(quotient, x[1].integer)));
    return rest != 0 && (rest < 0) != (x[1].integer < 0) ? quotient - 1 : quotient;
}

static const struct rl_elementwise div = {div_reals, NULL, 2, RL_TYPE_OF_BOTH, false, false};
static const struct rl_elementwise div_trunc = {trunc_reals, trunc_integers, 2, RL_TYPE_OF_BOTH, false, true};
static const struct rl_elementwise div_floor = {floor_reals, floor_integers, 2, RL_TYPE_OF_BOTH, false, true};

enum rl_status RL_RUN(aten_div_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &div, 2);
}

enum rl_status RL_RUN(aten_div_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &div, 2);
}

enum rl_status RL_RUN(aten_floor_divide)(struct rl_call *call)
{
    return rl_run_elementwise(call, &div_floor, 2);
}

static enum rl_status run_div_mode(struct rl_call *call)
{
    enum { MODE = 2, OUTPUT };
    if (rl_call_kind(call, MODE) == RL_PTE_NULL) {
        return rl_run_elementwise(call, &div, OUTPUT);
    }
    const char *mode = rl_call_string(call, MODE);
    bool by_floor = rl_is_text(mode, "floor");
    rl_expect(call, by_floor || rl_is_text(mode, "trunc"), MODE, "only 'floor', 'trunc' and None are supported");
    return rl_run_elementwise(call, by_floor ? &div_floor : &div_trunc, OUTPUT);
}

enum rl_status RL_RUN(aten_div_tensor_mode)(struct rl_call *call)
{
    return run_div_mode(call);
}

enum rl_status RL_RUN(aten_div_scalar_mode)(struct rl_call *call)
{
    return run_div_mode(call);
}

// ---- remainders: of the dividend's sign (fmod), or of the divisor's (remainder)

static rl_real fmod_reals(const union rl_number *x)
{
    return RL_EXACT(fmod)(x[0].real, x[1].real);
}

static int64_t fmod_integers(const union rl_number *x)
{
    return x[1].integer == -1 ? 0 : x[0].integer % x[1].integer;
}

static rl_real remainder_reals(const union rl_number *x)
{
    rl_real rest = fmod_reals(x);
    return rest != 0 && (x[1].real < 0) != (rest < 0) ? rest + x[1].real : rest;
}

static int64_t remainder_integers(const union rl_number *x)
{
    int64_t rest = fmod_integers(x);
    return rest != 0 && (x[1].integer < 0) != (rest < 0) ? rest + x[1].integer : rest;
}

static const struct rl_elementwise fmods = {fmod_reals, fmod_integers, 2, RL_TYPE_OF_BOTH, false, true};
static const struct rl_elementwise remainders = {remainder_reals, remainder_integers, 2, RL_TYPE_OF_BOTH, false, true};

enum rl_status RL_RUN(aten_fmod_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &fmods, 2);
}

enum rl_status RL_RUN(aten_fmod_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &fmods, 2);
}

enum rl_status RL_RUN(aten_remainder_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &remainders, 2);
}

enum rl_status RL_RUN(aten_remainder_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &remainders, 2);
}

// ---- powers

static rl_real pow_reals(const union rl_number *x)
{
    return RL_MATH(pow)(x[0].real, x[1].real);
}

// Computes powers by squaring. A negative exponent gives a fraction, which becomes 0 unless the base is 1 or -1.
static int64_t pow_integers(const union rl_number *x)
{
    int64_t base = x[0].integer, exponent = x[1].integer, result = 1;
    if (exponent < 0) {
        if (base == -1) {
            return exponent % 2 == 0 ? 1 : -1;
        }
        return base == 1;
    }
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) {
            result = wrapped_product(result, base);
        }
        base = wrapped_product(base, base);
    }
    return result;
}

static const struct rl_elementwise powers = {pow_reals, pow_integers, 2, RL_TYPE_OF_BOTH, false, false};

enum rl_status RL_RUN(aten_pow_tensor_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &powers, 2);
}

enum rl_status RL_RUN(aten_pow_tensor_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &powers, 2);
}

enum rl_status RL_RUN(aten_pow_scalar)(struct rl_call *call)
{
    return rl_run_elementwise(call, &powers, 2);
}

static rl_real atan2_reals(const union rl_number *x)
{
    return RL_MATH(atan2)(x[0].real, x[1].real);
}

static const struct rl_elementwise arc_tangents = {atan2_reals, NULL, 2, RL_TYPE_OF_BOTH, false, false};

enum rl_status RL_RUN(aten_atan2)(struct rl_call *call)
{
    return rl_run_elementwise(call, &arc_tangents, 2);
}
