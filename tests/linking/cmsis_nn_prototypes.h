// SPDX-License-Identifier: Apache-2.0
//
// Functions as a user of CMSIS-NN knows them, written down from its documentation and not from our headers:
// included after arm_nnfunctions.h, a difference in a type, a qualifier or the order of arguments does not
// compile.
#ifndef RL_TESTS_CMSIS_NN_PROTOTYPES_H
#define RL_TESTS_CMSIS_NN_PROTOTYPES_H

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                            const cmsis_nn_per_channel_quant_params *, const cmsis_nn_dims *,
                                            const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                            const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                            int8_t *);
int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *, const cmsis_nn_dims *,
                                                const cmsis_nn_dims *, const cmsis_nn_dims *);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_dw_conv_params *,
                                                  const cmsis_nn_per_channel_quant_params *,
                                                  const cmsis_nn_dims *, const int8_t *,
                                                  const cmsis_nn_dims *, const int8_t *,
                                                  const cmsis_nn_dims *, const int32_t *,
                                                  const cmsis_nn_dims *, int8_t *);
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                           const cmsis_nn_per_tensor_quant_params *, const cmsis_nn_dims *,
                                           const int8_t *, const cmsis_nn_dims *, const int8_t *,
                                           const cmsis_nn_dims *, const int32_t *, const cmsis_nn_dims *,
                                           int8_t *);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *, const cmsis_nn_dims *,
                                                      const cmsis_nn_dims *, const cmsis_nn_dims *);
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *);
arm_cmsis_nn_status arm_vector_sum_s8(int32_t *, int32_t, int32_t, const int8_t *, int32_t, int32_t,
                                      const int32_t *);
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *, const int8_t *, int32_t, int32_t, int32_t, int32_t,
                                           int32_t, int32_t, int32_t, int8_t *, int32_t, int32_t, int32_t,
                                           int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *, const cmsis_nn_pool_params *,
                                   const cmsis_nn_dims *, const int8_t *, const cmsis_nn_dims *,
                                   const cmsis_nn_dims *, int8_t *);
int32_t arm_avgpool_s8_get_buffer_size(int, int);
void arm_softmax_s8(const int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t, int8_t *);

#endif
