// SPDX-License-Identifier: Apache-2.0
// One way to call every function of the kernels, with good arguments that a test may spoil.
#ifndef RL_TESTS_KERNELS_CALLS_H
#define RL_TESTS_KERNELS_CALLS_H

#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

enum { CALL_BYTES = 2048 }; // of each tensor: more than any call here needs

// A call to any function: what several of them take has one place.
struct call {
    cmsis_nn_dims input_dims, filter_dims, bias_dims, output_dims, state_dims;
    cmsis_nn_conv_params conv;
    cmsis_nn_dw_conv_params depthwise;
    cmsis_nn_transpose_conv_params transposed;
    cmsis_nn_pool_params pool;
    cmsis_nn_fc_params fully_connected;
    cmsis_nn_svdf_params svdf;
    cmsis_nn_softmax_lut_s16 tables;
    uint32_t permutation[4];
    cmsis_nn_context ctx, second_ctx, third_ctx;
    int8_t *input, *filter, *output, *state;
    int32_t *bias, *multiplier, *shift;
};

// The shapes of a good call.
enum kind { WINDOW, POINT, ROW, POOL, TRANSPOSED, MATRIX, PRODUCT, RECURRENT, PERMUTED };

// Fills a call whose arguments are good; the buffers belong to the case.
void good_call(struct rl_case *c, enum kind kind, struct call *p);

arm_cmsis_nn_status call_convolve_wrapper_s8(const struct call *p);
arm_cmsis_nn_status call_convolve_s8(const struct call *p);
arm_cmsis_nn_status call_convolve_1x1_s8(const struct call *p);
arm_cmsis_nn_status call_convolve_1x1_s8_fast(const struct call *p);
arm_cmsis_nn_status call_convolve_1_x_n_s8(const struct call *p);
arm_cmsis_nn_status call_convolve_wrapper_s4(const struct call *p);
arm_cmsis_nn_status call_convolve_s4(const struct call *p);
arm_cmsis_nn_status call_convolve_even_s4(const struct call *p);
arm_cmsis_nn_status call_convolve_1x1_s4(const struct call *p);
arm_cmsis_nn_status call_convolve_1x1_s4_fast(const struct call *p);
arm_cmsis_nn_status call_convolve_1_x_n_s4(const struct call *p);
arm_cmsis_nn_status call_convolve_s16(const struct call *p);
arm_cmsis_nn_status call_convolve_wrapper_s16(const struct call *p);
arm_cmsis_nn_status call_depthwise_wrapper_s8(const struct call *p);
arm_cmsis_nn_status call_depthwise_s8(const struct call *p);
arm_cmsis_nn_status call_depthwise_s8_opt(const struct call *p);
arm_cmsis_nn_status call_depthwise_3x3_s8(const struct call *p);
arm_cmsis_nn_status call_depthwise_wrapper_s4(const struct call *p);
arm_cmsis_nn_status call_depthwise_s4(const struct call *p);
arm_cmsis_nn_status call_depthwise_s4_opt(const struct call *p);
arm_cmsis_nn_status call_depthwise_s16(const struct call *p);
arm_cmsis_nn_status call_depthwise_fast_s16(const struct call *p);
arm_cmsis_nn_status call_depthwise_wrapper_s16(const struct call *p);
arm_cmsis_nn_status call_transpose_conv_wrapper_s8(const struct call *p);
arm_cmsis_nn_status call_fully_connected_s8(const struct call *p);
arm_cmsis_nn_status call_fully_connected_per_channel_s8(const struct call *p);
arm_cmsis_nn_status call_fully_connected_wrapper_s8(const struct call *p);
arm_cmsis_nn_status call_batch_matmul_s8(const struct call *p);
arm_cmsis_nn_status call_batch_matmul_s16(const struct call *p);
arm_cmsis_nn_status call_svdf_s8(const struct call *p);
arm_cmsis_nn_status call_svdf_state_s16_s8(const struct call *p);
arm_cmsis_nn_status call_average_s8(const struct call *p);
arm_cmsis_nn_status call_average_s16(const struct call *p);
arm_cmsis_nn_status call_maximum_s8(const struct call *p);
arm_cmsis_nn_status call_maximum_s16(const struct call *p);
arm_cmsis_nn_status call_softmax_s16(const struct call *p);
arm_cmsis_nn_status call_transpose_s8(const struct call *p);
arm_cmsis_nn_status call_transpose_3_axes(const struct call *p);

#endif
