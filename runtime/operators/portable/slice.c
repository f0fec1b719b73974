// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors, of any element type: aten::slice_copy, narrow_copy, select_copy, split_copy, split_with_sizes_copy
// and unbind_copy.
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/part.h"
#include "runtime/operators/portable/walk.h"

// The sizes of a part of `whole` that is `length` long along `dim` or, with a negative length, does not have that
// dimension.
static struct rl_shape shape_of_part(const struct rl_call *call, const struct rl_tensor *whole, uint32_t dim,
                                     int32_t length)
{
    struct rl_shape shape = rl_shape_of(whole);
    if (call->status == RL_OK && length < 0) {
        rl_shape_remove(&shape, dim);
    } else if (call->status == RL_OK) {
        shape.sizes[dim] = length;
    }
    return shape;
}

// Reads an output that receives such a part.
static void read_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole, uint32_t dim,
                      int32_t length, struct rl_tensor *part)
{
    const struct rl_shape shape = shape_of_part(call, whole, dim, length);
    rl_call_output(call, argument, part);
    rl_expect_same_type(call, argument, part, whole);
    rl_resize(call, argument, part, &shape);
    rl_expect_part(call, argument, whole, part, dim, length < 0);
}

// The same for item `index` of a list of outputs.
static void read_listed_part(struct rl_call *call, uint32_t argument, uint32_t index, const struct rl_tensor *whole,
                             uint32_t dim, int32_t length, struct rl_tensor *part)
{
    const struct rl_shape shape = shape_of_part(call, whole, dim, length);
    rl_call_list_output(call, argument, index, part);
    rl_expect_same_type(call, argument, part, whole);
    rl_call_list_resize(call, argument, index, part, shape.rank, shape.sizes);
    rl_expect_part(call, argument, whole, part, dim, length < 0);
}

// Where the part that has the sizes of `to` starts in `from`: every `step`-th element along `dim`, from `start` on.
static const uint8_t *find_part(const struct rl_tensor *to, const struct rl_tensor *from, uint32_t dim, uint32_t start,
                                uint32_t step, uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    rl_tensor_element_strides(to, strides[0]);
    rl_tensor_element_strides(from, strides[1]);
    const uint8_t *first = (const uint8_t *)from->data + (size_t)start * strides[1][dim] * rl_scalar_size(from->dtype);
    strides[1][dim] *= step;
    return first;
}

// Copies a part of a list.
static void copy_part(const struct rl_tensor *to, const struct rl_tensor *from, uint32_t dim, uint32_t start)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    const uint8_t *first = find_part(to, from, dim, start, 1, strides);
    rl_walk_copy(to, to->data, first, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// Copies the only part that the call gives.
static void copy_only_part(struct rl_call *call, const struct rl_tensor *to, const struct rl_tensor *from, uint32_t dim,
                           uint32_t start, uint32_t step)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    const uint8_t *first = find_part(to, from, dim, start, step, strides);
    rl_walk_copy_kept(call, to, to->data, first, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

enum rl_status rl_run_aten_slice_copy_tensor(struct rl_call *call)
{
    enum { INPUT, RANGE, OUTPUT = 5 };
    struct rl_tensor input, output;
    if (call->kept) {
        rl_copies_run(call->kept);
        return RL_OK;
    }
    rl_call_tensor(call, INPUT, &input);
    struct rl_index_range range = rl_read_range(call, RANGE, &input);
    read_part(call, OUTPUT, &input, range.dim, (int32_t)range.count, &output);
    if (rl_call_ready(call) && output.bytes > 0) {
        copy_only_part(call, &output, &input, range.dim, range.start, range.step);
    }
    return call->status;
}

enum rl_status rl_run_aten_narrow_copy(struct rl_call *call)
{
    enum { INPUT, DIM, START, LENGTH, OUTPUT };
    struct rl_tensor input, output;
    if (call->kept) {
        rl_copies_run(call->kept);
        return RL_OK;
    }
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    int32_t size = input.sizes[dim], start = rl_bounded_int(call, START, -size, size);
    start = start < 0 ? start + size : start;
    int32_t length = rl_bounded_int(call, LENGTH, 0, size - start);
    read_part(call, OUTPUT, &input, dim, length, &output);
    if (rl_call_ready(call) && output.bytes > 0) {
        copy_only_part(call, &output, &input, dim, (uint32_t)start, 1);
    }
    return call->status;
}

// Copies the elements of `whole` with one index along `dim` to `part`, which does not have that dimension.
static void copy_selected(const struct rl_tensor *whole, const struct rl_tensor *part, uint32_t dim, uint32_t index)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_tensor_element_strides(part, strides[0]);
    const size_t first = (size_t)index * rl_strides_without(whole, dim, strides[1]);
    rl_walk_copy(part, part->data, (const uint8_t *)whole->data + first * rl_scalar_size(whole->dtype),
                 (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

enum rl_status rl_run_aten_select_copy_int(struct rl_call *call)
{
    enum { INPUT, DIM, INDEX, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank), index = rl_read_index(call, INDEX, &input, dim);
    read_part(call, OUTPUT, &input, dim, -1, &output);
    if (rl_call_ready(call)) {
        copy_selected(&input, &output, dim, index);
    }
    return call->status;
}

// ---- several parts

enum rl_status rl_run_aten_unbind_copy_int(struct rl_call *call)
{
    enum { INPUT, DIM, OUTPUTS };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank), count = rl_call_list(call, OUTPUTS);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    rl_expect(call, call->status != RL_OK || (int64_t)count == input.sizes[dim], OUTPUTS,
              "not as many outputs as the dimension is long");
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        read_listed_part(call, OUTPUTS, i, &input, dim, -1, &output);
        if (rl_call_ready(call)) {
            copy_selected(&input, &output, dim, i);
        }
    }
    return call->status;
}

enum rl_status rl_run_aten_split_copy_tensor(struct rl_call *call)
{
    enum { INPUT, SIZE, DIM, OUTPUTS };
    struct rl_tensor input, output;
    int64_t start = 0;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank), count = rl_call_list(call, OUTPUTS);
    int32_t size = rl_bounded_int(call, SIZE, 0, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        int64_t left = input.sizes[dim] - start, length = left < size ? left : size;
        read_listed_part(call, OUTPUTS, i, &input, dim, (int32_t)length, &output);
        if (rl_call_ready(call) && output.bytes > 0) {
            copy_part(&output, &input, dim, (uint32_t)start);
        }
        start += length;
    }
    rl_expect(call, call->status != RL_OK || start == input.sizes[dim], OUTPUTS, "the parts do not make up the input");
    return call->status;
}

enum rl_status rl_run_aten_split_with_sizes_copy(struct rl_call *call)
{
    enum { INPUT, SIZES, DIM, OUTPUTS };
    struct rl_tensor input, output;
    int32_t sizes[RL_LIST_MAX];
    int64_t start = 0;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    uint32_t count = rl_call_ints(call, SIZES, sizes, RL_LIST_MAX);
    rl_expect(call, rl_call_list(call, OUTPUTS) == count, OUTPUTS, "sizes and outputs differ in number");
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_expect(call, sizes[i] >= 0 && start + sizes[i] <= input.sizes[dim], SIZES, "the parts exceed the input");
        read_listed_part(call, OUTPUTS, i, &input, dim, sizes[i], &output);
        if (rl_call_ready(call)) {
            copy_part(&output, &input, dim, (uint32_t)start);
        }
        start += sizes[i];
    }
    rl_expect(call, call->status != RL_OK || start == input.sizes[dim], SIZES, "the parts do not make up the input");
    return call->status;
}
