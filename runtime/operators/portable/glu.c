// SPDX-License-Identifier: Apache-2.0
//
// aten::glu: the first half of a dimension times the sigmoid of the second.
#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum rl_status RL_RUN(aten_glu)(struct rl_call *call)
{
    enum { INPUT, DIM, OUTPUT };
    struct rl_tensor input, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_floats(call, INPUT, &input, -1);
    rl_expect_floats(call, OUTPUT, &output, input.rank);
    rl_expect_by(call, RL_BY_TYPES, input.rank > 0, INPUT, "the input has no dimensions");
    uint32_t dim = rl_read_dim(call, DIM, input.rank);
    rl_expect(call, call->status != RL_OK || input.sizes[dim] % 2 == 0, INPUT, "the dimension cannot be halved");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&input);
    shape.sizes[dim] /= 2;
    rl_resize(call, OUTPUT, &output, &shape);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (!rl_call_ready(call)) {
        return call->status;
    }
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    const size_t gates = (size_t)output.sizes[dim] * strides[1][dim];
    if (!rl_walk_start(&walk, &output, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            size_t from = walk.offset[1] + (size_t)i * walk.step[1];
            rl_set_float(&output, walk.offset[0] + (size_t)i * walk.step[0],
                         rl_float_at(&input, from) * RL_MATH(sigmoid)(rl_float_at(&input, gates + from)));
        }
    } while (rl_walk_next(&walk));
    return call->status;
}
