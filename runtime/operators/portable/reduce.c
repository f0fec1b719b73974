// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/reduce.h"

#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { AT_ONCE = 8, MOST_OUTPUTS = 2 };

// ---- arguments

static uint32_t rank_of_input(struct rl_call *call)
{
    struct rl_tensor input;
    rl_call_tensor(call, 0, &input);
    return input.rank;
}

// The bit of a dimension. A tensor of rank 0 counts as a vector.
static uint32_t bit_of(int32_t dim, uint32_t rank)
{
    return 1u << (dim < 0 ? dim + (int32_t)(rank > 0 ? rank : 1) : dim);
}

uint32_t rl_dims_of_int(struct rl_call *call, uint32_t argument)
{
    if (rl_call_kind(call, argument) == RL_PTE_NULL) {
        return RL_ALL_DIMS;
    }
    uint32_t rank = rank_of_input(call);
    int32_t limit = rank > 0 ? (int32_t)rank : 1;
    return bit_of(rl_bounded_int(call, argument, -limit, limit - 1), rank);
}

uint32_t rl_dims_of_list(struct rl_call *call, uint32_t argument)
{
    int32_t dims[RL_TENSOR_MAX_RANK];
    uint32_t rank = rank_of_input(call), bits = 0;
    int32_t limit = rank > 0 ? (int32_t)rank : 1;
    uint32_t count = rl_call_bounded_ints(call, argument, dims, RL_TENSOR_MAX_RANK, -limit, limit - 1);
    for (uint32_t i = 0; i < count; i++) {
        bits |= bit_of(dims[i], rank);
    }
    return count == 0 ? RL_ALL_DIMS : bits;
}

// Gives an output the reduced shape. Writes its strides along the dimensions of the input, 0 along reduced ones.
static void match_output(struct rl_call *call, uint32_t argument, const struct rl_tensor *input,
                         struct rl_tensor *output, const struct rl_reduced *reduced,
                         uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK], next = 0;
    struct rl_shape shape = {.rank = 0};
    for (uint32_t i = 0; i < input->rank; i++) {
        const bool is_reduced = (reduced->dims >> i & 1) != 0;
        if (!is_reduced || reduced->keeps_dims) {
            shape.sizes[shape.rank++] = is_reduced ? 1 : input->sizes[i];
        }
    }
    rl_resize(call, argument, output, &shape);
    if (call->status != RL_OK) {
        return;
    }
    rl_tensor_element_strides(output, own);
    for (uint32_t i = 0; i < input->rank; i++) {
        const bool is_reduced = (reduced->dims >> i & 1) != 0;
        if (!is_reduced || reduced->keeps_dims) {
            strides[i] = own[next++];
        }
        if (is_reduced) {
            strides[i] = 0;
        }
    }
}

// ---- the loop

// Selects some of the dimensions of `tensor`, for a walk in logical order.
static struct rl_tensor select_dims(const struct rl_tensor *tensor, uint32_t selected,
                                    int32_t sizes[RL_TENSOR_MAX_RANK])
{
    struct rl_tensor shape = *tensor;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        sizes[i] = (selected >> i & 1) != 0 ? tensor->sizes[i] : 1;
    }
    shape.sizes = sizes;
    shape.dim_order = rl_order_contiguous;
    return shape;
}

// Folds the elements of a walk that starts at the first one, from the one at `offset` on.
static void take_all(const struct rl_reduction *op, const struct rl_tensor *input, size_t offset, struct rl_walk walk,
                     bool real, struct rl_fold *fold)
{
    union rl_number x[AT_ONCE];
    do {
        if (op->bytes && !real && input->dtype == RL_INT8) {
            op->bytes(fold, (const int8_t *)input->data + offset + walk.offset[0], walk.step[0], walk.count);
            fold->count += walk.count;
            continue;
        }
        for (uint32_t first = 0; first < walk.count; first += AT_ONCE) {
            uint32_t count = walk.count - first < AT_ONCE ? walk.count - first : AT_ONCE;
            rl_load(input, offset + walk.offset[0] + first * walk.step[0], walk.step[0], real, x, 1, count);
            for (uint32_t i = 0; i < count; i++, fold->count++) {
                if (real) {
                    op->reals(fold, x[i].real);
                } else {
                    op->integers(fold, x[i].integer);
                }
            }
        }
    } while (rl_walk_next(&walk));
}

static void write_results(const struct rl_reduction *op, const struct rl_tensor outputs[MOST_OUTPUTS],
                          const uint32_t offsets[MOST_OUTPUTS], bool real, const struct rl_fold *fold)
{
    const union rl_number position = {.integer = fold->position};
    for (uint32_t i = 0; i < MOST_OUTPUTS && op->results[i] != RL_FOLD_NONE; i++) {
        if (op->results[i] == RL_FOLD_POSITION) {
            rl_store(&outputs[i], offsets[i], 0, false, &position, 1);
        } else {
            rl_store(&outputs[i], offsets[i], 0, real, op->results[i] == RL_FOLD_VALUE ? &fold->value : &fold->other,
                     1);
        }
    }
}

static void reduce(const struct rl_reduction *op, const struct rl_reduced *reduced, const struct rl_tensor *input,
                   const struct rl_tensor outputs[MOST_OUTPUTS],
                   const uint32_t strides[1 + MOST_OUTPUTS][RL_TENSOR_MAX_RANK], bool real)
{
    int32_t kept_sizes[RL_TENSOR_MAX_RANK], taken_sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor kept = select_dims(input, ~reduced->dims, kept_sizes);
    struct rl_tensor taken = select_dims(input, reduced->dims, taken_sizes);
    struct rl_walk walk, elements;
    if (!rl_walk_start(&walk, &kept, 1 + MOST_OUTPUTS, strides)) {
        return;
    }
    const bool is_empty = !rl_walk_start(&elements, &taken, 1, strides);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            struct rl_fold fold = {.parameter = reduced->parameter};
            const uint32_t offsets[] = {walk.offset[1] + i * walk.step[1], walk.offset[2] + i * walk.step[2]};
            if (op->starts_at_one && real) {
                fold.value.real = 1;
            } else if (op->starts_at_one) {
                fold.value.integer = 1;
            }
            if (!is_empty) {
                take_all(op, input, walk.offset[0] + i * walk.step[0], elements, real, &fold);
            }
            if (op->finish) {
                op->finish(&fold);
            }
            write_results(op, outputs, offsets, real, &fold);
        }
    } while (rl_walk_next(&walk));
}

enum rl_status rl_run_reduction(struct rl_call *call, const struct rl_reduction *op, const struct rl_reduced *reduced)
{
    struct rl_tensor input, outputs[MOST_OUTPUTS] = {{0}};
    uint32_t strides[1 + MOST_OUTPUTS][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, 0, &input);
    rl_expect_numbers(call, 0, &input);
    for (uint32_t i = 0; i < MOST_OUTPUTS && op->results[i] != RL_FOLD_NONE; i++) {
        uint32_t argument = reduced->output_argument + i;
        rl_call_output(call, argument, &outputs[i]);
        rl_expect_numbers(call, argument, &outputs[i]);
        rl_expect_by(call, RL_BY_TYPES, op->results[i] != RL_FOLD_POSITION || outputs[i].dtype == RL_INT64, argument,
                     "positions need an output of int64");
        if (call->status == RL_OK) {
            match_output(call, argument, &input, &outputs[i], reduced, strides[1 + i]);
        }
        rl_expect_disjoint(call, argument, &outputs[i], &input);
    }
    bool real = !op->integers || (op->typed_by_output ? rl_is_real(outputs[0].dtype) : rl_is_real(input.dtype));
    rl_expect(call, !op->needs_elements || input.bytes > 0 || outputs[0].bytes == 0, 0, "the input is empty");
    rl_tensor_element_strides(&input, strides[0]);
    if (rl_call_ready(call)) {
        reduce(op, reduced, &input, outputs, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides, real);
    }
    return call->status;
}
