// SPDX-License-Identifier: Apache-2.0
//
// Copies from elements that lie at fixed distances: aten::diagonal_copy, unfold_copy, as_strided_copy, pixel_shuffle
// and pixel_unshuffle, tril.
#include <string.h>

#include "ops/sizes.h"
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

static bool read_tensors(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input,
                         struct rl_tensor *output)
{
    rl_call_tensor(call, 0, input);
    rl_call_output(call, output_argument, output);
    rl_expect_same_type(call, output_argument, output, input);
    return call->status == RL_OK;
}

// Gives the output its shape, and refuses one that shares memory with the input. False after a refusal.
static bool resize_output(struct rl_call *call, uint32_t output_argument, const struct rl_shape *shape,
                          const struct rl_tensor *input, struct rl_tensor *output)
{
    rl_resize(call, output_argument, output, shape);
    rl_expect_disjoint(call, output_argument, output, input);
    return call->status == RL_OK;
}

// Copies from `input`, from element `start` on, along strides[1] to the output along strides[0].
static void copy_from(const struct rl_tensor *output, const struct rl_tensor *input, size_t start,
                      const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    if (output->bytes > 0) {
        rl_walk_copy(output, output->data, (const uint8_t *)input->data + start * rl_scalar_size(input->dtype),
                     strides);
    }
}

enum rl_status rl_run_aten_diagonal_copy(struct rl_call *call)
{
    enum { INPUT, OFFSET, DIM_1, DIM_2, OUTPUT };
    struct rl_tensor input, output;
    uint32_t own[RL_TENSOR_MAX_RANK], strides[2][RL_TENSOR_MAX_RANK] = {{0}}, next = 0;
    if (!read_tensors(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    uint32_t rows = rl_read_dim(call, DIM_1, input.rank), columns = rl_read_dim(call, DIM_2, input.rank);
    int32_t offset = rl_bounded_int(call, OFFSET, -INT32_MAX, INT32_MAX);
    rl_expect(call, input.rank >= 2 && rows != columns, DIM_2, "a diagonal needs two dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = {.rank = input.rank - 1u};
    rl_tensor_element_strides(&input, own);
    int64_t down = offset < 0 ? -(int64_t)offset : 0, right = offset > 0 ? offset : 0;
    int64_t height = input.sizes[rows] - down, width = input.sizes[columns] - right;
    int64_t length = height < width ? height : width;
    for (uint32_t i = 0; i < input.rank; i++) {
        if (i == rows || i == columns) {
            continue;
        }
        shape.sizes[next] = input.sizes[i];
        strides[1][next++] = own[i];
    }
    shape.sizes[next] = length > 0 ? (int32_t)length : 0;
    strides[1][next] = own[rows] + own[columns];
    resize_output(call, OUTPUT, &shape, &input, &output);
    rl_tensor_element_strides(&output, strides[0]);
    if (rl_call_ready(call)) {
        copy_from(&output, &input, (size_t)down * own[rows] + (size_t)right * own[columns],
                  (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

// Copies windows along a dimension. The elements of a window become the last dimension of the output.
enum rl_status rl_run_aten_unfold_copy(struct rl_call *call)
{
    enum { INPUT, DIM, SIZE, STEP, OUTPUT };
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    if (!read_tensors(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    int32_t size = rl_bounded_int(call, SIZE, 0, INT32_MAX), step = rl_bounded_int(call, STEP, 1, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0 && input.rank < RL_TENSOR_MAX_RANK, INPUT,
                 "only one to seven dimensions are supported");
    rl_expect(call, call->status != RL_OK || size <= input.sizes[dim], SIZE, "the window is larger than the input");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&input);
    const struct rl_window window = {.kernel = size, .stride = step, .dilation = 1};
    shape.sizes[dim] = rl_size(rl_count_windows((uint32_t)input.sizes[dim], &window));
    rl_shape_insert(&shape, input.rank, size);
    resize_output(call, OUTPUT, &shape, &input, &output);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    strides[1][input.rank] = strides[1][dim];
    strides[1][dim] *= (uint32_t)step;
    if (rl_call_ready(call)) {
        copy_from(&output, &input, 0, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

// Sizes, strides and start are those of the input's memory, which therefore must be contiguous.
enum rl_status rl_run_aten_as_strided_copy(struct rl_call *call)
{
    enum { INPUT, SIZE, STRIDE, START, OUTPUT };
    struct rl_tensor input, output;
    struct rl_shape shape;
    int32_t steps[RL_TENSOR_MAX_RANK], start = 0;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    if (!read_tensors(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    shape.rank = rl_call_bounded_ints(call, SIZE, shape.sizes, RL_TENSOR_MAX_RANK, 0, INT32_MAX);
    rl_bounded_ints(call, STRIDE, steps, shape.rank, 0, INT32_MAX);
    resize_output(call, OUTPUT, &shape, &input, &output);
    if (rl_call_kind(call, START) != RL_PTE_NULL) {
        start = rl_bounded_int(call, START, 0, INT32_MAX);
    }
    uint64_t last = (uint64_t)start;
    for (uint32_t i = 0; call->status == RL_OK && i < output.rank; i++) {
        last += shape.sizes[i] > 0 ? (uint64_t)(shape.sizes[i] - 1) * (uint64_t)steps[i] : 0;
        strides[1][i] = (uint32_t)steps[i];
    }
    rl_expect(call, output.bytes == 0 || last < rl_tensor_count(&input), STRIDE, "the strides lead out of the input");
    rl_expect(call, rl_is_ordered(&input, rl_order_contiguous), INPUT, "the input is not contiguous");
    rl_tensor_element_strides(&output, strides[0]);
    if (rl_call_ready(call)) {
        copy_from(&output, &input, (size_t)start, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}

// ---- elements between channels and pixels

// `fine` has factor^2 times fewer channels than `coarse`, and images that are larger by the factor in each direction.
static void shuffle(struct rl_call *call, bool up, const struct rl_tensor *coarse, const struct rl_tensor *fine,
                    int32_t factor)
{
    const uint32_t rank = coarse->rank, lead = rank - 3;
    int32_t sizes[RL_TENSOR_MAX_RANK];
    uint32_t from[RL_TENSOR_MAX_RANK], to[RL_TENSOR_MAX_RANK], strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    uint32_t *wide = strides[up ? 0 : 1], *deep = strides[up ? 1 : 0];
    for (uint32_t i = 0; i < lead; i++) {
        rl_expect(call, coarse->sizes[i] == fine->sizes[i], 0, "input and output differ in shape");
    }
    rl_expect(call,
              coarse->sizes[lead] == (int64_t)fine->sizes[lead] * factor * factor &&
                  fine->sizes[lead + 1] == (int64_t)coarse->sizes[lead + 1] * factor &&
                  fine->sizes[lead + 2] == (int64_t)coarse->sizes[lead + 2] * factor,
              0, "the shapes do not follow from the factor");
    if (!rl_call_ready(call)) {
        return;
    }
    rl_tensor_element_strides(fine, to);
    rl_tensor_element_strides(coarse, from);
    for (uint32_t i = 0; i < lead; i++) {
        sizes[i] = coarse->sizes[i];
        wide[i] = to[i];
        deep[i] = from[i];
    }
    // Channel, row and column inside a coarse pixel, coarse row and column.
    const int32_t inner[5] = {fine->sizes[lead], factor, factor, coarse->sizes[lead + 1], coarse->sizes[lead + 2]};
    const uint32_t f = (uint32_t)factor;
    const uint32_t wide_inner[5] = {to[lead], to[lead + 1], to[lead + 2], to[lead + 1] * f, to[lead + 2] * f};
    const uint32_t deep_inner[5] = {from[lead] * f * f, from[lead] * f, from[lead], from[lead + 1], from[lead + 2]};
    memcpy(sizes + lead, inner, sizeof inner);
    memcpy(wide + lead, wide_inner, sizeof wide_inner);
    memcpy(deep + lead, deep_inner, sizeof deep_inner);
    const struct rl_tensor *output = up ? fine : coarse, *input = up ? coarse : fine;
    struct rl_tensor shape = *output;
    shape.sizes = sizes;
    shape.rank = (uint8_t)(lead + 5);
    shape.dim_order = rl_order_contiguous;
    rl_walk_copy(&shape, output->data, input->data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

static enum rl_status run_shuffle(struct rl_call *call, bool up)
{
    enum { INPUT, FACTOR, OUTPUT };
    struct rl_tensor input, output;
    if (!read_tensors(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    const int32_t factor = rl_bounded_int(call, FACTOR, 1, INT16_MAX);
    rl_expect_by(call, RL_BY_TYPES, input.rank >= 3 && input.rank + 2 <= RL_TENSOR_MAX_RANK, INPUT,
                 "only three to six dimensions are supported");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&input);
    int32_t *plane = shape.sizes + (input.rank - 3);
    const int64_t area = (int64_t)factor * factor;
    plane[0] = rl_size(up ? plane[0] / area : plane[0] * area);
    for (uint32_t i = 1; i < 3; i++) {
        plane[i] = rl_size(up ? (int64_t)plane[i] * factor : plane[i] / factor);
    }
    if (resize_output(call, OUTPUT, &shape, &input, &output)) {
        shuffle(call, up, up ? &input : &output, up ? &output : &input, factor);
    }
    return call->status;
}

enum rl_status rl_run_aten_pixel_shuffle(struct rl_call *call)
{
    return run_shuffle(call, true);
}

enum rl_status rl_run_aten_pixel_unshuffle(struct rl_call *call)
{
    return run_shuffle(call, false);
}

// ---- the lower triangle of each matrix; the rest is zero

enum rl_status rl_run_aten_tril(struct rl_call *call)
{
    enum { INPUT, DIAGONAL, OUTPUT };
    struct rl_tensor input, output;
    int32_t sizes[RL_TENSOR_MAX_RANK];
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    if (!read_tensors(call, OUTPUT, &input, &output)) {
        return call->status;
    }
    int32_t diagonal = rl_bounded_int(call, DIAGONAL, -INT32_MAX, INT32_MAX);
    const struct rl_shape shape = rl_shape_of(&input);
    rl_expect_by(call, RL_BY_TYPES, input.rank >= 2, INPUT, "the input is not a matrix");
    resize_output(call, OUTPUT, &shape, &input, &output);
    if (!rl_call_ready(call) || output.bytes == 0) {
        return call->status;
    }
    const size_t size = rl_scalar_size(output.dtype);
    memset(output.data, 0, output.bytes);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    const uint32_t last = input.rank - 1u;
    struct rl_tensor row = output; // the same row of every matrix, up to the diagonal
    memcpy(sizes, output.sizes, input.rank * sizeof *sizes);
    row.sizes = sizes;
    sizes[last - 1] = 1;
    for (int32_t y = 0; y < output.sizes[last - 1]; y++) {
        int64_t end = (int64_t)y + diagonal + 1;
        end = end < 0 ? 0 : end;
        sizes[last] = end < output.sizes[last] ? (int32_t)end : output.sizes[last];
        rl_walk_copy(&row, (uint8_t *)output.data + (size_t)y * strides[0][last - 1] * size,
                     (const uint8_t *)input.data + (size_t)y * strides[1][last - 1] * size,
                     (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}
