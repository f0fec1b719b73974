// SPDX-License-Identifier: Apache-2.0
// How much scratch a kernel may use. Callers of CMSIS-NN may leave ctx->size 0, because CMSIS-NN does not
// read it: then there is what the function announces. A positive size is believed when it is less than that:
// a program may have been planned for a core whose kernels announce less.
#ifndef RL_KERNELS_SCRATCH_H
#define RL_KERNELS_SCRATCH_H

#include <stddef.h>

#include "arm_nn_types.h"
#include "requantize.h"

static inline int32_t rl_scratch_bytes(const cmsis_nn_context *ctx, int32_t announced)
{
    if (ctx->buf == NULL) {
        return 0;
    }
    return ctx->size > 0 ? rl_min_s32(ctx->size, announced) : announced;
}

#endif
