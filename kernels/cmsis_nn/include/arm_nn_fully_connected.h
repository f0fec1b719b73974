// SPDX-License-Identifier: Apache-2.0
// int8 fully connected layers and the row sums they use.
//
//     output[n][o] = clamp(requantize(bias[o] + sum_k (input[n][k] + input_offset) * (filter[o][k] + filter_offset))
//                          + output_offset)
//
// Common to the layers
// - input [input_dims->n][filter_dims->n] int8; filter [output_dims->c][filter_dims->n] int8; bias [output_dims->c]
//   int32 or NULL; output [input_dims->n][output_dims->c] int8. Other fields of the dims are not read.
// - ctx->buf: on Helium, output_dims->c int32 kernel sums as arm_vector_sum_s8 writes them, bias included; bias_data is
//   then not read. Other cores read the bias, and the kernel sums only when bias_data is NULL and ctx->buf is not.
// - ARG_ERROR: ctx->buf is NULL on Helium.
// - Accumulators are int32 and exact while |bias| + depth * 255 * 255 < 2^31.
#ifndef ARM_NN_FULLY_CONNECTED_H
#define ARM_NN_FULLY_CONNECTED_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// One multiplier and shift for all outputs.
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data);

// One multiplier and shift per output channel.
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data);

// One of the two functions above, as quant_params->is_per_channel says.
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data);

// Bytes of ctx->buf: filter_dims->c (the output channels) kernel sums on Helium, 0 elsewhere. The functions ending in
// _dsp and _mve return the size for such a core.
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);
int32_t arm_fully_connected_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);
int32_t arm_fully_connected_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

// As arm_fully_connected_s8 with int4 weights, two to a byte: weight i of the whole filter is in byte i / 2, the lower
// half first. One multiplier and shift for all outputs. filter_offset is not read. ctx is not used; the bias is read on
// every core. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data);

// int16 input and output with zero points of 0, int8 filter: the offsets are not read. bias_data: int64, may be NULL.
// Sums have 64 bits; the multiplier is used with 16 bits (rl_requantize_s64 in requantize.h), and the shift is at most
// 14. ctx: not used. Returns ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                            const cmsis_nn_per_tensor_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int16_t *output_data);

// Bytes of ctx->buf of arm_fully_connected_s16: 0 on every core.
int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims);
int32_t arm_fully_connected_s16_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);
int32_t arm_fully_connected_s16_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

// vector_sum_buf[r] = bias[r] + lhs_offset * sum_k (vector_data[r][k] + rhs_offset), for vector_rows rows of
// vector_cols int8 values. bias_data may be NULL. lhs_offset is the input offset, rhs_offset the filter's.
arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data);

// The same in 64 bits and without rhs_offset, for layers with int16 input.
arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                          const int8_t *vector_data, const int32_t lhs_offset,
                                          const int64_t *bias_data);

#ifdef __cplusplus
}
#endif

#endif
