// SPDX-License-Identifier: Apache-2.0
#include "arm_nn_elementwise.h"
#include "elementwise/broadcast.h"
#include "isa.h"
#include RL_TILE(extremum_s8_tile.h)

// One row; an input that is a single value is a limit for the other one. Not inlined: among the many live values of the
// loops around it gcc would keep the pointers on the stack.
static __attribute__((noinline)) void minimum_row(const struct rl_broadcast *plan, const int8_t *a, const int8_t *b,
                                                  int8_t *output)
{
    if (plan->row_is_scalar[0]) {
        rl_clamp_s8(b, INT8_MIN, *a, output, plan->row);
    } else if (plan->row_is_scalar[1]) {
        rl_clamp_s8(a, INT8_MIN, *b, output, plan->row);
    } else {
        rl_minimum_s8(a, b, output, plan->row);
    }
}

static __attribute__((noinline)) void maximum_row(const struct rl_broadcast *plan, const int8_t *a, const int8_t *b,
                                                  int8_t *output)
{
    if (plan->row_is_scalar[0]) {
        rl_clamp_s8(b, *a, INT8_MAX, output, plan->row);
    } else if (plan->row_is_scalar[1]) {
        rl_clamp_s8(a, *b, INT8_MAX, output, plan->row);
    } else {
        rl_maximum_s8(a, b, output, plan->row);
    }
}

static inline arm_cmsis_nn_status
extremum_s8(void (*row)(const struct rl_broadcast *plan, const int8_t *a, const int8_t *b, int8_t *output),
            const int8_t *a, const cmsis_nn_dims *a_dims, const int8_t *b, const cmsis_nn_dims *b_dims, int8_t *output)
{
    struct rl_broadcast plan;
    if (!rl_broadcast_plan(a_dims, b_dims, &plan)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t i = 0; i < plan.size[0]; i++) {
        for (int32_t j = 0; j < plan.size[1]; j++) {
            for (int32_t k = 0; k < plan.size[2]; k++) {
                const int32_t *step_a = plan.stride[0];
                const int32_t *step_b = plan.stride[1];
                row(&plan, a + i * step_a[0] + j * step_a[1] + k * step_a[2],
                    b + i * step_b[0] + j * step_b[1] + k * step_b[2], output);
                output += plan.row;
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    return extremum_s8(minimum_row, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    (void)output_dims;
    return extremum_s8(maximum_row, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
}
