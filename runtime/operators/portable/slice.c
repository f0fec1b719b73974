// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors, of any element type: aten::slice_copy, narrow_copy, select_copy, split_copy,
// split_with_sizes_copy, unbind_copy, cat, stack, slice_scatter and select_scatter. The last four convert
// parts of other types than the output.
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// Both have, but for dimension `dim`, the sizes of the other; they share no memory. With `dropped`, `part`
// does not have the dimension at all.
static void expect_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole,
                        const struct rl_tensor *part, uint32_t dim, bool dropped)
{
    rl_expect(call, part->rank + (dropped ? 1 : 0) == whole->rank, argument,
              "input and output differ in rank");
    for (uint32_t i = 0; call->status == RL_OK && i < whole->rank; i++) {
        uint32_t own = dropped && i > dim ? i - 1 : i;
        rl_expect(call, i == dim || whole->sizes[i] == part->sizes[own], argument,
                  "input and output differ in shape");
    }
    rl_expect_apart(call, argument, whole, part);
}

// The sizes of a part of `whole` that is `length` long along `dim`, or, with a negative length, does not have
// that dimension.
static struct rl_shape shape_of_part(const struct rl_call *call, const struct rl_tensor *whole, uint32_t dim,
                                     int32_t length)
{
    struct rl_shape shape = rl_shape_of(whole);
    if (call->status == RL_OK && length < 0)
        rl_shape_remove(&shape, dim);
    else if (call->status == RL_OK)
        shape.sizes[dim] = length;
    return shape;
}

// An output that receives such a part.
static void read_part(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole, uint32_t dim,
                      int32_t length, struct rl_tensor *part)
{
    const struct rl_shape shape = shape_of_part(call, whole, dim, length);
    rl_call_output(call, argument, part);
    rl_expect_same_type(call, argument, part, whole);
    rl_resize(call, argument, part, &shape);
    expect_part(call, argument, whole, part, dim, length < 0);
}

// The same for item `index` of a list of outputs.
static void read_listed_part(struct rl_call *call, uint32_t argument, uint32_t index,
                             const struct rl_tensor *whole, uint32_t dim, int32_t length,
                             struct rl_tensor *part)
{
    const struct rl_shape shape = shape_of_part(call, whole, dim, length);
    rl_call_list_output(call, argument, index, part);
    rl_expect_same_type(call, argument, part, whole);
    rl_call_list_resize(call, argument, index, part, shape.rank, shape.sizes);
    expect_part(call, argument, whole, part, dim, length < 0);
}

// Copies every `step`-th element of `from` along `dim`, from `start` on, to all of `to`.
static void copy_part(const struct rl_tensor *to, const struct rl_tensor *from, uint32_t dim, uint32_t start,
                      uint32_t step)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(to, strides[0]);
    rl_tensor_element_strides(from, strides[1]);
    const uint8_t *first =
        (const uint8_t *)from->data + (size_t)start * strides[1][dim] * rl_scalar_size(from->dtype);
    strides[1][dim] *= step;
    rl_walk_copy(to, to->data, first, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// A bound of a slice as PyTorch reads it: negative from the end, then limited to 0..size.
static int64_t read_bound(struct rl_call *call, uint32_t argument, int64_t fallback, int64_t size)
{
    if (rl_call_kind(call, argument) == RL_PTE_NULL)
        return fallback;
    int64_t bound = rl_call_int(call, argument);
    if (bound < -size)
        return 0;
    if (bound > size)
        return size;
    return bound < 0 ? bound + size : bound;
}

// The elements of a slice along its dimension.
struct range {
    uint32_t dim, start, step, count;
};

// Reads dimension, start, end and step from `argument` on.
static struct range read_range(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole)
{
    struct range range = {.dim = rl_read_dim(call, argument, whole->rank), .step = 1};
    int32_t step = rl_bounded_int(call, argument + 3, 1, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, whole->rank > 0, argument, "the tensor has no dimensions");
    if (call->status != RL_OK)
        return range;
    int32_t size = whole->sizes[range.dim];
    int64_t start = read_bound(call, argument + 1, 0, size), end = read_bound(call, argument + 2, size, size);
    range.start = (uint32_t)start;
    range.step = (uint32_t)step;
    range.count = end > start ? (uint32_t)((end - start + step - 1) / step) : 0;
    return range;
}

enum rl_status rl_run_aten_slice_copy_tensor(struct rl_call *call)
{
    enum { INPUT, RANGE, OUTPUT = 5 };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    struct range range = read_range(call, RANGE, &input);
    read_part(call, OUTPUT, &input, range.dim, (int32_t)range.count, &output);
    if (rl_call_ready(call) && output.bytes > 0)
        copy_part(&output, &input, range.dim, range.start, range.step);
    return call->status;
}

enum rl_status rl_run_aten_narrow_copy(struct rl_call *call)
{
    enum { INPUT, DIM, START, LENGTH, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    if (call->status != RL_OK)
        return call->status;
    int32_t size = input.sizes[dim], start = rl_bounded_int(call, START, -size, size);
    start = start < 0 ? start + size : start;
    int32_t length = rl_bounded_int(call, LENGTH, 0, size - start);
    read_part(call, OUTPUT, &input, dim, length, &output);
    if (rl_call_ready(call) && output.bytes > 0)
        copy_part(&output, &input, dim, (uint32_t)start, 1);
    return call->status;
}

// Strides along the dimensions of a part that does not have dimension `dim` of `whole`; the stride of that
// dimension is the result.
static uint32_t strides_without(const struct rl_tensor *whole, uint32_t dim,
                                uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(whole, own);
    for (uint32_t i = 0; i + 1 < whole->rank; i++)
        strides[i] = own[i < dim ? i : i + 1];
    return own[dim];
}

// Copies the elements of `whole` with one index along `dim` to `part`, which does not have that dimension.
static void copy_selected(const struct rl_tensor *whole, const struct rl_tensor *part, uint32_t dim,
                          uint32_t index)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_tensor_element_strides(part, strides[0]);
    const size_t first = (size_t)index * strides_without(whole, dim, strides[1]);
    rl_walk_copy(part, part->data, (const uint8_t *)whole->data + first * rl_scalar_size(whole->dtype),
                 (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// Index along a dimension, which an empty one has none of.
static uint32_t read_index(struct rl_call *call, uint32_t argument, const struct rl_tensor *whole,
                           uint32_t dim)
{
    rl_expect_by(call, RL_BY_TYPES, whole->rank > 0, argument, "the tensor has no dimensions");
    if (call->status != RL_OK)
        return 0;
    int32_t size = whole->sizes[dim], index = rl_bounded_int(call, argument, -size, size - 1);
    return (uint32_t)(index < 0 ? index + size : index);
}

enum rl_status rl_run_aten_select_copy_int(struct rl_call *call)
{
    enum { INPUT, DIM, INDEX, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = rl_read_dim(call, DIM, input.rank), index = read_index(call, INDEX, &input, dim);
    read_part(call, OUTPUT, &input, dim, -1, &output);
    if (rl_call_ready(call))
        copy_selected(&input, &output, dim, index);
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
        if (rl_call_ready(call))
            copy_selected(&input, &output, dim, i);
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
        if (rl_call_ready(call) && output.bytes > 0)
            copy_part(&output, &input, dim, (uint32_t)start, 1);
        start += length;
    }
    rl_expect(call, call->status != RL_OK || start == input.sizes[dim], OUTPUTS,
              "the parts do not make up the input");
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
        rl_expect(call, sizes[i] >= 0 && start + sizes[i] <= input.sizes[dim], SIZES,
                  "the parts exceed the input");
        read_listed_part(call, OUTPUTS, i, &input, dim, sizes[i], &output);
        if (rl_call_ready(call))
            copy_part(&output, &input, dim, (uint32_t)start, 1);
        start += sizes[i];
    }
    rl_expect(call, call->status != RL_OK || start == input.sizes[dim], SIZES,
              "the parts do not make up the input");
    return call->status;
}

// ---- parts put into the output

// Copies `part` to where strides[0] leads in the output from `first` on, as elements of the output.
static void insert_part(struct rl_call *call, const struct rl_tensor *output, size_t first,
                        const struct rl_tensor *part, const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    if (part->dtype == output->dtype) {
        if (rl_call_ready(call))
            rl_walk_copy(part, (uint8_t *)output->data + first * rl_scalar_size(output->dtype), part->data,
                         strides);
        return;
    }
    rl_expect_numbers(call, 0, output);
    rl_expect_numbers(call, 0, part);
    const bool real = rl_is_real(part->dtype);
    if (!rl_call_ready(call) || !rl_walk_start(&walk, part, 2, strides))
        return;
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const union rl_number number = rl_load_one(part, walk.offset[1] + (size_t)i * walk.step[1], real);
            rl_store(output, first + walk.offset[0] + (size_t)i * walk.step[0], 0, real, &number, 1);
        }
    } while (rl_walk_next(&walk));
}

// The same to the elements with one index along `dim`, which `part` does not have.
static void insert_selected(struct rl_call *call, const struct rl_tensor *output,
                            const struct rl_tensor *part, uint32_t dim, uint32_t index)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    const size_t first = (size_t)index * strides_without(output, dim, strides[0]);
    rl_tensor_element_strides(part, strides[1]);
    insert_part(call, output, first, part, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// Whether a tensor takes part in cat: PyTorch skips empty vectors whatever the others' shapes.
static bool is_joined(const struct rl_tensor *tensor)
{
    return tensor->rank != 1 || tensor->bytes > 0;
}

// The shape of all inputs one after the other: that of one of them, longer along `dim`.
static struct rl_shape join_shapes(struct rl_call *call, uint32_t inputs_argument, uint32_t count,
                                   uint32_t dim)
{
    struct rl_tensor input;
    struct rl_shape shape = {.sizes = {0}, .rank = 1}; // of empty vectors only
    int64_t length = 0;
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, inputs_argument, i, &input);
        if (!is_joined(&input))
            continue;
        rl_expect(call, input.rank > dim, inputs_argument, "an input does not have the dimension");
        if (call->status == RL_OK) {
            shape = rl_shape_of(&input);
            length += input.sizes[dim];
        }
    }
    shape.sizes[dim] = rl_size(length);
    return shape;
}

enum rl_status rl_run_aten_cat(struct rl_call *call)
{
    enum { INPUTS, DIM, OUTPUT };
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK], start = 0;
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = rl_read_dim(call, DIM, output.rank), count = rl_call_list(call, INPUTS);
    rl_expect_by(call, RL_BY_TYPES, output.rank > 0, OUTPUT, "the output has no dimensions");
    const struct rl_shape shape = join_shapes(call, INPUTS, count, dim);
    rl_resize(call, OUTPUT, &output, &shape);
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, INPUTS, i, &input);
        if (!is_joined(&input))
            continue;
        expect_part(call, OUTPUT, &output, &input, dim, false);
        if (call->status != RL_OK)
            break;
        rl_tensor_element_strides(&output, strides[0]);
        rl_tensor_element_strides(&input, strides[1]);
        insert_part(call, &output, (size_t)start * strides[0][dim], &input,
                    (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
        if (input.rank == 1)
            call->method->reason = RL_BY_SIZES; // were it empty, its type would not matter
        start += (uint32_t)input.sizes[dim];
    }
    return call->status;
}

enum rl_status rl_run_aten_stack(struct rl_call *call)
{
    enum { INPUTS, DIM, OUTPUT };
    struct rl_tensor input, output;
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = rl_read_dim(call, DIM, output.rank), count = rl_call_list(call, INPUTS);
    rl_expect_by(call, RL_BY_TYPES, output.rank > 0 && count > 0, OUTPUT,
                 "the output has no dimensions, or nothing is stacked");
    rl_call_list_tensor(call, INPUTS, 0, &input);
    rl_expect_by(call, RL_BY_TYPES, input.rank + 1 == output.rank, OUTPUT, "input and output differ in rank");
    if (call->status != RL_OK)
        return call->status;
    struct rl_shape shape = rl_shape_of(&input);
    rl_shape_insert(&shape, dim, rl_size(count));
    rl_resize(call, OUTPUT, &output, &shape);
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, INPUTS, i, &input);
        expect_part(call, OUTPUT, &output, &input, dim, true);
        if (call->status == RL_OK)
            insert_selected(call, &output, &input, dim, i);
    }
    return call->status;
}

// ---- a copy of the input, a part of which is another tensor

// Reads the input, the source of the part and the output; copies the input.
static bool start_scatter(struct rl_call *call, uint32_t output_argument, struct rl_tensor *source,
                          struct rl_tensor *output)
{
    struct rl_tensor input;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, 0, &input);
    rl_call_tensor(call, 1, source);
    rl_call_output(call, output_argument, output);
    rl_expect_same_type(call, output_argument, output, &input);
    rl_resize_like(call, output_argument, output, &input);
    rl_expect_apart(call, output_argument, output, &input);
    rl_tensor_element_strides(output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (rl_call_ready(call))
        rl_walk_copy(output, output->data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    return call->status == RL_OK;
}

enum rl_status rl_run_aten_select_scatter(struct rl_call *call)
{
    enum { INPUT, SOURCE, DIM, INDEX, OUTPUT };
    struct rl_tensor source, output;
    if (!start_scatter(call, OUTPUT, &source, &output))
        return call->status;
    uint32_t dim = rl_read_dim(call, DIM, output.rank), index = read_index(call, INDEX, &output, dim);
    expect_part(call, OUTPUT, &output, &source, dim, true);
    if (call->status == RL_OK)
        insert_selected(call, &output, &source, dim, index);
    return call->status;
}

enum rl_status rl_run_aten_slice_scatter(struct rl_call *call)
{
    enum { INPUT, SOURCE, RANGE, OUTPUT = 6 };
    struct rl_tensor source, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    if (!start_scatter(call, OUTPUT, &source, &output))
        return call->status;
    struct range range = read_range(call, RANGE, &output);
    expect_part(call, OUTPUT, &output, &source, range.dim, false);
    if (call->status != RL_OK)
        return call->status;
    rl_expect(call, (int32_t)range.count == source.sizes[range.dim], SOURCE,
              "the source's shape is not that of the slice");
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&source, strides[1]);
    const size_t first = (size_t)range.start * strides[0][range.dim];
    strides[0][range.dim] *= range.step;
    if (call->status == RL_OK && source.bytes > 0)
        insert_part(call, &output, first, &source, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    return call->status;
}
