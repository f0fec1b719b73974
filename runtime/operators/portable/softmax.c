// SPDX-License-Identifier: Apache-2.0
//
// aten::_softmax and aten::_log_softmax in float, along any dimension.
#include <math.h>

#include "runtime/operators/portable/exponential.h"
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, DIM, HALF_TO_FLOAT, OUTPUT };

static void softmax_row(const float *from, uint32_t from_step, float *to, uint32_t to_step, uint32_t count)
{
    float largest = from[0], sum = 0;
    for (uint32_t i = 1; i < count; i++)
        largest = from[i * from_step] > largest ? from[i * from_step] : largest;
    for (uint32_t i = 0; i < count; i++) {
        float power = rl_exponential(from[i * from_step] - largest);
        to[i * to_step] = power;
        sum += power;
    }
    for (uint32_t i = 0; i < count; i++)
        to[i * to_step] /= sum;
}

static void log_softmax_row(const float *from, uint32_t from_step, float *to, uint32_t to_step,
                            uint32_t count)
{
    float largest = from[0], sum = 0;
    for (uint32_t i = 1; i < count; i++)
        largest = from[i * from_step] > largest ? from[i * from_step] : largest;
    for (uint32_t i = 0; i < count; i++)
        sum += rl_exponential(from[i * from_step] - largest);
    float logarithm = logf(sum);
    for (uint32_t i = 0; i < count; i++)
        to[i * to_step] = from[i * from_step] - largest - logarithm;
}

typedef void row_function(const float *from, uint32_t from_step, float *to, uint32_t to_step, uint32_t count);

static enum rl_status run_rows(struct rl_call *call, row_function *function)
{
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    int32_t sizes[RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect_type(call, OUTPUT, &output, RL_FLOAT32, -1);
    rl_resize_like(call, OUTPUT, &output, &input);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    rl_expect(call, !rl_call_bool(call, HALF_TO_FLOAT), HALF_TO_FLOAT, "half precision is not supported");
    const uint32_t dim = rl_read_dim(call, DIM, input.rank);
    if (call->status != RL_OK)
        return call->status;
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    const uint32_t count = input.rank > 0 ? (uint32_t)input.sizes[dim] : 1;
    struct rl_tensor rows = input; // one element per row
    for (uint32_t i = 0; i < input.rank; i++)
        sizes[i] = i == dim ? 1 : input.sizes[i];
    rows.sizes = sizes;
    if (count == 0 || !rl_walk_start(&walk, &rows, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides))
        return RL_OK;
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const float *from = (const float *)input.data + walk.offset[1] + i * walk.step[1];
            float *to = (float *)output.data + walk.offset[0] + i * walk.step[0];
            function(from, strides[1][dim], to, strides[0][dim], count);
        }
    } while (rl_walk_next(&walk));
    return RL_OK;
}

enum rl_status rl_run_aten_softmax(struct rl_call *call)
{
    return run_rows(call, softmax_row);
}

enum rl_status rl_run_aten_log_softmax_internal(struct rl_call *call)
{
    return run_rows(call, log_softmax_row);
}
