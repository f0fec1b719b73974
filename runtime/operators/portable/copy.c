// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements of any type without reading them as numbers: aten::view_copy, squeeze_copy,
// unsqueeze_copy, permute_copy, transpose_copy, t_copy, clone, alias_copy and the clone between dimension orders.
#include <string.h>

#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// ---- copies that keep the shape

static enum rl_status run_clone(struct rl_call *call, uint32_t output_argument)
{
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    if (call->kept) {
        rl_copies_run(call->kept);
        return RL_OK;
    }
    rl_call_tensor(call, 0, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_same_type(call, output_argument, &output, &input);
    rl_resize_like(call, output_argument, &output, &input);
    if (call->status != RL_OK) {
        return call->status;
    }
    if (input.data == output.data && rl_same_layout(&input, &output)) {
        return RL_OK;
    }
    rl_expect_disjoint(call, output_argument, &output, &input);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (rl_call_ready(call)) {
        rl_walk_copy_kept(call, &output, output.data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

enum rl_status rl_run_aten_clone(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    return run_clone(call, OUTPUT);
}

enum rl_status rl_run_aten_alias_copy(struct rl_call *call)
{
    return run_clone(call, 1);
}

enum rl_status rl_run_aten_detach_copy(struct rl_call *call)
{
    return run_clone(call, 1);
}

enum rl_status rl_run_aten_lift_fresh_copy(struct rl_call *call)
{
    return run_clone(call, 1);
}

// Outside training nothing is dropped: the mask is true everywhere.
enum rl_status rl_run_aten_native_dropout(struct rl_call *call)
{
    enum { INPUT, PROBABILITY, TRAIN, OUTPUT, MASK };
    struct rl_tensor input, mask, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_call_output(call, MASK, &mask);
    rl_expect_type(call, MASK, &mask, RL_BOOL, -1);
    rl_expect(call, rl_call_kind(call, TRAIN) == RL_PTE_BOOL && !rl_call_bool(call, TRAIN), TRAIN,
              "dropout in training is not supported");
    rl_resize_like(call, OUTPUT, &output, &input);
    rl_resize_like(call, MASK, &mask, &input);
    rl_expect_disjoint(call, MASK, &mask, &output);
    if (call->status == RL_OK && run_clone(call, OUTPUT) == RL_OK && rl_call_ready(call)) {
        memset(mask.data, 1, mask.bytes);
    }
    return call->status;
}

enum rl_status rl_run_dim_order_clone(struct rl_call *call)
{
    enum { OUTPUT = 3 };
    return run_clone(call, OUTPUT);
}

// ---- copies that change the shape

// Copies between two layouts of which neither is contiguous.
static void copy_in_logical_order(const struct rl_tensor *output, const struct rl_tensor *input)
{
    uint32_t to[RL_TENSOR_MAX_RANK], from[RL_TENSOR_MAX_RANK];
    const uint32_t count = rl_tensor_count(input);
    const size_t size = rl_scalar_size(input->dtype);
    rl_tensor_element_strides(output, to);
    rl_tensor_element_strides(input, from);
    for (uint32_t i = 0; i < count; i++) {
        memcpy((uint8_t *)output->data + rl_offset_at(output, to, i) * size,
               (const uint8_t *)input->data + rl_offset_at(input, from, i) * size, size);
    }
}

// Keeps the logical order of the elements: reads and writes both tensors in that order.
static enum rl_status run_reshape(struct rl_call *call, uint32_t output_argument, const struct rl_shape *shape)
{
    struct rl_tensor input, output;
    rl_call_tensor(call, 0, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_same_type(call, output_argument, &output, &input);
    rl_resize(call, output_argument, &output, shape);
    rl_expect(call, input.bytes == output.bytes, output_argument, "input and output differ in the number of elements");
    if (call->status != RL_OK) {
        return call->status;
    }
    bool in_order = rl_is_ordered(&input, rl_order_contiguous), out_order = rl_is_ordered(&output, rl_order_contiguous);
    if (in_order && out_order && input.data == output.data) {
        return RL_OK;
    }
    rl_expect_disjoint(call, output_argument, &output, &input);
    if (!rl_call_ready(call) || input.bytes == 0) {
        return call->status;
    }
    if (out_order) {
        return rl_tensor_to_logical(&input, output.data, input.bytes);
    }
    if (in_order) {
        return rl_tensor_from_logical(&output, input.data, output.bytes);
    }
    copy_in_logical_order(&output, &input);
    return RL_OK;
}

// Reads the sizes in a list. One may be -1; it follows from the others.
static struct rl_shape read_view(struct rl_call *call, uint32_t argument)
{
    struct rl_tensor input;
    struct rl_shape shape;
    uint32_t open = RL_TENSOR_MAX_RANK;
    uint64_t others = 1;
    rl_call_tensor(call, 0, &input);
    shape.rank = rl_call_bounded_ints(call, argument, shape.sizes, RL_TENSOR_MAX_RANK, -1, INT32_MAX);
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (shape.sizes[i] < 0) {
            rl_expect(call, open == RL_TENSOR_MAX_RANK, argument, "more than one size is left open");
            open = i;
        } else {
            others = others * (uint32_t)shape.sizes[i] < INT32_MAX ? others * (uint32_t)shape.sizes[i] : INT32_MAX;
        }
    }
    if (open == RL_TENSOR_MAX_RANK || call->status != RL_OK) {
        return shape;
    }
    const uint32_t count = rl_tensor_count(&input);
    rl_expect(call, others > 0 && count % others == 0, argument, "no size makes up for the others");
    shape.sizes[open] = others > 0 ? (int32_t)(count / others) : 0;
    return shape;
}

enum rl_status rl_run_aten_view_copy(struct rl_call *call)
{
    enum { INPUT, SIZE, OUTPUT };
    const struct rl_shape shape = read_view(call, SIZE);
    return run_reshape(call, OUTPUT, &shape);
}

// Removes those dimensions of size 1 that the argument names.
static enum rl_status run_squeeze(struct rl_call *call)
{
    enum { INPUT, DIMS, OUTPUT };
    struct rl_tensor input;
    int32_t dims[RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    const int32_t limit = input.rank > 0 ? input.rank : 1;
    const uint32_t count = rl_call_bounded_ints(call, DIMS, dims, RL_TENSOR_MAX_RANK, -limit, limit - 1);
    uint32_t named = 0;
    for (uint32_t i = 0; i < count; i++) {
        named |= 1u << (dims[i] < 0 ? dims[i] + limit : dims[i]);
    }
    struct rl_shape shape = rl_shape_of(&input);
    for (uint32_t i = input.rank; i-- > 0;) {
        if ((named >> i & 1) != 0 && input.sizes[i] == 1) {
            rl_shape_remove(&shape, i);
        }
    }
    return run_reshape(call, OUTPUT, &shape);
}

enum rl_status rl_run_aten_squeeze_copy_dims(struct rl_call *call)
{
    return run_squeeze(call);
}

enum rl_status rl_run_aten_squeeze_copy_dim(struct rl_call *call)
{
    return run_squeeze(call);
}

enum rl_status rl_run_aten_unsqueeze_copy(struct rl_call *call)
{
    enum { INPUT, DIM, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    struct rl_shape shape = rl_shape_of(&input);
    const uint32_t dim = rl_read_dim(call, DIM, input.rank + 1u);
    rl_expect_by(call, RL_BY_TYPES, input.rank < RL_TENSOR_MAX_RANK, INPUT, "the result has too many dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    rl_shape_insert(&shape, dim, 1);
    return run_reshape(call, OUTPUT, &shape);
}

// A view in the same memory. If the memory planner placed it there, there is nothing to do. If the planner did not know
// the place of the tensor, the view gets it now.
enum rl_status rl_run_prim_et_view(struct rl_call *call)
{
    enum { INPUT, SIZE, OUTPUT };
    struct rl_tensor input, output;
    const struct rl_shape shape = read_view(call, SIZE);
    rl_call_tensor(call, INPUT, &input);
    rl_call_alias(call, OUTPUT, INPUT);
    rl_call_tensor(call, OUTPUT, &output);
    rl_expect_same_type(call, OUTPUT, &output, &input);
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect(call, input.bytes == output.bytes, OUTPUT, "input and output differ in the number of elements");
    rl_expect_by(call, RL_BY_ADDRESSES, input.data == output.data, OUTPUT, "a view does not lie where its tensor does");
    if (call->status != RL_OK) {
        rl_call_alias(call, OUTPUT, OUTPUT);
    }
    return call->status;
}

// Dimension i of the output is dimension dims[i] of the input.
static enum rl_status run_permutation(struct rl_call *call, uint32_t output_argument, const uint32_t *dims)
{
    struct rl_tensor input, output;
    uint32_t own[RL_TENSOR_MAX_RANK], strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, 0, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_same_type(call, output_argument, &output, &input);
    struct rl_shape shape = {.rank = input.rank};
    rl_tensor_element_strides(&input, own);
    for (uint32_t i = 0; i < input.rank; i++) {
        shape.sizes[i] = input.sizes[dims[i]];
        strides[1][i] = own[dims[i]];
    }
    rl_resize(call, output_argument, &output, &shape);
    rl_expect_disjoint(call, output_argument, &output, &input);
    rl_tensor_element_strides(&output, strides[0]);
    if (rl_call_ready(call)) {
        rl_walk_copy(&output, output.data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

enum rl_status rl_run_aten_permute_copy(struct rl_call *call)
{
    enum { INPUT, DIMS, OUTPUT };
    struct rl_tensor input;
    int32_t items[RL_TENSOR_MAX_RANK];
    uint32_t dims[RL_TENSOR_MAX_RANK], seen = 0;
    rl_call_tensor(call, INPUT, &input);
    rl_bounded_ints(call, DIMS, items, input.rank, -input.rank, input.rank - 1);
    for (uint32_t i = 0; call->status == RL_OK && i < input.rank; i++) {
        dims[i] = (uint32_t)(items[i] < 0 ? items[i] + input.rank : items[i]);
        seen |= 1u << dims[i];
    }
    rl_expect(call, seen == (1u << input.rank) - 1, DIMS, "not a permutation of the dimensions");
    return call->status == RL_OK ? run_permutation(call, OUTPUT, dims) : call->status;
}

// Swaps two dimensions.
static enum rl_status run_exchange(struct rl_call *call, uint32_t output_argument, uint32_t first, uint32_t second)
{
    uint32_t dims[RL_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < RL_TENSOR_MAX_RANK; i++) {
        dims[i] = i == first ? second : i;
        if (i == second) {
            dims[i] = first;
        }
    }
    return call->status == RL_OK ? run_permutation(call, output_argument, dims) : call->status;
}

enum rl_status rl_run_aten_transpose_copy_int(struct rl_call *call)
{
    enum { INPUT, FIRST, SECOND, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    return run_exchange(call, OUTPUT, rl_read_dim(call, FIRST, input.rank), rl_read_dim(call, SECOND, input.rank));
}

enum rl_status rl_run_aten_t_copy(struct rl_call *call)
{
    enum { INPUT, OUTPUT };
    struct rl_tensor input;
    rl_call_tensor(call, INPUT, &input);
    rl_expect_by(call, RL_BY_TYPES, input.rank <= 2, INPUT, "only up to two dimensions are supported");
    return run_exchange(call, OUTPUT, 0, input.rank == 2 ? 1 : 0);
}

// A size of -1 keeps the input's size.
enum rl_status rl_run_aten_expand_copy(struct rl_call *call)
{
    enum { INPUT, SIZE, IMPLICIT, OUTPUT };
    struct rl_tensor input, output;
    struct rl_shape shape;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    shape.rank = rl_call_bounded_ints(call, SIZE, shape.sizes, RL_TENSOR_MAX_RANK, -1, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, shape.rank >= input.rank, SIZE, "the result has fewer dimensions than the input");
    for (uint32_t i = 0; call->status == RL_OK && i < input.rank; i++) {
        int32_t *size = &shape.sizes[shape.rank - input.rank + i];
        *size = *size < 0 ? input.sizes[i] : *size;
    }
    rl_resize(call, OUTPUT, &output, &shape);
    return rl_copy_expanded(call, INPUT, OUTPUT);
}

// copy_to[index] = copy_from. ExecuTorch collects the results of a loop in this way. The tensor grows item by item.
enum rl_status rl_run_prim_et_copy_index(struct rl_call *call)
{
    enum { TO, FROM, INDEX };
    struct rl_tensor to, from;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}}, own[RL_TENSOR_MAX_RANK] = {0};
    rl_call_output(call, TO, &to);
    rl_call_tensor(call, FROM, &from);
    rl_expect_same_type(call, FROM, &to, &from);
    const int32_t index = rl_bounded_int(call, INDEX, 0, INT32_MAX - 1);
    rl_expect_by(call, RL_BY_TYPES, to.rank == from.rank + 1, FROM,
                 "the item has not one dimension less than its tensor");
    for (uint32_t i = 0; i < from.rank && index > 0 && call->status == RL_OK; i++) {
        rl_expect(call, to.sizes[i + 1] == from.sizes[i], FROM, "the item has other sizes than its tensor's");
    }
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&from);
    rl_shape_insert(&shape, 0, index + 1);
    rl_resize(call, TO, &to, &shape);
    rl_expect_disjoint(call, TO, &to, &from);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    rl_tensor_element_strides(&to, own);
    memcpy(strides[0], own + 1, from.rank * sizeof own[0]);
    rl_tensor_element_strides(&from, strides[1]);
    uint8_t *start = (uint8_t *)to.data + (size_t)index * own[0] * rl_scalar_size(to.dtype);
    rl_walk_copy(&from, start, from.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    return call->status;
}
