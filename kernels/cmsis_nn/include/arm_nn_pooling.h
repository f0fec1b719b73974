// SPDX-License-Identifier: Apache-2.0
// Average and maximum over windows of the image plane, channel by channel: struct rl_pool of
// rushlight/kernels/pooling.h.
//
// Of output_dims and filter_dims (the window) only h and w are read. pool_params->activation limits the result; a limit
// beyond the type counts as the type's. Data needs the alignment of its type. The output must not overlap the input.
//
// Scratch: only the average on cores with the DSP extension and without Helium asks for it.
#ifndef ARM_NN_POOLING_H
#define ARM_NN_POOLING_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Average of int8. Windows of up to 2^24 elements.
// ctx: arm_avgpool_s8_get_buffer_size bytes.
// Returns ARM_CMSIS_NN_ARG_ERROR when input_dims->n is below 1, ctx->buf is NULL although its size is not 0, or a
// window lies outside the image altogether; else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data);

// Scratch of arm_avgpool_s8 in bytes: on this core, with DSP extension, with Helium.
int32_t arm_avgpool_s8_get_buffer_size(int dim_dst_width, int ch_src);
int32_t arm_avgpool_s8_get_buffer_size_dsp(int dim_dst_width, int ch_src);
int32_t arm_avgpool_s8_get_buffer_size_mve(int dim_dst_width, int ch_src);

// Maximum of int8. ctx: not used. A window outside the image gives activation.min.
// Returns ARM_CMSIS_NN_ARG_ERROR when input_dims->n is below 1, else ARM_CMSIS_NN_SUCCESS.
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data);

// Average of int16; windows of up to 2^15 elements. Status, scratch and the rest as arm_avgpool_s8.
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int16_t *output_data);

// Scratch of arm_avgpool_s16 in bytes: on this core, with DSP extension, with Helium.
int32_t arm_avgpool_s16_get_buffer_size(int dim_dst_width, int ch_src);
int32_t arm_avgpool_s16_get_buffer_size_dsp(int dim_dst_width, int ch_src);
int32_t arm_avgpool_s16_get_buffer_size_mve(int dim_dst_width, int ch_src);

// Maximum of int16; everything else as arm_max_pool_s8.
arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                     int16_t *output_data);

#ifdef __cplusplus
}
#endif

#endif
