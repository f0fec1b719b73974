// SPDX-License-Identifier: Apache-2.0
//
// aten::_cdist_forward and _pdist_forward: distances of the p-norm between rows.
#include <math.h>

#include "runtime/operators/portable/dot.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

// Order of the norm: 0 counts differences, infinity takes the largest.
static rl_real distance(const struct rl_vector *a, const struct rl_vector *b, uint32_t count, rl_real p)
{
    rl_real sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        rl_real size =
            RL_EXACT(fabs)(rl_float_at(a->tensor, a->at + i * a->step) - rl_float_at(b->tensor, b->at + i * b->step));
        if (p == 0) {
            sum += size != 0;
        } else if (p == 1) {
            sum += size;
        } else if (p == 2) {
            sum += size * size;
        } else if (p == INFINITY) {
            sum = size > sum || size != size ? size : sum;
        } else {
            sum += RL_MATH(pow)(size, p);
        }
    }
    if (p == 2) {
        return RL_EXACT(sqrt)(sum);
    }
    return p == 0 || p == 1 || p == INFINITY ? sum : RL_MATH(pow)(sum, 1 / p);
}

static rl_real read_order(struct rl_call *call, uint32_t argument)
{
    rl_real p = (rl_real)rl_call_double(call, argument);
    rl_expect(call, p >= 0, argument, "the order of the norm is negative");
    return p;
}

// Strides along the dimensions of the output, but for its last two: the batch broadcasts.
static bool batch_strides(const struct rl_tensor *tensor, const struct rl_tensor *output,
                          uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK];
    if (tensor->rank < 2 || output->rank < tensor->rank) {
        return false;
    }
    rl_tensor_element_strides(tensor, own);
    const uint32_t missing = (uint32_t)(output->rank - tensor->rank);
    for (uint32_t i = missing; i + 2 < output->rank; i++) {
        int32_t size = tensor->sizes[i - missing];
        if (size != 1 && size != output->sizes[i]) {
            return false;
        }
        strides[i] = size == 1 ? 0 : own[i - missing];
    }
    return true;
}

// The dimensions of the broadcast batches, then the rows of both.
static struct rl_shape shape_of_distances(struct rl_call *call, const struct rl_tensor *left,
                                          const struct rl_tensor *right)
{
    struct rl_shape shape = {.rank = 0};
    struct rl_tensor batches[] = {*left, *right};
    rl_expect_by(call, RL_BY_TYPES, left->rank >= 2 && right->rank >= 2, 0, "the inputs are not rows");
    for (uint32_t i = 0; i < 2 && call->status == RL_OK; i++) {
        batches[i].rank = (uint8_t)(batches[i].rank - 2);
        rl_expect(call, rl_shape_broadcast(&shape, &batches[i]), i, "the batches do not broadcast");
    }
    if (call->status != RL_OK) {
        return shape;
    }
    rl_shape_insert(&shape, shape.rank, left->sizes[left->rank - 2]);
    rl_shape_insert(&shape, shape.rank, right->sizes[right->rank - 2]);
    return shape;
}

enum rl_status RL_RUN(aten_cdist_forward)(struct rl_call *call)
{
    enum { LEFT, RIGHT, ORDER, MODE, OUTPUT };
    struct rl_tensor left, right, output;
    struct rl_walk walk;
    uint32_t strides[3][RL_TENSOR_MAX_RANK] = {{0}}, a[RL_TENSOR_MAX_RANK], b[RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, LEFT, &left);
    rl_call_tensor(call, RIGHT, &right);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_floats(call, LEFT, &left, -1);
    rl_expect_type(call, RIGHT, &right, left.dtype, -1);
    rl_expect_type(call, OUTPUT, &output, left.dtype, -1);
    rl_real p = read_order(call, ORDER);
    const struct rl_shape shape = shape_of_distances(call, &left, &right);
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect(call, batch_strides(&left, &output, strides[1]) && batch_strides(&right, &output, strides[2]), OUTPUT,
              "the inputs do not broadcast to the output's shape");
    rl_expect_disjoint(call, OUTPUT, &output, &left);
    rl_expect_disjoint(call, OUTPUT, &output, &right);
    if (call->status != RL_OK) {
        return call->status;
    }
    const uint32_t row = output.rank - 2u, column = output.rank - 1u;
    rl_expect(call, left.sizes[left.rank - 1] == right.sizes[right.rank - 1], RIGHT, "the rows differ in length");
    rl_tensor_element_strides(&left, a);
    rl_tensor_element_strides(&right, b);
    rl_tensor_element_strides(&output, strides[0]);
    strides[1][row] = a[left.rank - 2];
    strides[2][column] = b[right.rank - 2];
    const uint32_t count = (uint32_t)left.sizes[left.rank - 1];
    if (!rl_call_ready(call) || !rl_walk_start(&walk, &output, 3, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const struct rl_vector from = {&left, walk.offset[1] + (size_t)i * walk.step[1], a[left.rank - 1]},
                                   to = {&right, walk.offset[2] + (size_t)i * walk.step[2], b[right.rank - 1]};
            rl_set_float(&output, walk.offset[0] + (size_t)i * walk.step[0], distance(&from, &to, count, p));
        }
    } while (rl_walk_next(&walk));
    return call->status;
}

// Computes the distances of each row to all rows behind it.
enum rl_status RL_RUN(aten_pdist_forward)(struct rl_call *call)
{
    enum { INPUT, ORDER, OUTPUT };
    struct rl_tensor input, output;
    uint32_t steps[RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_floats(call, INPUT, &input, 2);
    rl_expect_type(call, OUTPUT, &output, input.dtype, 1);
    rl_real p = read_order(call, ORDER);
    if (call->status != RL_OK) {
        return call->status;
    }
    const int64_t rows = input.sizes[0];
    const struct rl_shape shape = {.sizes = {rl_size(rows * (rows - 1) / 2)}, .rank = 1};
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    rl_tensor_element_strides(&input, steps);
    size_t to = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = i + 1; k < rows; k++) {
            const struct rl_vector first = {&input, (size_t)i * steps[0], steps[1]},
                                   second = {&input, (size_t)k * steps[0], steps[1]};
            rl_set_float(&output, to++, distance(&first, &second, (uint32_t)input.sizes[1], p));
        }
    }
    return call->status;
}
