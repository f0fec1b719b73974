// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_batch_matmul. The schema's zero points of the inputs are offsets, that is, minus the zero points.
#include "runtime/operators/layer.h"
#include "rushlight/kernels/batch_matmul.h"

enum { LEFT, LEFT_OFFSET, RIGHT, RIGHT_OFFSET, ZERO_POINT, MULTIPLIER, SHIFT, SCRATCH, OUTPUT };

static void read_matrix(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    if (argument == OUTPUT) {
        rl_call_output(call, argument, tensor);
    } else {
        rl_call_tensor(call, argument, tensor);
    }
    rl_expect_contiguous(call, argument, tensor, 3);
}

struct product {
    const int8_t *left, *right;
    int8_t *output;
    struct rl_scratch scratch;
    struct rl_batch_matmul layer;
};

__extension__ _Static_assert(sizeof(struct product) <= RL_KEPT_MOST, "more than requirements count with");

// Reads a call; NULL when it is refused.
static const struct product *read_product(struct rl_call *call, struct product *p)
{
    struct rl_tensor left, right, output;
    read_matrix(call, LEFT, &left);
    read_matrix(call, RIGHT, &right);
    read_matrix(call, OUTPUT, &output);
    if (call->status != RL_OK) {
        return NULL;
    }
    const int32_t batch = left.sizes[0], rows = left.sizes[1], depth = left.sizes[2], columns = right.sizes[1];
    rl_expect(call, right.sizes[0] == batch && right.sizes[2] == depth, RIGHT, "the matrices do not go together");
    rl_expect(call, output.sizes[0] == batch && output.sizes[1] == rows && output.sizes[2] == columns, OUTPUT,
              "the output's shape is not that of the product");
    rl_expect_disjoint(call, OUTPUT, &output, &left);
    rl_expect_disjoint(call, OUTPUT, &output, &right);
    *p = (struct product){.left = left.data,
                          .right = right.data,
                          .output = output.data,
                          .layer = {.left = {.n = 1, .h = batch, .w = rows, .c = depth},
                                    .right = {.n = 1, .h = batch, .w = columns, .c = depth},
                                    .output = {.n = 1, .h = batch, .w = rows, .c = columns},
                                    .left_offset = rl_call_input_offset(call, LEFT_OFFSET),
                                    .right_offset = rl_call_input_offset(call, RIGHT_OFFSET),
                                    .output_offset = rl_call_zero_point(call, ZERO_POINT),
                                    .range = {.min = INT8_MIN, .max = INT8_MAX}}};
    rl_call_scale(call, MULTIPLIER, &p->layer.scale);
    rl_call_scratch(call, SCRATCH, 0, &left, &output, &p->scratch);
    const struct rl_tensor scratch = {.data = p->scratch.memory, .bytes = (uint32_t)p->scratch.bytes};
    rl_expect_disjoint(call, SCRATCH, &scratch, &right);
    rl_expect_prepared(call, rl_batch_matmul_prepare(&p->layer));
    return rl_call_keep(call, p, sizeof *p);
}

enum rl_status rl_run_cm_quantized_batch_matmul(struct rl_call *call)
{
    struct product made;
    const struct product *p = call->kept ? call->kept : read_product(call, &made);
    if (p) {
        rl_batch_matmul_run(&p->layer, p->left, p->right, p->output, p->scratch);
    }
    return call->status;
}
