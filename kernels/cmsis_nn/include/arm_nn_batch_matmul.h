// SPDX-License-Identifier: Apache-2.0
// Batched product of matrices. The right matrix is transposed.
//
// Shapes: lhs [n, h, rows, depth], rhs [n, h, columns, depth] (one row per output column), output [n, h, rows,
// columns], in the fields n, h, w, c. n and h are batch axes. Their sizes in lhs and rhs are those of the output, or 1:
// then one matrix is used for every index of the axis. depth is read from rhs. adj_x and adj_y are not used.
#ifndef ARM_NN_BATCH_MATMUL_H
#define ARM_NN_BATCH_MATMUL_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// int8 on both sides:
//     output[r][c] = clamp(requantize(sum over k of (lhs[r][k] + input_offset) * (rhs[c][k] + filter_offset))
//                          + output_offset)
// input_offset and filter_offset are minus the zero points, -127..128; output_offset is -128..127. A depth of up to
// 2^15 cannot overflow the accumulator. ctx: as many bytes as arm_fully_connected_s8_get_buffer_size returns for filter
// dims {depth, 1, 1, columns}, with any contents. Returns ARM_CMSIS_NN_ARG_ERROR when a batch size of lhs or rhs is
// neither 1 nor the output's, or on Helium when ctx->buf is NULL; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output);

// int16 on both sides, with zero points of 0: the offsets are not read. Sums have 64 bits; the multiplier is used with
// 16 bits (rl_requantize_s64 in requantize.h), shift at most 14. ctx: not used, may hold a NULL buffer. Returns
// ARM_CMSIS_NN_ARG_ERROR when a batch size of lhs or rhs is neither 1 nor the output's, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif
