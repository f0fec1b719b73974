// SPDX-License-Identifier: Apache-2.0
//
// Tensors put together, of any element type: aten::cat, stack, slice_scatter and select_scatter. Parts of other types
// than the output are converted.
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/part.h"
#include "runtime/operators/portable/walk.h"

// Copies `part` to the output, from `first` on and along strides[0], and converts it to the type of the output.
static void insert_part(struct rl_call *call, const struct rl_tensor *output, size_t first,
                        const struct rl_tensor *part, const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    if (part->dtype == output->dtype) {
        if (rl_call_ready(call)) {
            rl_walk_copy(part, (uint8_t *)output->data + first * rl_scalar_size(output->dtype), part->data, strides);
        }
        return;
    }
    rl_expect_numbers(call, 0, output);
    rl_expect_numbers(call, 0, part);
    const bool real = rl_is_real(part->dtype);
    if (!rl_call_ready(call) || !rl_walk_start(&walk, part, 2, strides)) {
        return;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const union rl_number number = rl_load_one(part, walk.offset[1] + (size_t)i * walk.step[1], real);
            rl_store(output, first + walk.offset[0] + (size_t)i * walk.step[0], 0, real, &number, 1);
        }
    } while (rl_walk_next(&walk));
}

// The same for the elements with one index along `dim`, a dimension that `part` does not have.
static void insert_selected(struct rl_call *call, const struct rl_tensor *output, const struct rl_tensor *part,
                            uint32_t dim, uint32_t index)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    const size_t first = (size_t)index * rl_strides_without(output, dim, strides[0]);
    rl_tensor_element_strides(part, strides[1]);
    insert_part(call, output, first, part, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// Whether a tensor takes part in cat: PyTorch skips empty vectors whatever the others' shapes.
static bool is_joined(const struct rl_tensor *tensor)
{
    return tensor->rank != 1 || tensor->bytes > 0;
}

// The shape of all inputs one after the other: that of one of them, longer along `dim`.
static struct rl_shape join_shapes(struct rl_call *call, uint32_t inputs_argument, uint32_t count, uint32_t dim)
{
    struct rl_tensor input;
    struct rl_shape shape = {.sizes = {0}, .rank = 1}; // of empty vectors only
    int64_t length = 0;
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, inputs_argument, i, &input);
        if (!is_joined(&input)) {
            continue;
        }
        rl_expect(call, input.rank > dim, inputs_argument, "an input does not have the dimension");
        if (call->status == RL_OK) {
            shape = rl_shape_of(&input);
            length += input.sizes[dim];
        }
    }
    shape.sizes[dim] = rl_size(length);
    return shape;
}

enum rl_status RL_RUN(aten_cat)(struct rl_call *call)
{
    enum { INPUTS, DIM, OUTPUT };
    struct rl_tensor input, output;
    struct rl_copies copies = {0};
    bool repeats = true;
    uint32_t strides[2][RL_TENSOR_MAX_RANK], start = 0;
    if (call->kept) {
        rl_copies_run(call->kept);
        return RL_OK;
    }
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = rl_read_dim(call, DIM, output.rank), count = rl_call_list(call, INPUTS);
    rl_expect_by(call, RL_BY_TYPES, output.rank > 0, OUTPUT, "the output has no dimensions");
    const struct rl_shape shape = join_shapes(call, INPUTS, count, dim);
    rl_resize(call, OUTPUT, &output, &shape);
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, INPUTS, i, &input);
        if (!is_joined(&input)) {
            continue;
        }
        rl_expect_part(call, OUTPUT, &output, &input, dim, false);
        if (call->status != RL_OK) {
            break;
        }
        rl_tensor_element_strides(&output, strides[0]);
        rl_tensor_element_strides(&input, strides[1]);
        const size_t first = (size_t)start * strides[0][dim];
        insert_part(call, &output, first, &input, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
        repeats = repeats && rl_call_ready(call) && input.dtype == output.dtype &&
                  rl_copies_add(&copies, &input, (uint8_t *)output.data + first * rl_scalar_size(output.dtype),
                                input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
        if (input.rank == 1) {
            call->method->reason = RL_BY_SIZES; // the type of an empty tensor does not matter
        }
        start += (uint32_t)input.sizes[dim];
    }
    if (repeats) {
        rl_call_keep(call, &copies, sizeof copies);
    }
    return call->status;
}

enum rl_status RL_RUN(aten_stack)(struct rl_call *call)
{
    enum { INPUTS, DIM, OUTPUT };
    struct rl_tensor input, output;
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = rl_read_dim(call, DIM, output.rank), count = rl_call_list(call, INPUTS);
    rl_expect_by(call, RL_BY_TYPES, output.rank > 0 && count > 0, OUTPUT,
                 "the output has no dimensions, or the list is empty");
    rl_call_list_tensor(call, INPUTS, 0, &input);
    rl_expect_by(call, RL_BY_TYPES, input.rank + 1 == output.rank, OUTPUT, "input and output differ in rank");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&input);
    rl_shape_insert(&shape, dim, rl_size(count));
    rl_resize(call, OUTPUT, &output, &shape);
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, INPUTS, i, &input);
        rl_expect_part(call, OUTPUT, &output, &input, dim, true);
        if (call->status == RL_OK) {
            insert_selected(call, &output, &input, dim, i);
        }
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
    rl_expect_disjoint(call, output_argument, output, &input);
    rl_tensor_element_strides(output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    if (rl_call_ready(call)) {
        rl_walk_copy(output, output->data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status == RL_OK;
}

enum rl_status RL_RUN(aten_select_scatter)(struct rl_call *call)
{
    enum { INPUT, SOURCE, DIM, INDEX, OUTPUT };
    struct rl_tensor source, output;
    if (!start_scatter(call, OUTPUT, &source, &output)) {
        return call->status;
    }
    uint32_t dim = rl_read_dim(call, DIM, output.rank), index = rl_read_index(call, INDEX, &output, dim);
    rl_expect_part(call, OUTPUT, &output, &source, dim, true);
    if (call->status == RL_OK) {
        insert_selected(call, &output, &source, dim, index);
    }
    return call->status;
}

enum rl_status RL_RUN(aten_slice_scatter)(struct rl_call *call)
{
    enum { INPUT, SOURCE, RANGE, OUTPUT = 6 };
    struct rl_tensor source, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    if (!start_scatter(call, OUTPUT, &source, &output)) {
        return call->status;
    }
    struct rl_index_range range = rl_read_range(call, RANGE, &output);
    rl_expect_part(call, OUTPUT, &output, &source, range.dim, false);
    if (call->status != RL_OK) {
        return call->status;
    }
    rl_expect(call, (int32_t)range.count == source.sizes[range.dim], SOURCE,
              "the source's shape is not that of the slice");
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&source, strides[1]);
    const size_t first = (size_t)range.start * strides[0][range.dim];
    strides[0][range.dim] *= range.step;
    if (call->status == RL_OK && source.bytes > 0) {
        insert_part(call, &output, first, &source, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}
