// SPDX-License-Identifier: Apache-2.0
//
// aten::flip, roll, repeat, and reflection_pad and replication_pad of one to three dimensions.
#include "runtime/operators/portable/mapped.h"

// ---- flip

struct flipping {
    const int32_t *sizes;
    uint32_t dims; // bit i: dimension i is flipped
};

static uint32_t flipped(const void *rule, uint32_t dim, uint32_t at)
{
    const struct flipping *f = rule;
    return (f->dims >> dim & 1) != 0 ? (uint32_t)f->sizes[dim] - 1 - at : at;
}

enum rl_status rl_run_aten_flip(struct rl_call *call)
{
    enum { INPUT, DIMS, OUTPUT };
    struct rl_tensor input, output;
    int32_t dims[RL_TENSOR_MAX_RANK];
    struct flipping f = {0};
    if (!rl_read_mapped(call, OUTPUT, &input, &output, NULL)) {
        return call->status;
    }
    int32_t limit = input.rank > 0 ? input.rank : 1;
    uint32_t count = rl_call_bounded_ints(call, DIMS, dims, RL_TENSOR_MAX_RANK, -limit, limit - 1);
    for (uint32_t i = 0; i < count; i++) {
        f.dims |= 1u << (dims[i] < 0 ? dims[i] + limit : dims[i]);
    }
    f.sizes = input.sizes;
    if (rl_call_ready(call)) {
        rl_copy_mapped(&output, &input, flipped, &f);
    }
    return call->status;
}

// ---- roll

struct rolling {
    const int32_t *sizes;
    uint32_t shifts[RL_TENSOR_MAX_RANK]; // each below the dimension's size
};

static uint32_t rolled(const void *rule, uint32_t dim, uint32_t at)
{
    const struct rolling *r = rule;
    return at >= r->shifts[dim] ? at - r->shifts[dim] : at + (uint32_t)r->sizes[dim] - r->shifts[dim];
}

// Converts a shift of any sign to one within 0..size - 1.
static uint32_t wrap_shift(int64_t shift, int64_t size)
{
    return size > 0 ? (uint32_t)((shift % size + size) % size) : 0;
}

enum rl_status rl_run_aten_roll(struct rl_call *call)
{
    enum { INPUT, SHIFTS, DIMS, OUTPUT };
    struct rl_tensor input, output;
    int32_t shifts[RL_TENSOR_MAX_RANK], dims[RL_TENSOR_MAX_RANK], flat[1];
    struct rolling r = {0};
    if (!rl_read_mapped(call, OUTPUT, &input, &output, NULL)) {
        return call->status;
    }
    int32_t limit = input.rank > 0 ? input.rank : 1;
    uint32_t count = rl_call_ints(call, SHIFTS, shifts, RL_TENSOR_MAX_RANK);
    uint32_t dim_count = rl_call_bounded_ints(call, DIMS, dims, RL_TENSOR_MAX_RANK, -limit, limit - 1);
    rl_expect(call, dim_count == count || (dim_count == 0 && count == 1), DIMS,
              "shifts and dimensions differ in number");
    if (dim_count == 0) { // roll all elements in logical order
        rl_expect(call, rl_is_ordered(&input, rl_order_contiguous) && rl_is_ordered(&output, rl_order_contiguous),
                  INPUT, "a tensor is not contiguous");
        flat[0] = (int32_t)rl_tensor_count(&input);
        input.sizes = output.sizes = flat;
        input.rank = output.rank = 1;
        input.dim_order = output.dim_order = rl_order_contiguous;
        dims[0] = 0;
    }
    r.sizes = input.sizes;
    for (uint32_t i = 0; call->status == RL_OK && i < count; i++) {
        uint32_t dim = (uint32_t)(dims[i] < 0 ? dims[i] + limit : dims[i]);
        if (dim < input.rank) {
            r.shifts[dim] = wrap_shift((int64_t)r.shifts[dim] + shifts[i], input.sizes[dim]);
        }
    }
    if (rl_call_ready(call)) {
        rl_copy_mapped(&output, &input, rolled, &r);
    }
    return call->status;
}

// ---- repeat

struct repeating {
    const int32_t *sizes; // of the input
    uint32_t missing;     // dimensions that the input does not have
};

static uint32_t repeated(const void *rule, uint32_t dim, uint32_t at)
{
    const struct repeating *r = rule;
    return at % (uint32_t)r->sizes[dim - r->missing];
}

enum rl_status rl_run_aten_repeat(struct rl_call *call)
{
    enum { INPUT, REPEATS, OUTPUT };
    struct rl_tensor input, output;
    struct rl_shape shape;
    rl_call_tensor(call, INPUT, &input);
    shape.rank = rl_call_bounded_ints(call, REPEATS, shape.sizes, RL_TENSOR_MAX_RANK, 0, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, shape.rank >= input.rank, REPEATS, "fewer repeats than dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    const struct repeating r = {input.sizes, shape.rank - input.rank};
    for (uint32_t i = r.missing; i < shape.rank; i++) {
        shape.sizes[i] = rl_size((int64_t)input.sizes[i - r.missing] * shape.sizes[i]);
    }
    rl_read_mapped(call, OUTPUT, &input, &output, &shape);
    if (rl_call_ready(call)) {
        rl_copy_mapped(&output, &input, repeated, &r);
    }
    return call->status;
}

// ---- padding with elements of the input

struct padding {
    const int32_t *sizes;               // of the input
    int32_t before[RL_TENSOR_MAX_RANK]; // amount in front of each dimension; negative amounts crop
};

static uint32_t replicated(const void *rule, uint32_t dim, uint32_t at)
{
    const struct padding *p = rule;
    int64_t place = (int64_t)at - p->before[dim];
    if (place < 0) {
        return 0;
    }
    return place < p->sizes[dim] ? (uint32_t)place : (uint32_t)p->sizes[dim] - 1;
}

static uint32_t reflected(const void *rule, uint32_t dim, uint32_t at)
{
    const struct padding *p = rule;
    int64_t place = (int64_t)at - p->before[dim], last = p->sizes[dim] - 1;
    place = place < 0 ? -place : place;
    return (uint32_t)(place > last ? 2 * last - place : place);
}

// The amounts start with the last dimension. Reflections must lie within the input.
static enum rl_status run_pad(struct rl_call *call, uint32_t padded_dims, bool reflects)
{
    enum { INPUT, PADDING, OUTPUT };
    struct rl_tensor input, output;
    struct padding p = {0};
    int32_t amounts[6];
    rl_call_tensor(call, INPUT, &input);
    rl_bounded_ints(call, PADDING, amounts, 2 * padded_dims, -INT16_MAX, INT16_MAX);
    rl_expect_by(call, RL_BY_TYPES, input.rank >= padded_dims, INPUT, "the input has too few dimensions");
    struct rl_shape shape = rl_shape_of(&input);
    p.sizes = input.sizes;
    for (uint32_t i = 0; call->status == RL_OK && i < padded_dims; i++) {
        const uint32_t dim = input.rank - 1u - i;
        const int32_t front = amounts[2 * i], back = amounts[2 * i + 1];
        shape.sizes[dim] = rl_size((int64_t)input.sizes[dim] + front + back);
        rl_expect(call, !reflects || (front < input.sizes[dim] && back < input.sizes[dim]), PADDING,
                  "a reflection is larger than the input");
        p.before[dim] = front;
    }
    rl_read_mapped(call, OUTPUT, &input, &output, &shape);
    if (rl_call_ready(call)) {
        rl_copy_mapped(&output, &input, reflects ? reflected : replicated, &p);
    }
    return call->status;
}

enum rl_status rl_run_aten_reflection_pad1d(struct rl_call *call)
{
    return run_pad(call, 1, true);
}

enum rl_status rl_run_aten_reflection_pad2d(struct rl_call *call)
{
    return run_pad(call, 2, true);
}

enum rl_status rl_run_aten_reflection_pad3d(struct rl_call *call)
{
    return run_pad(call, 3, true);
}

enum rl_status rl_run_aten_replication_pad1d(struct rl_call *call)
{
    return run_pad(call, 1, false);
}

enum rl_status rl_run_aten_replication_pad2d(struct rl_call *call)
{
    return run_pad(call, 2, false);
}

enum rl_status rl_run_aten_replication_pad3d(struct rl_call *call)
{
    return run_pad(call, 3, false);
}
