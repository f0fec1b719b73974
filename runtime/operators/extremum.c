// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::minimum and cortex_m::maximum, with broadcasting, on up to four dimensions.
#include "runtime/operators/layer.h"
#include "runtime/operators/portable/shape.h"
#include "rushlight/kernels/elementwise.h"

enum { LEFT, RIGHT, OUTPUT, KERNEL_RANK = 4 };

// Size of a tensor along dimension `index` of the output, with the last dimensions aligned; 1 where it repeats.
static int32_t size_at(const struct rl_tensor *tensor, uint32_t rank, uint32_t index)
{
    uint32_t missing = rank - tensor->rank;
    return index < missing ? 1 : tensor->sizes[index - missing];
}

// Sizes in the order of the output's memory, which all tensors must follow.
static struct rl_image image_of(const struct rl_tensor *tensor, const struct rl_tensor *output)
{
    int32_t sizes[KERNEL_RANK] = {1, 1, 1, 1};
    uint32_t missing = (uint32_t)(KERNEL_RANK - output->rank);
    for (uint32_t i = 0; i < output->rank; i++) {
        sizes[missing + i] = size_at(tensor, output->rank, output->dim_order[i]);
    }
    return (struct rl_image){.n = sizes[0], .h = sizes[1], .w = sizes[2], .c = sizes[3]};
}

static void expect_safe(struct rl_call *call, const struct rl_tensor *tensor, const struct rl_tensor *output)
{
    if (call->status != RL_OK) {
        return;
    }
    if (rl_same_layout(tensor, output)) {
        rl_expect_aligned(call, OUTPUT, output, tensor);
    } else {
        rl_expect_disjoint(call, OUTPUT, output, tensor);
    }
}

// Whether the memory of a tensor is ordered like the output's.
static bool follows(const struct rl_tensor *tensor, const struct rl_tensor *output)
{
    if (tensor->bytes == 1) {
        return true;
    }
    if (tensor->rank == output->rank) {
        return rl_is_ordered(tensor, output->dim_order);
    }
    return rl_is_ordered(tensor, rl_order_contiguous) && rl_is_ordered(output, rl_order_contiguous);
}

// Elements from one to the next along each dimension of the output, the last four of them; 0 where it repeats.
static void strides_of(const struct rl_tensor *tensor, uint32_t rank, uint32_t strides[KERNEL_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(tensor, own);
    for (uint32_t i = 0; i < KERNEL_RANK; i++) {
        strides[i] = 0;
    }
    for (uint32_t i = rank - tensor->rank; i < rank; i++) {
        const uint32_t dimension = i - (rank - tensor->rank);
        strides[KERNEL_RANK - rank + i] = tensor->sizes[dimension] == 1 ? 0 : own[dimension];
    }
}

static size_t place(const uint32_t strides[KERNEL_RANK], const uint32_t at[KERNEL_RANK])
{
    size_t index = 0;
    for (uint32_t i = 0; i < KERNEL_RANK; i++) {
        index += (size_t)strides[i] * at[i];
    }
    return index;
}

// Computes one element after the other, in any layout: stock programs give channels-last images an output that is not
// channels-last.
static void take_each(const struct rl_tensor *left, const struct rl_tensor *right, const struct rl_tensor *output,
                      bool larger)
{
    uint32_t left_strides[KERNEL_RANK], right_strides[KERNEL_RANK], strides[KERNEL_RANK];
    uint32_t sizes[KERNEL_RANK] = {1, 1, 1, 1}, at[KERNEL_RANK];
    strides_of(left, output->rank, left_strides);
    strides_of(right, output->rank, right_strides);
    strides_of(output, output->rank, strides);
    for (uint32_t i = 0; i < output->rank; i++) {
        sizes[KERNEL_RANK - output->rank + i] = (uint32_t)output->sizes[i];
    }
    for (at[0] = 0; at[0] < sizes[0]; at[0]++) {
        for (at[1] = 0; at[1] < sizes[1]; at[1]++) {
            for (at[2] = 0; at[2] < sizes[2]; at[2]++) {
                for (at[3] = 0; at[3] < sizes[3]; at[3]++) {
                    const int8_t a = ((const int8_t *)left->data)[place(left_strides, at)];
                    const int8_t b = ((const int8_t *)right->data)[place(right_strides, at)];
                    ((int8_t *)output->data)[place(strides, at)] = (a < b) == larger ? b : a;
                }
            }
        }
    }
}

static enum rl_status run_extremum(struct rl_call *call, bool larger)
{
    struct rl_tensor left, right, output;
    struct rl_shape shape = {.rank = 0};
    rl_call_tensor(call, LEFT, &left);
    rl_call_tensor(call, RIGHT, &right);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, LEFT, &left, RL_INT8, -1);
    rl_expect_type(call, RIGHT, &right, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    rl_expect_by(call, RL_BY_TYPES, output.rank <= KERNEL_RANK, OUTPUT, "more than four dimensions are not supported");
    rl_expect(call, rl_shape_broadcast(&shape, &left) && rl_shape_broadcast(&shape, &right), RIGHT,
              "the inputs do not broadcast");
    rl_resize(call, OUTPUT, &output, &shape);
    expect_safe(call, &left, &output);
    expect_safe(call, &right, &output);
    if (!rl_call_ready(call) || output.bytes == 0) {
        return call->status;
    }
    if (!follows(&left, &output) || !follows(&right, &output)) {
        take_each(&left, &right, &output, larger);
        return call->status;
    }
    struct rl_extremum layer = {.input = {image_of(&left, &output), image_of(&right, &output)}};
    rl_expect_prepared(call, rl_extremum_prepare(&layer));
    if (call->status == RL_OK) {
        (larger ? rl_maximum_run : rl_minimum_run)(&layer, left.data, right.data, output.data);
    }
    return call->status;
}

enum rl_status rl_run_cm_minimum(struct rl_call *call)
{
    return run_extremum(call, false);
}

enum rl_status rl_run_cm_maximum(struct rl_call *call)
{
    return run_extremum(call, true);
}
