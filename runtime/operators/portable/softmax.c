// SPDX-License-Identifier: Apache-2.0
//
// aten::_softmax and aten::_log_softmax along any dimension.
#include <math.h>

#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, DIM, HALF_TO_FLOAT, OUTPUT };

// The elements along the dimension, in the input and in the output.
struct row {
    const struct rl_tensor *input, *output;
    size_t from, from_step, to, to_step;
    uint32_t count;
};

static rl_real number_at(const struct row *row, uint32_t index)
{
    return rl_float_at(row->input, row->from + index * row->from_step);
}

static rl_real find_largest(const struct row *row)
{
    rl_real largest = number_at(row, 0);
    for (uint32_t i = 1; i < row->count; i++) {
        largest = number_at(row, i) > largest ? number_at(row, i) : largest;
    }
    return largest;
}

static void softmax_row(const struct row *row)
{
    const rl_real largest = find_largest(row);
    rl_real sum = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        rl_real power = RL_MATH(exp)(number_at(row, i) - largest);
        rl_set_float(row->output, row->to + i * row->to_step, power);
        sum += power;
    }
    for (uint32_t i = 0; i < row->count; i++) {
        const size_t at = row->to + i * row->to_step;
        rl_set_float(row->output, at, rl_float_at(row->output, at) / sum);
    }
}

static void log_softmax_row(const struct row *row)
{
    const rl_real largest = find_largest(row);
    rl_real sum = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        sum += RL_MATH(exp)(number_at(row, i) - largest);
    }
    const rl_real logarithm = RL_MATH(log)(sum);
    for (uint32_t i = 0; i < row->count; i++) {
        rl_set_float(row->output, row->to + i * row->to_step, number_at(row, i) - largest - logarithm);
    }
}

typedef void row_function(const struct row *row);

static enum rl_status run_rows(struct rl_call *call, row_function *function)
{
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    int32_t sizes[RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_floats(call, INPUT, &input, -1);
    rl_expect_type(call, OUTPUT, &output, input.dtype, -1);
    rl_resize_like(call, OUTPUT, &output, &input);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    rl_expect(call, !rl_call_bool(call, HALF_TO_FLOAT), HALF_TO_FLOAT, "an output of another type is not supported");
    const uint32_t dim = rl_read_dim(call, DIM, input.rank);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    const uint32_t count = input.rank > 0 ? (uint32_t)input.sizes[dim] : 1;
    struct rl_tensor rows = input; // one element per row
    for (uint32_t i = 0; i < input.rank; i++) {
        sizes[i] = i == dim ? 1 : input.sizes[i];
    }
    rows.sizes = sizes;
    if (count == 0 || !rl_walk_start(&walk, &rows, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return RL_OK;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const struct row row = {.input = &input,
                                    .output = &output,
                                    .from = walk.offset[1] + (size_t)i * walk.step[1],
                                    .from_step = strides[1][dim],
                                    .to = walk.offset[0] + (size_t)i * walk.step[0],
                                    .to_step = strides[0][dim],
                                    .count = count};
            function(&row);
        }
    } while (rl_walk_next(&walk));
    return RL_OK;
}

enum rl_status RL_RUN(aten_softmax)(struct rl_call *call)
{
    return run_rows(call, softmax_row);
}

enum rl_status RL_RUN(aten_log_softmax_internal)(struct rl_call *call)
{
    return run_rows(call, log_softmax_row);
}
