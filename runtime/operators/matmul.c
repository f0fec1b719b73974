// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_batch_matmul. What the schema calls zero points of the inputs are offsets: minus the zero points.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

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
    cmsis_nn_dims left_dims, right_dims, output_dims;
    cmsis_nn_fc_params params;
    cmsis_nn_per_tensor_quant_params scale;
    cmsis_nn_context context;
};

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
    rl_expect_apart(call, OUTPUT, &output, &left);
    rl_expect_apart(call, OUTPUT, &output, &right);
    *p = (struct product){.left = left.data,
                          .right = right.data,
                          .output = output.data,
                          .left_dims = {.n = 1, .h = batch, .w = rows, .c = depth},
                          .right_dims = {.n = 1, .h = batch, .w = columns, .c = depth},
                          .output_dims = {.n = 1, .h = batch, .w = rows, .c = columns},
                          .params = {.input_offset = rl_call_input_offset(call, LEFT_OFFSET),
                                     .filter_offset = rl_call_input_offset(call, RIGHT_OFFSET),
                                     .output_offset = rl_call_zero_point(call, ZERO_POINT),
                                     .activation = {.min = INT8_MIN, .max = INT8_MAX}}};
    rl_cmsis_scale(call, MULTIPLIER, &p->scale);
    struct rl_scratch scratch;
    rl_call_scratch(call, SCRATCH, 0, &left, &output, &scratch);
    const struct rl_tensor tensor = {.data = scratch.memory, .bytes = (uint32_t)scratch.bytes};
    rl_expect_apart(call, SCRATCH, &tensor, &right);
    p->context = rl_cmsis_context(scratch);
    return rl_call_keep(call, p, sizeof *p);
}

static bool is_empty(const cmsis_nn_dims *dims)
{
    return dims->h == 0 || dims->w == 0 || dims->c == 0;
}

enum rl_status rl_run_cm_quantized_batch_matmul(struct rl_call *call)
{
    struct product made;
    const struct product *p = call->kept ? call->kept : read_product(call, &made);
    if (!p || is_empty(&p->output_dims)) {
        return call->status;
    }
    const cmsis_nn_bmm_params params = {.adj_x = false, .adj_y = false, .fc_params = p->params};
    return rl_kernel_result(call, arm_batch_matmul_s8(&p->context, &params, &p->scale, &p->left_dims, p->left,
                                                      &p->right_dims, p->right, &p->output_dims, p->output));
}
