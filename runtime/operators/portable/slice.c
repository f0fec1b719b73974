// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors, of any element type: aten::slice_copy, select_copy, split_with_sizes_copy and cat.
#include "runtime/operators/portable/walk.h"

// Both have the element type and, but for dimension `dim`, the sizes of the other; they share no memory. With
// `dropped`, `part` does not have the dimension at all.
static void expect_part(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *whole,
                        const struct rl_tensor *part, uint32_t dim, bool dropped)
{
    rl_expect(call, whole->dtype == part->dtype, output_argument, "input and output differ in element type");
    rl_expect(call, part->rank + (dropped ? 1 : 0) == whole->rank, output_argument,
              "input and output differ in rank");
    for (uint32_t i = 0; call->status == RL_OK && i < whole->rank; i++) {
        uint32_t own = dropped && i > dim ? i - 1 : i;
        rl_expect(call, i == dim || whole->sizes[i] == part->sizes[own], output_argument,
                  "input and output differ in shape");
    }
    rl_expect_apart(call, output_argument, whole, part);
}

static uint32_t read_dim(struct rl_call *call, uint32_t argument, uint32_t rank)
{
    int32_t limit = rank > 0 ? (int32_t)rank : 1;
    int32_t dim = rl_bounded_int(call, argument, -limit, limit - 1);
    return (uint32_t)(dim < 0 ? dim + limit : dim);
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

enum rl_status rl_run_aten_slice_copy_tensor(struct rl_call *call)
{
    enum { INPUT, DIM, START, END, STEP, OUTPUT };
    struct rl_tensor input, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = read_dim(call, DIM, input.rank);
    int32_t step = rl_bounded_int(call, STEP, 1, INT32_MAX);
    expect_part(call, OUTPUT, &input, &output, dim, false);
    rl_expect(call, input.rank > 0, INPUT, "the input has no dimensions");
    if (call->status != RL_OK)
        return call->status;
    int64_t start = read_bound(call, START, 0, input.sizes[dim]);
    int64_t end = read_bound(call, END, input.sizes[dim], input.sizes[dim]);
    int64_t count = end > start ? (end - start + step - 1) / step : 0;
    rl_expect(call, count == output.sizes[dim], OUTPUT, "the output's shape is not that of the slice");
    if (call->status == RL_OK && output.bytes > 0)
        copy_part(&output, &input, dim, (uint32_t)start, (uint32_t)step);
    return call->status;
}

enum rl_status rl_run_aten_select_copy_int(struct rl_call *call)
{
    enum { INPUT, DIM, INDEX, OUTPUT };
    struct rl_tensor input, output;
    uint32_t own[RL_TENSOR_MAX_RANK], strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = read_dim(call, DIM, input.rank);
    expect_part(call, OUTPUT, &input, &output, dim, true);
    rl_expect(call, input.rank > 0, INPUT, "the input has no dimensions");
    if (call->status != RL_OK)
        return call->status;
    int32_t index = rl_bounded_int(call, INDEX, -input.sizes[dim], input.sizes[dim] - 1);
    if (call->status != RL_OK)
        return call->status;
    index = index < 0 ? index + input.sizes[dim] : index;
    rl_tensor_element_strides(&input, own);
    rl_tensor_element_strides(&output, strides[0]);
    for (uint32_t i = 0; i < output.rank; i++)
        strides[1][i] = own[i < dim ? i : i + 1];
    const uint8_t *from =
        (const uint8_t *)input.data + (size_t)index * own[dim] * rl_scalar_size(input.dtype);
    rl_walk_copy(&output, output.data, from, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    return RL_OK;
}

enum rl_status rl_run_aten_split_with_sizes_copy(struct rl_call *call)
{
    enum { INPUT, SIZES, DIM, OUTPUTS };
    struct rl_tensor input, output;
    int32_t sizes[RL_LIST_MAX];
    int64_t start = 0;
    rl_call_tensor(call, INPUT, &input);
    uint32_t dim = read_dim(call, DIM, input.rank);
    uint32_t count = rl_call_ints(call, SIZES, sizes, RL_LIST_MAX);
    rl_expect(call, rl_call_list(call, OUTPUTS) == count, OUTPUTS, "sizes and outputs differ in number");
    rl_expect(call, input.rank > 0, INPUT, "the input has no dimensions");
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_output(call, OUTPUTS, i, &output);
        expect_part(call, OUTPUTS, &input, &output, dim, false);
        rl_expect(call, call->status != RL_OK || output.sizes[dim] == sizes[i], OUTPUTS,
                  "the output's shape is not that of the part");
        rl_expect(call, sizes[i] >= 0 && start + sizes[i] <= input.sizes[dim], SIZES,
                  "the parts exceed the input");
        if (call->status == RL_OK)
            copy_part(&output, &input, dim, (uint32_t)start, 1);
        start += sizes[i];
    }
    rl_expect(call, call->status != RL_OK || start == input.sizes[dim], SIZES,
              "the parts do not make up the input");
    return call->status;
}

enum rl_status rl_run_aten_cat(struct rl_call *call)
{
    enum { INPUTS, DIM, OUTPUT };
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    int64_t start = 0;
    rl_call_output(call, OUTPUT, &output);
    uint32_t dim = read_dim(call, DIM, output.rank), count = rl_call_list(call, INPUTS);
    rl_expect(call, output.rank > 0, OUTPUT, "the output has no dimensions");
    for (uint32_t i = 0; i < count && call->status == RL_OK; i++) {
        rl_call_list_tensor(call, INPUTS, i, &input);
        if (input.rank == 1 && input.bytes == 0)
            continue; // PyTorch skips such a tensor whatever the others' shapes
        expect_part(call, OUTPUT, &output, &input, dim, false);
        rl_expect(call, call->status != RL_OK || start + input.sizes[dim] <= output.sizes[dim], OUTPUT,
                  "the inputs exceed the output");
        if (call->status != RL_OK)
            break;
        rl_tensor_element_strides(&output, strides[0]);
        rl_tensor_element_strides(&input, strides[1]);
        uint8_t *to = (uint8_t *)output.data + (size_t)start * strides[0][dim] * rl_scalar_size(output.dtype);
        rl_walk_copy(&input, to, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
        start += input.sizes[dim];
    }
    rl_expect(call, call->status != RL_OK || start == output.sizes[dim], OUTPUT,
              "the inputs do not fill the output");
    return call->status;
}
