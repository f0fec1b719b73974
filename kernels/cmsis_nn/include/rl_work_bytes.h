// SPDX-License-Identifier: Apache-2.0
// Not part of CMSIS-NN's API: the scratch (ctx->size) with which the int8 convolutions of a core have all their blocks
// there and none on the stack. With less they work as well, and with what *_get_buffer_size announces, which callers of
// CMSIS-NN have: see scratch.h. Callable on any machine.
//
// Dimensions as the kernels take them; the sizes are in bytes, for scratch aligned to 8, and 0 where no blocks are
// used. Cores with DSP instructions only: those of Helium are small, and those of others take as much as they save.
#ifndef RL_WORK_BYTES_H
#define RL_WORK_BYTES_H

#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// For arm_depthwise_conv_wrapper_s8.
int32_t rl_depthwise_conv_wrapper_s8_work_bytes_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

#ifdef __cplusplus
}
#endif

#endif
