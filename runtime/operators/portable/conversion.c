// SPDX-License-Identifier: Apache-2.0
//
// Copies that may change element type and layout: aten::_to_copy, copy, copy_ and the one between dimension orders; and
// tensors of one number: aten::full, full_like, zeros, ones, empty, fill, scalar_tensor, arange.
#include <math.h>

#include "runtime/operators/portable/elementwise.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// ---- copies

static rl_real real_itself(const union rl_number *x)
{
    return x[0].real;
}

static int64_t integer_itself(const union rl_number *x)
{
    return x[0].integer;
}

static const struct rl_elementwise conversion = {real_itself, integer_itself, 1, RL_TYPE_OF_FIRST, true, false};

enum rl_status RL_RUN(dim_order_to_copy)(struct rl_call *call)
{
    return rl_run_elementwise(call, &conversion, 3);
}

enum rl_status RL_RUN(aten_to_copy_out)(struct rl_call *call)
{
    return rl_run_elementwise(call, &conversion, 3);
}

static rl_real real_source(const union rl_number *x)
{
    return x[1].real;
}

static int64_t integer_source(const union rl_number *x)
{
    return x[1].integer;
}

// The second operand is copied; the first gives the shape.
static const struct rl_elementwise copy = {real_source, integer_source, 2, RL_TYPE_OF_SECOND, true, false};

enum rl_status RL_RUN(aten_copy)(struct rl_call *call)
{
    return rl_run_elementwise(call, &copy, 3);
}

// The output is the tensor that is written, as the same value or another one. A copy to a mutable buffer at the end of
// a method has an output of the type of the source; it is not read.
enum rl_status RL_RUN(aten_copy_)(struct rl_call *call)
{
    enum { SELF, SOURCE, NON_BLOCKING, OUTPUT };
    struct rl_tensor self, source, output;
    if (call->kept) {
        return rl_copy_expanded(call, SOURCE, OUTPUT);
    }
    rl_call_tensor(call, SELF, &self);
    rl_call_tensor(call, SOURCE, &source);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_by(call, RL_BY_ADDRESSES, self.data == output.data && rl_same_layout(&self, &output), OUTPUT,
                 "the output is not the tensor that changes");
    if (call->status == RL_OK && source.dtype != output.dtype) {
        return rl_run_elementwise(call, &copy, OUTPUT);
    }
    return rl_copy_expanded(call, SOURCE, OUTPUT);
}

// ---- tensors of one number

// Elements first, first + step, ... in logical order.
static enum rl_status run_sequence(struct rl_call *call, uint32_t output_argument, const struct rl_shape *shape,
                                   union rl_number first, union rl_number step, bool real)
{
    struct rl_tensor output;
    rl_call_output(call, output_argument, &output);
    rl_expect_numbers(call, output_argument, &output);
    rl_resize(call, output_argument, &output, shape);
    uint32_t count = rl_call_ready(call) ? rl_tensor_count(&output) : 0;
    for (uint32_t i = 0; i < count; i++) {
        union rl_number number;
        if (real) {
            number.real = first.real + (rl_real)i * step.real;
        } else {
            number.integer = (int64_t)((uint64_t)first.integer + (uint64_t)i * (uint64_t)step.integer);
        }
        rl_store(&output, i, 0, real, &number, 1);
    }
    return call->status;
}

static struct rl_shape read_sizes(struct rl_call *call)
{
    struct rl_shape shape;
    shape.rank = rl_call_bounded_ints(call, 0, shape.sizes, RL_TENSOR_MAX_RANK, 0, INT32_MAX);
    return shape;
}

static struct rl_shape read_shape_of(struct rl_call *call)
{
    struct rl_tensor like;
    rl_call_tensor(call, 0, &like);
    return rl_shape_of(&like);
}

static enum rl_status run_fill(struct rl_call *call, uint32_t argument, uint32_t output_argument,
                               const struct rl_shape *shape)
{
    union rl_number number, step = {.integer = 0};
    bool real = rl_call_scalar(call, argument, &number);
    if (real) {
        step.real = 0;
    }
    return run_sequence(call, output_argument, shape, number, step, real);
}

// Fills a tensor of the sizes that argument 0 lists.
static enum rl_status run_fill_with(struct rl_call *call, uint32_t output_argument, int64_t integer)
{
    const struct rl_shape shape = read_sizes(call);
    return run_sequence(call, output_argument, &shape, (union rl_number){.integer = integer},
                        (union rl_number){.integer = 0}, false);
}

enum rl_status RL_RUN(aten_full_out)(struct rl_call *call)
{
    const struct rl_shape shape = read_sizes(call);
    return run_fill(call, 1, 2, &shape);
}

enum rl_status RL_RUN(aten_full_like_out)(struct rl_call *call)
{
    const struct rl_shape shape = read_shape_of(call);
    return run_fill(call, 1, 3, &shape);
}

enum rl_status RL_RUN(aten_scalar_tensor_out)(struct rl_call *call)
{
    const struct rl_shape shape = {.rank = 0};
    return run_fill(call, 0, 1, &shape);
}

enum rl_status RL_RUN(aten_fill_scalar)(struct rl_call *call)
{
    const struct rl_shape shape = read_shape_of(call);
    return run_fill(call, 1, 2, &shape);
}

enum rl_status RL_RUN(aten_fill_tensor)(struct rl_call *call)
{
    return rl_run_elementwise(call, &copy, 2);
}

enum rl_status RL_RUN(aten_zeros_out)(struct rl_call *call)
{
    return run_fill_with(call, 1, 0);
}

enum rl_status RL_RUN(aten_ones_out)(struct rl_call *call)
{
    return run_fill_with(call, 1, 1);
}

// Any contents are allowed. Zeros make results reproducible.
enum rl_status RL_RUN(aten_empty_out)(struct rl_call *call)
{
    return run_fill_with(call, 2, 0);
}

enum rl_status RL_RUN(dim_order_empty)(struct rl_call *call)
{
    return run_fill_with(call, 2, 0);
}

// ---- sequences

static bool is_float(const struct rl_call *call, uint32_t argument)
{
    return rl_call_kind(call, argument) == RL_PTE_DOUBLE;
}

// The number of steps from `start` to before `end`, computed as PyTorch does.
static struct rl_shape count_steps(struct rl_call *call, uint32_t argument, double start, double end, double step)
{
    struct rl_shape shape = {.sizes = {0}, .rank = 1};
    const double count = ceil((end - start) / step);
    rl_expect(call, count >= 0 && count <= INT32_MAX, argument, "the steps do not lead from start to end");
    shape.sizes[0] = call->status == RL_OK ? (int32_t)count : 0;
    return shape;
}

enum rl_status RL_RUN(aten_arange_out)(struct rl_call *call)
{
    enum { END, OUTPUT };
    const union rl_number first = {.integer = 0}, step = {.integer = 1};
    const struct rl_shape shape = count_steps(call, END, 0, rl_call_number(call, END), 1);
    return run_sequence(call, OUTPUT, &shape, first, step, false);
}

enum rl_status RL_RUN(aten_arange_start_out)(struct rl_call *call)
{
    enum { START, END, STEP, OUTPUT };
    bool real = is_float(call, START) || is_float(call, STEP);
    const struct rl_shape shape =
        count_steps(call, END, rl_call_number(call, START), rl_call_number(call, END), rl_call_number(call, STEP));
    return run_sequence(call, OUTPUT, &shape, rl_call_scalar_as(call, START, real), rl_call_scalar_as(call, STEP, real),
                        real);
}
