// SPDX-License-Identifier: Apache-2.0
//
// Operators along one dimension: aten::cumsum, whose element k is the sum of the first k + 1 elements, computed in the
// type of the output; and aten::topk, the largest or smallest elements and their indices.
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// Starts a walk over all but dimension `dim`; false when there is nothing to visit.
static bool start_rows(struct rl_walk *walk, const struct rl_tensor *shape, uint32_t dim, uint32_t operands,
                       const uint32_t strides[][RL_TENSOR_MAX_RANK])
{
    int32_t sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor rows = *shape;
    for (uint32_t i = 0; i < shape->rank; i++) {
        sizes[i] = i == dim && shape->sizes[i] > 0 ? 1 : shape->sizes[i];
    }
    rows.sizes = sizes;
    return rl_walk_start(walk, &rows, operands, strides);
}

// ---- cumsum

static void sum_row(const struct rl_tensor *input, size_t from, size_t from_step, const struct rl_tensor *output,
                    size_t to, size_t to_step, uint32_t count)
{
    const bool real = rl_is_real(output->dtype);
    union rl_number sum = {.integer = 0};
    if (real) {
        sum.real = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        union rl_number next = rl_load_one(input, from + i * from_step, real);
        if (real) {
            sum.real += next.real;
        } else {
            sum.integer = (int64_t)((uint64_t)sum.integer + (uint64_t)next.integer);
        }
        rl_store(output, to + i * to_step, 0, real, &sum, 1);
    }
}

enum rl_status RL_RUN(aten_cumsum)(struct rl_call *call)
{
    enum { INPUT, DIM, DTYPE, OUTPUT };
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_numbers(call, INPUT, &input);
    rl_expect_numbers(call, OUTPUT, &output);
    rl_resize_like(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (!rl_call_ready(call) || !start_rows(&walk, &output, dim, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    uint32_t count = input.rank > 0 ? (uint32_t)input.sizes[dim] : 1;
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            sum_row(&input, walk.offset[1] + i * walk.step[1], strides[1][dim], &output,
                    walk.offset[0] + i * walk.step[0], strides[0][dim], count);
        }
    } while (rl_walk_next(&walk));
    return call->status;
}

// ---- topk

// An element and its place along the dimension.
struct ranked {
    union rl_number number;
    uint32_t place;
};

struct ranking {
    struct rl_tensor input, values, indices;
    bool real, largest;
};

// Whether `a` comes before `b`. A NaN is larger than every number, and of equal elements the first one is first.
static bool comes_before(const struct ranking *r, const struct ranked *a, const struct ranked *b)
{
    bool above, below;
    if (r->real) {
        rl_real x = a->number.real, y = b->number.real;
        above = x > y || (x != x && y == y);
        below = x < y || (x == x && y != y);
    } else {
        above = a->number.integer > b->number.integer;
        below = a->number.integer < b->number.integer;
    }
    if (above || below) {
        return r->largest ? above : below;
    }
    return a->place < b->place;
}

// Finds the first `k` of `count` elements, one after the other: each is the first of those that come after the last one
// found. Takes k times `count` steps and no memory.
static void rank_row(const struct ranking *r, const size_t offsets[3], const size_t steps[3], uint32_t count,
                     uint32_t k)
{
    struct ranked last = {.place = 0};
    for (uint32_t found = 0; found < k; found++) {
        struct ranked best = {.place = 0};
        bool any = false;
        for (uint32_t i = 0; i < count; i++) {
            struct ranked next = {rl_load_one(&r->input, offsets[0] + i * steps[0], r->real), i};
            if ((found > 0 && !comes_before(r, &last, &next)) || (any && !comes_before(r, &next, &best))) {
                continue;
            }
            best = next;
            any = true;
        }
        const union rl_number place = {.integer = best.place};
        rl_store(&r->values, offsets[1] + found * steps[1], 0, r->real, &best.number, 1);
        rl_store(&r->indices, offsets[2] + found * steps[2], 0, false, &place, 1);
        last = best;
    }
}

// Gives an output the shape of k elements along the dimension.
static void resize_ranked(struct rl_call *call, uint32_t argument, const struct rl_tensor *input,
                          struct rl_tensor *output, uint32_t dim, int32_t k)
{
    struct rl_shape shape = rl_shape_of(input);
    if (input->rank > 0) {
        shape.sizes[dim] = k;
    }
    rl_resize(call, argument, output, &shape);
    rl_expect_disjoint(call, argument, output, input);
}

enum rl_status RL_RUN(aten_topk)(struct rl_call *call)
{
    enum { INPUT, COUNT, DIM, LARGEST, SORTED, VALUES, INDICES };
    struct ranking r = {.largest = rl_call_bool(call, LARGEST)};
    struct rl_walk walk;
    uint32_t strides[3][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, INPUT, &r.input);
    rl_call_output(call, VALUES, &r.values);
    rl_call_output(call, INDICES, &r.indices);
    rl_expect_numbers(call, INPUT, &r.input);
    rl_expect_same_type(call, VALUES, &r.values, &r.input);
    rl_expect_type(call, INDICES, &r.indices, RL_INT64, -1);
    uint32_t dim = rl_read_dim(call, DIM, r.input.rank);
    if (call->status != RL_OK) {
        return call->status;
    }
    int32_t count = r.input.rank > 0 ? r.input.sizes[dim] : 1, k = rl_bounded_int(call, COUNT, 0, count);
    resize_ranked(call, VALUES, &r.input, &r.values, dim, k);
    resize_ranked(call, INDICES, &r.input, &r.indices, dim, k);
    rl_expect_disjoint(call, INDICES, &r.indices, &r.values);
    rl_tensor_element_strides(&r.input, strides[0]);
    rl_tensor_element_strides(&r.values, strides[1]);
    rl_tensor_element_strides(&r.indices, strides[2]);
    r.real = rl_is_real(r.input.dtype);
    if (!rl_call_ready(call) || !start_rows(&walk, &r.input, dim, 3, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    const size_t steps[] = {strides[0][dim], strides[1][dim], strides[2][dim]};
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const size_t offsets[] = {walk.offset[0] + i * walk.step[0], walk.offset[1] + i * walk.step[1],
                                      walk.offset[2] + i * walk.step[2]};
            rank_row(&r, offsets, steps, (uint32_t)count, (uint32_t)k);
        }
    } while (rl_walk_next(&walk));
    return call->status;
}
