// SPDX-License-Identifier: Apache-2.0
// From the structs of CMSIS-NN's API to those of include/rushlight/kernels/layer.h, for the sources beside this file.
#ifndef RL_KERNELS_CMSIS_NN_TRANSLATE_H
#define RL_KERNELS_CMSIS_NN_TRANSLATE_H

#include "arm_nn_types.h"
#include "rushlight/kernels/layer.h"
#include "rushlight/status.h"

static inline struct rl_image rl_image_of(const cmsis_nn_dims *dims)
{
    return (struct rl_image){dims->n, dims->h, dims->w, dims->c};
}

static inline struct rl_extent rl_extent_of(cmsis_nn_tile tile)
{
    return (struct rl_extent){.h = tile.h, .w = tile.w};
}

static inline struct rl_range rl_range_of(cmsis_nn_activation activation)
{
    return (struct rl_range){activation.min, activation.max};
}

static inline struct rl_scale rl_scale_of(const cmsis_nn_per_tensor_quant_params *quant)
{
    return (struct rl_scale){quant->multiplier, quant->shift};
}

static inline struct rl_scales rl_scales_of(const cmsis_nn_per_channel_quant_params *quant)
{
    return (struct rl_scales){quant->multiplier, quant->shift};
}

// The scratch of a call. Callers of CMSIS-NN may leave ctx->size 0, because CMSIS-NN does not read it; the scratch then
// has the size that the function announces. A positive size is believed: a program may have been planned for a core
// whose kernels announce less, and a caller may give more to save stack.
static inline struct rl_scratch rl_scratch_of(const cmsis_nn_context *ctx, int32_t announced)
{
    if (!ctx->buf) {
        return (struct rl_scratch){0};
    }
    return (struct rl_scratch){ctx->buf, ctx->size > 0 ? ctx->size : announced};
}

// What the functions return where `prepare` refuses a layer.
static inline arm_cmsis_nn_status rl_status_of(enum rl_status status)
{
    return status == RL_OK ? ARM_CMSIS_NN_SUCCESS : ARM_CMSIS_NN_ARG_ERROR;
}

#endif
