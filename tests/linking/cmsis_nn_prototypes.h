// SPDX-License-Identifier: Apache-2.0
//
// The functions and types as a user of CMSIS-NN knows them (header of July 2026), written down from its
// interface and not from our headers: included after them, a difference in a type, a qualifier or the order
// of arguments does not compile.
#ifndef RL_TESTS_CMSIS_NN_PROTOTYPES_H
#define RL_TESTS_CMSIS_NN_PROTOTYPES_H

// Convolution.
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                            const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                            const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                            const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                    const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                    const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                    const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *, const int8_t *,
                                    const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *, const int32_t *,
                                    const cmsis_nn_dims *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                        const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                        const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                        const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                             const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                             const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                             const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                          const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                              const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                            const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                            const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                            const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                    const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                    const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                    const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *, const int8_t *,
                                    const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *, const int32_t *,
                                    const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                         const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                         const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                         const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                        const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                        const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                        const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                             const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                             const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                             const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                          const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                              const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                             const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                             const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                             const cmsis_nn_dims *, const cmsis_nn_bias_data *, const cmsis_nn_dims *,
                                             int16_t *);
int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                 const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                     const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                     const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                     const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *, const int16_t *,
                                     const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                     const cmsis_nn_bias_data *, const cmsis_nn_dims *, int16_t *);
int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);

// Depthwise convolution.
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                                   const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                   const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                                   const cmsis_nn_dims *, const int64_t *, const cmsis_nn_dims *,
                                                   int16_t *);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                       const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                           const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                           const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                           const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                           const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                           const cmsis_nn_dims *, const int64_t *, const cmsis_nn_dims *, int16_t *);
arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                                const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                                const cmsis_nn_dims *, const int64_t *, const cmsis_nn_dims *,
                                                int16_t *);
int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                                  const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                  const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                                  const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                                  int8_t *);
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                      const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                          const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                          const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                          const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                              const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                              const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                              const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                                  const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                  const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                                  const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                                  int8_t *);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                      const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                          const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                          const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                          const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                              const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                              const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                              const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                              const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                              const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                              const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *, int8_t *);

// Transposed convolution.
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_context *,
                                                  const cmsis_nn_transpose_conv_params *,
                                                  const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                  const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                                  const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                                  int8_t *);
arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *, const cmsis_nn_context *,
                                          const cmsis_nn_transpose_conv_params *,
                                          const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *, const cmsis_nn_dims *,
                                              const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_transpose_conv_params *, const cmsis_nn_dims *,
                                                  const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *,
                                                           const cmsis_nn_dims *, const cmsis_nn_dims *);

// Fully connected, matrices, sums.
arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *, const cmsis_nn_bmm_params *,
                                        const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *, const int8_t *,
                                        const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *, const cmsis_nn_bmm_params *,
                                         const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                         const int16_t *, const cmsis_nn_dims *, const int16_t *, const cmsis_nn_dims *,
                                         int16_t *);
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                           const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                           const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                           const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                                       const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                                       const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                                       const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                                       int8_t *);
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                                   const cmsis_nn_quant_params *, const cmsis_nn_dims *, const int8_t *,
                                                   const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                                   const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *);
int32_t arm_fully_connected_s8_get_buffer_size_dsp(const cmsis_nn_dims *);
int32_t arm_fully_connected_s8_get_buffer_size_mve(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                           const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                           const int8_t *, const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                           const int32_t *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                            const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                            const int16_t *, const cmsis_nn_dims *, const int8_t *,
                                            const cmsis_nn_dims *, const int64_t *, const cmsis_nn_dims *, int16_t *);
int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *);
int32_t arm_fully_connected_s16_get_buffer_size_dsp(const cmsis_nn_dims *);
int32_t arm_fully_connected_s16_get_buffer_size_mve(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_vector_sum_s8(int32_t *, int32_t, int32_t, const int8_t *, int32_t, int32_t, const int32_t *);
arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *, int32_t, int32_t, const int8_t *, int32_t, const int64_t *);

// Recurrent.
arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *, const cmsis_nn_context *, const cmsis_nn_context *,
                                const cmsis_nn_svdf_params *, const cmsis_nn_per_tensor_quant_params *,
                                const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *, const int8_t *,
                                const cmsis_nn_dims *, int8_t *, const cmsis_nn_dims *, const int8_t *,
                                const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *, const int32_t *,
                                const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *, const cmsis_nn_context *,
                                          const cmsis_nn_svdf_params *, const cmsis_nn_per_tensor_quant_params *,
                                          const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, int16_t *, const cmsis_nn_dims *,
                                          const int8_t *, const cmsis_nn_dims *, const int16_t *, const cmsis_nn_dims *,
                                          const int32_t *, const cmsis_nn_dims *, int8_t *);
int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *);
int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *);
int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *, int8_t *, const cmsis_nn_lstm_params *,
                                               cmsis_nn_lstm_context *);
arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *, int16_t *, const cmsis_nn_lstm_params *,
                                                cmsis_nn_lstm_context *);

// Element by element.
arm_cmsis_nn_status arm_elementwise_mul_acc_s16(const int16_t *, const int16_t *, int32_t, int32_t, int16_t *, int32_t,
                                                int32_t, int32_t, int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *, const int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t,
                                           int32_t, int32_t, int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t,
                                           int32_t);
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *, const int8_t *, int32_t, int32_t, int8_t *, int32_t, int32_t,
                                           int32_t, int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *, const int16_t *, int32_t, int32_t, int32_t, int32_t,
                                            int32_t, int32_t, int32_t, int16_t *, int32_t, int32_t, int32_t, int32_t,
                                            int32_t, int32_t);
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *, const int16_t *, int32_t, int32_t, int16_t *, int32_t,
                                            int32_t, int32_t, int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *, const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                   const cmsis_nn_dims *, int8_t *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *, const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                   const cmsis_nn_dims *, int8_t *, const cmsis_nn_dims *);
void arm_relu_q7(int8_t *, uint16_t);
void arm_relu6_s8(int8_t *, uint16_t);
void arm_relu_q15(int16_t *, uint16_t);
arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *, int16_t *, int32_t, int32_t, arm_nn_activation_type);

// Pooling.
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *, const cmsis_nn_pool_params *, const cmsis_nn_dims *,
                                   const int8_t *, const cmsis_nn_dims *, const cmsis_nn_dims *, int8_t *);
int32_t arm_avgpool_s8_get_buffer_size(int, int);
int32_t arm_avgpool_s8_get_buffer_size_dsp(int, int);
int32_t arm_avgpool_s8_get_buffer_size_mve(int, int);
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *, const cmsis_nn_pool_params *, const cmsis_nn_dims *,
                                    const int8_t *, const cmsis_nn_dims *, const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *, const cmsis_nn_pool_params *, const cmsis_nn_dims *,
                                    const int16_t *, const cmsis_nn_dims *, const cmsis_nn_dims *, int16_t *);
int32_t arm_avgpool_s16_get_buffer_size(int, int);
int32_t arm_avgpool_s16_get_buffer_size_dsp(int, int);
int32_t arm_avgpool_s16_get_buffer_size_mve(int, int);
arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *, const cmsis_nn_pool_params *, const cmsis_nn_dims *,
                                     const int16_t *, const cmsis_nn_dims *, const cmsis_nn_dims *, int16_t *);

// Softmax.
void arm_softmax_s8(const int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t, int8_t *);
void arm_softmax_s8_s16(const int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t, int16_t *);
void arm_softmax_u8(const uint8_t *, int32_t, int32_t, int32_t, int32_t, int32_t, uint8_t *);
arm_cmsis_nn_status arm_softmax_s16(const int16_t *, int32_t, int32_t, int32_t, int32_t,
                                    const cmsis_nn_softmax_lut_s16 *, int16_t *);

// Data movement.
void arm_reshape_s8(const int8_t *, int8_t *, uint32_t);
arm_cmsis_nn_status arm_pad_s8(const int8_t *, int8_t *, int8_t, const cmsis_nn_dims *, const cmsis_nn_dims *,
                               const cmsis_nn_dims *);
void arm_concatenation_s8_x(const int8_t *, uint16_t, uint16_t, uint16_t, uint16_t, int8_t *, uint16_t, uint32_t);
void arm_concatenation_s8_y(const int8_t *, uint16_t, uint16_t, uint16_t, uint16_t, int8_t *, uint16_t, uint32_t);
void arm_concatenation_s8_z(const int8_t *, uint16_t, uint16_t, uint16_t, uint16_t, int8_t *, uint16_t, uint32_t);
void arm_concatenation_s8_w(const int8_t *, uint16_t, uint16_t, uint16_t, uint16_t, int8_t *, uint32_t);
arm_cmsis_nn_status arm_transpose_s8(const int8_t *, int8_t *, const cmsis_nn_dims *, const cmsis_nn_dims *,
                                     const cmsis_nn_transpose_params *);

// Support functions.
void arm_q7_to_q15_with_offset(const int8_t *, int16_t *, int32_t, int16_t);
int32_t arm_convolve_s8_get_buffer_size_mve(const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size_mve(const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_depthwise_conv_s8_opt_get_buffer_size_dsp(const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_nn_requantize(int32_t, int32_t, int32_t);
int32_t arm_nn_requantize_s64(int64_t, int32_t, int32_t);
int32_t arm_nn_doubling_high_mult(int32_t, int32_t);
int32_t arm_nn_doubling_high_mult_no_sat(int32_t, int32_t);
int32_t arm_nn_divide_by_power_of_two(int32_t, int32_t);
int32_t arm_nn_mult_by_power_of_two(int32_t, int32_t);
int32_t arm_nn_exp_on_negative_values(int32_t);
int32_t arm_nn_one_over_one_plus_x_for_x_in_0_1(int32_t);

#endif
