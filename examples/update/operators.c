// SPDX-License-Identifier: Apache-2.0
//
// The operators that the firmware has: those of its first program and some more, for models to come.
#include "update.h"

extern const struct rl_registry operators;

static const struct rl_kernel *const kernels[] = {
    &rl_kernel_cm_quantize_per_tensor,
    &rl_kernel_cm_quantized_conv2d,
    &rl_kernel_rl_quantized_conv2d_prepacked,
    &rl_kernel_cm_quantized_depthwise_conv2d,
    &rl_kernel_rl_quantized_depthwise_conv2d_single,
    &rl_kernel_cm_quantized_add,
    &rl_kernel_cm_quantized_max_pool2d,
    &rl_kernel_rl_quantized_avg_pool2d,
    &rl_kernel_cm_quantized_linear,
    &rl_kernel_rl_quantized_linear_prepacked,
    &rl_kernel_rl_quantized_linear_s16,
    &rl_kernel_cm_dequantize_per_tensor,
};
const struct rl_registry operators = {.kernels = kernels, .count = sizeof kernels / sizeof kernels[0]};
