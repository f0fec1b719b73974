// SPDX-License-Identifier: Apache-2.0
//
// Copies that may change element type and layout: aten::_to_copy, copy and the one between dimension orders;
// and tensors of one number: aten::full, full_like, zeros, ones, empty, fill, scalar_tensor, arange.
#include "runtime/operators/portable/elementwise.h"

// ---- copies

static float real_itself(const union rl_number *x)
{
    return x[0].real;
}

static int64_t integer_itself(const union rl_number *x)
{
    return x[0].integer;
}

static const struct rl_elementwise conversion = {real_itself,      integer_itself, 1,
                                                 RL_TYPE_OF_FIRST, true,           false};

enum rl_status rl_run_dim_order_to_copy(struct rl_call *call)
{
    return rl_run_elementwise(call, &conversion, 3);
}

enum rl_status rl_run_aten_to_copy_out(struct rl_call *call)
{
    return rl_run_elementwise(call, &conversion, 3);
}

static float real_source(const union rl_number *x)
{
    return x[1].real;
}

static int64_t integer_source(const union rl_number *x)
{
    return x[1].integer;
}

// What is copied is the second operand; the first gives its shape.
static const struct rl_elementwise copy = {real_source, integer_source, 2, RL_TYPE_OF_SECOND, true, false};

enum rl_status rl_run_aten_copy(struct rl_call *call)
{
    return rl_run_elementwise(call, &copy, 3);
}

// ---- one number everywhere

// Elements first, first + step, ... in logical order.
static enum rl_status run_sequence(struct rl_call *call, uint32_t output_argument, union rl_number first,
                                   union rl_number step, bool real)
{
    struct rl_tensor output;
    rl_call_output(call, output_argument, &output);
    rl_expect_numbers(call, output_argument, &output);
    uint32_t count = call->status == RL_OK ? rl_tensor_count(&output) : 0;
    for (uint32_t i = 0; i < count; i++) {
        union rl_number number;
        if (real)
            number.real = first.real + (float)i * step.real;
        else
            number.integer = (int64_t)((uint64_t)first.integer + (uint64_t)i * (uint64_t)step.integer);
        rl_store(&output, i, 0, real, &number, 1);
    }
    return call->status;
}

static enum rl_status run_fill(struct rl_call *call, uint32_t argument, uint32_t output_argument)
{
    union rl_number number, step = {.integer = 0};
    bool real = rl_call_scalar(call, argument, &number);
    return run_sequence(call, output_argument, number, step, real);
}

static enum rl_status run_fill_with(struct rl_call *call, uint32_t output_argument, int64_t integer)
{
    return run_sequence(call, output_argument, (union rl_number){.integer = integer},
                        (union rl_number){.integer = 0}, false);
}

enum rl_status rl_run_aten_full_out(struct rl_call *call)
{
    return run_fill(call, 1, 2);
}

enum rl_status rl_run_aten_full_like_out(struct rl_call *call)
{
    return run_fill(call, 1, 3);
}

enum rl_status rl_run_aten_scalar_tensor_out(struct rl_call *call)
{
    return run_fill(call, 0, 1);
}

enum rl_status rl_run_aten_fill_scalar(struct rl_call *call)
{
    return run_fill(call, 1, 2);
}

enum rl_status rl_run_aten_fill_tensor(struct rl_call *call)
{
    return rl_run_elementwise(call, &copy, 2);
}

enum rl_status rl_run_aten_zeros_out(struct rl_call *call)
{
    return run_fill_with(call, 1, 0);
}

enum rl_status rl_run_aten_ones_out(struct rl_call *call)
{
    return run_fill_with(call, 1, 1);
}

// Any contents will do; zeros are the same each time.
enum rl_status rl_run_aten_empty_out(struct rl_call *call)
{
    return run_fill_with(call, 2, 0);
}

enum rl_status rl_run_dim_order_empty(struct rl_call *call)
{
    return run_fill_with(call, 2, 0);
}

// ---- sequences

static bool is_float(const struct rl_call *call, uint32_t argument)
{
    return rl_call_kind(call, argument) == RL_PTE_DOUBLE;
}

enum rl_status rl_run_aten_arange_out(struct rl_call *call)
{
    const union rl_number first = {.integer = 0}, step = {.integer = 1};
    return run_sequence(call, 1, first, step, false);
}

enum rl_status rl_run_aten_arange_start_out(struct rl_call *call)
{
    enum { START, END, STEP, OUTPUT };
    bool real = is_float(call, START) || is_float(call, STEP);
    return run_sequence(call, OUTPUT, rl_call_scalar_as(call, START, real),
                        rl_call_scalar_as(call, STEP, real), real);
}
